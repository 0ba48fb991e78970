/** What the shell needs of Node's zlib, over fflate. */

import { gunzipSync as gunzip, gzipSync as gzip } from "fflate";

export const constants = {
  Z_NO_COMPRESSION: 0,
  Z_BEST_SPEED: 1,
  Z_BEST_COMPRESSION: 9,
  Z_DEFAULT_COMPRESSION: -1,
};

type Level = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9;

export function gzipSync(data: Uint8Array, options: { level?: number } = {}): Uint8Array {
  const level = options.level ?? constants.Z_DEFAULT_COMPRESSION;
  return gzip(data, { level: (level < 0 ? 6 : level) as Level });
}

export function gunzipSync(data: Uint8Array, options: { maxOutputLength?: number } = {}): Uint8Array {
  const result = gunzip(data);
  const limit = options.maxOutputLength;
  if (limit !== undefined && result.length > limit)
    throw Object.assign(new RangeError(`Cannot create a Buffer larger than ${limit} bytes`), {
      code: "ERR_BUFFER_TOO_LARGE",
    });
  return result;
}

export default { constants, gzipSync, gunzipSync };
