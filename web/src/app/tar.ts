/** Files of the visitor's machine as a tar archive, so that the sandbox takes them in as it does any archive. */

/** One file, or a directory when it has none. */
export interface Upload {
  /** Below the directory that it goes to. */
  path: string;
  file?: File;
}

const BLOCK = 512;
/** What the format's plain header has room for: names and sizes beyond get an extended header. */
const LONGEST_NAME = 100;
const LARGEST_SIZE = 8 ** 11;

const encoder = new TextEncoder();

/** Return a stream of the archive; files are read as it is. */
export function tarOf(uploads: Upload[]): ReadableStream<Uint8Array> {
  const pieces = archive(uploads);
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await pieces.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await pieces.return();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* archive(uploads: Upload[]): AsyncGenerator<Uint8Array, void> {
  for (const { path, file } of uploads) {
    yield* headers(file ? path : `${path}/`, file);
    if (!file) continue;
    const reader = file.stream().getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) yield part.value;
    yield new Uint8Array(-file.size & (BLOCK - 1));
  }
  yield new Uint8Array(2 * BLOCK);
}

function* headers(path: string, file: File | undefined): Generator<Uint8Array> {
  const size = file?.size ?? 0;
  const mtime = file?.lastModified ?? Date.now();
  const name = encoder.encode(path);
  const extended = record("mtime", (mtime / 1000).toFixed(3));
  if (name.length > LONGEST_NAME || name.length > path.length) extended.push(...record("path", path));
  if (size >= LARGEST_SIZE) extended.push(...record("size", String(size)));
  yield header("pax", "x", extended.length, mtime);
  yield padded(Uint8Array.from(extended));
  yield header(path, file ? "0" : "5", Math.min(size, LARGEST_SIZE - 1), mtime);
}

/** One line of an extended header; its length counts its own digits. */
function record(key: string, value: string): number[] {
  const rest = encoder.encode(` ${key}=${value}\n`);
  let length = rest.length;
  while (length !== rest.length + String(length).length) length = rest.length + String(length).length;
  return [...encoder.encode(String(length)), ...rest];
}

function header(name: string, type: string, size: number, mtime: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const put = (at: number, text: string) => block.set(encoder.encode(text), at);
  const octal = (at: number, digits: number, value: number) =>
    put(at, value.toString(8).padStart(digits, "0"));
  block.set(encoder.encode(name).subarray(0, LONGEST_NAME), 0);
  octal(100, 7, type === "5" ? 0o755 : 0o644);
  octal(108, 7, 0);
  octal(116, 7, 0);
  octal(124, 11, size);
  octal(136, 11, Math.max(Math.floor(mtime / 1000), 0));
  put(148, " ".repeat(8));
  put(156, type);
  put(257, "ustar\x0000");
  octal(
    148,
    6,
    block.reduce((sum, byte) => sum + byte),
  );
  block[154] = 0;
  return block;
}

function padded(data: Uint8Array): Uint8Array {
  const block = new Uint8Array(Math.ceil(data.length / BLOCK) * BLOCK);
  block.set(data);
  return block;
}
