/** Regular expressions whose search takes time linear in the text (RE2), so that no pattern can hang the kernel. */

import { RE2JS } from "re2js";

/** The part of a Python bytes object's proxy that is used here. */
interface Bytes {
  getBuffer(type: "u8"): { data: Uint8Array; release(): void };
}

/** Compile; throws an Error whose message ends with the part of the pattern at fault after a tab. */
export function compilePattern(pattern: string, ignoreCase: boolean): Searcher {
  try {
    return new Searcher(RE2JS.compile(pattern, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)));
  } catch (error) {
    const { error: reason, input } = error as { error?: string; input?: string };
    throw new Error(`${reason ?? String(error)}\t${input ?? ""}`);
  }
}

export class Searcher {
  /** Where the last match ended, in bytes. */
  end = 0;
  private text = "";
  private bytes = 0;

  constructor(private readonly regex: RE2JS) {}

  /** Take the text to search. */
  load(bytes: Bytes): void {
    const view = bytes.getBuffer("u8");
    this.bytes = view.data.length;
    this.text = decode(view.data);
    view.release();
  }

  /** Return where the first match from byte `start` on begins, or -1. */
  search(start: number): number {
    const matcher = this.regex.matcher(this.text);
    const oneByteEach = this.text.length === this.bytes;
    if (!matcher.find(oneByteEach ? start : charactersIn(this.text, start))) return -1;
    const [from, to] = [matcher.start(), matcher.end()];
    if (oneByteEach) {
      this.end = to;
      return from;
    }
    const begin = bytesIn(this.text.slice(0, from));
    this.end = begin + bytesIn(this.text.slice(from, to));
    return begin;
  }
}

const strict = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const bytewise = new TextDecoder("x-user-defined");
const encoder = new TextEncoder();

/** What is no UTF-8 is searched, too: as one character a byte. */
function decode(bytes: Uint8Array): string {
  try {
    return strict.decode(bytes);
  } catch {
    return bytewise.decode(bytes);
  }
}

function bytesIn(text: string): number {
  return encoder.encode(text).length;
}

/** How many UTF-16 units the first `bytes` bytes of UTF-8 make. */
function charactersIn(text: string, bytes: number): number {
  let units = 0;
  for (let seen = 0; seen < bytes && units < text.length; ) {
    const point = text.codePointAt(units) ?? 0;
    seen += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    units += point < 0x10000 ? 1 : 2;
  }
  return units;
}
