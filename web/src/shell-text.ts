/**
 * Text and bytes in a shell. Bytes travel as strings of one character each ("latin1"); in text, a byte that is no
 * UTF-8 stands as half of a surrogate pair, U+DC80 to U+DCFF, and so comes back as it was.
 */

const STRICT = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const encoder = new TextEncoder();
const ASCII = /^[\0-\x7f]*$/;
const STRAY = /[\udc80-\udcff]/;
const PIECE = 0x8000;

export function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let start = 0; start < bytes.length; start += PIECE)
    text += String.fromCharCode(...bytes.subarray(start, start + PIECE));
  return text;
}

export function bytesOf(latin1: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(latin1.length);
  for (let at = 0; at < latin1.length; at++) bytes[at] = latin1.charCodeAt(at);
  return bytes;
}

export function decodeBytes(bytes: Uint8Array): string {
  try {
    return STRICT.decode(bytes);
  } catch {
    return decodeWithStrays(bytes);
  }
}

export function encodeText(text: string): Uint8Array<ArrayBuffer> {
  // A half of a pair that has its other half is no stray byte.
  if (!STRAY.test(text) || text.isWellFormed()) return encoder.encode(text);
  const parts = text.split(/(?<![\ud800-\udbff])([\udc80-\udcff]+)/);
  const encoded = parts.map((part, index) =>
    index % 2 ? Uint8Array.from(part, (each) => each.charCodeAt(0) & 0xff) : encoder.encode(part),
  );
  return joined(encoded);
}

/** Bytes as text, from a string of one character a byte; text that holds more than bytes stays as it is. */
export function toText(latin1: string): string {
  if (ASCII.test(latin1) || !/^[\0-\xff]*$/.test(latin1)) return latin1;
  return decodeBytes(bytesOf(latin1));
}

/** Text as bytes, in a string of one character a byte. */
export function toBytes(text: string): string {
  return ASCII.test(text) ? text : latin1(encodeText(text));
}

function joined(parts: Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function decodeWithStrays(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; ) {
    const length = lengthAt(bytes, at);
    if (length) text += STRICT.decode(bytes.subarray(at, at + length));
    else text += String.fromCharCode(0xdc00 | (bytes[at] as number));
    at += length || 1;
  }
  return text;
}

/** How many bytes the character takes that begins at a place, or 0 if none does. */
function lengthAt(bytes: Uint8Array, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (!length) return 0;
  try {
    STRICT.decode(bytes.subarray(at, at + length));
    return length;
  } catch {
    return 0;
  }
}
