/** Archives on their way between the page and the kernel, in pieces that are asked for one at a time. */

import * as Comlink from "comlink";
import type { ExportOptions, ImportOptions, ImportReport } from "./api";
import type { Handle } from "./handle";
import { asHost, call, callForBytes, callForHandle, PAGE } from "./remote";

/** Bytes of one message. */
const PIECE = 1_048_576;

/** Begin to pack; nothing is packed before it is read, and nothing more once the stream is cancelled. */
export async function exportArchive(
  sandbox: Handle,
  options: ExportOptions = {},
): Promise<ReadableStream<Uint8Array>> {
  const handle = await callForHandle(PAGE, "exportArchive", { sandbox, ...options }, "export");
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = await callForBytes(handle, "next", {});
        if (piece.length) return controller.enqueue(piece);
        controller.close();
        await handle.release();
      },
      cancel: () => handle.release(),
    },
    { highWaterMark: 0 },
  );
}

/** Hand an archive over, as fast as it is taken. */
export async function importArchive(
  sandbox: Handle,
  data: Blob | Uint8Array | ReadableStream<Uint8Array>,
  { signal, ...options }: ImportOptions = {},
): Promise<ImportReport> {
  const { next, close } = reading(data);
  try {
    return await call<ImportReport>(sandbox, "importArchive", options, { signal, source: asHost({ next }) });
  } finally {
    close();
  }
}

/** Give copies of the data, a piece at a time; they may be given away. */
function reading(data: Blob | Uint8Array | ReadableStream<Uint8Array>) {
  const whole = data instanceof Uint8Array;
  const reader = whole ? undefined : (data instanceof Blob ? data.stream() : data).getReader();
  let rest = whole ? data : new Uint8Array();
  let ended = whole;
  return {
    async next(): Promise<Uint8Array | undefined> {
      while (reader && !rest.length && !ended) {
        const { done, value } = await reader.read();
        ended = done;
        if (done) break;
        if (!(value instanceof Uint8Array)) throw new TypeError("the stream must give Uint8Arrays");
        rest = value;
      }
      if (!rest.length) return undefined;
      const piece = new Uint8Array(rest.subarray(0, PIECE));
      rest = rest.subarray(PIECE);
      return Comlink.transfer(piece, [piece.buffer]);
    },
    /** Ends a stream that was not read to its end; it may never answer. */
    close(): void {
      reader?.cancel().catch(() => {});
    },
  };
}
