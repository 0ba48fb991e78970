/** Archives on their way between the page and the kernel, in pieces that are asked for one at a time. */

import * as Comlink from "comlink";
import type { ExportOptions, ImportOptions, ImportReport } from "./api";
import { asHost, call, callForBytes, type Handle, PAGE, release, tie } from "./remote";

/** Bytes of one message. */
const PIECE = 1_048_576;

/** Begin to pack; nothing is packed before it is read, and nothing more once the stream is cancelled. */
export async function exportArchive(
  sandbox: Handle,
  options: ExportOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const handle = await call<Handle>(PAGE, "exportArchive", { sandbox, ...options });
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await callForBytes(handle, "next", {});
        if (piece.length) return controller.enqueue(piece);
        controller.close();
        await release(handle);
      },
      cancel: () => release(handle),
    },
    { highWaterMark: 0 },
  );
  return tie(stream, handle);
}

/** Hand an archive over, as fast as it is taken. */
export async function importArchive(
  sandbox: Handle,
  data: Blob | Uint8Array | ReadableStream<Uint8Array>,
  { signal, ...options }: ImportOptions = {},
): Promise<ImportReport> {
  const pieces = cut(data);
  const next = async () => {
    const { value } = await pieces.next();
    return value ? Comlink.transfer(value, [value.buffer]) : undefined;
  };
  try {
    return await call<ImportReport>(sandbox, "importArchive", options, { signal, source: asHost({ next }) });
  } finally {
    await pieces.return();
  }
}

/** Yield copies of the data, which may be given away. */
async function* cut(
  data: Blob | Uint8Array | ReadableStream<Uint8Array>,
): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  if (data instanceof Uint8Array) return yield* slices(data);
  const reader = (data instanceof Blob ? data.stream() : data).getReader();
  let ended = false;
  try {
    while (!ended) {
      const { done, value } = await reader.read();
      ended = done;
      if (value && !(value instanceof Uint8Array))
        throw new TypeError("an archive's stream gives Uint8Arrays");
      if (value) yield* slices(value);
    }
  } finally {
    if (!ended) await reader.cancel().catch(() => {});
    reader.releaseLock();
  }
}

function* slices(data: Uint8Array): Generator<Uint8Array<ArrayBuffer>> {
  for (let at = 0; at < data.length; at += PIECE) yield new Uint8Array(data.subarray(at, at + PIECE));
}
