/** What a terminal sends, taken apart. */

/** A paste, as terminals mark it. */
export const PASTED = /^\x1b\[200~([\s\S]*?)(?:\x1b\[201~|$)/;
/** A paste, one key's bytes, or a stretch of printable text. */
const KEYS =
  /\x1b\[200~[\s\S]*?(?:\x1b\[201~|$)|\x1b\[[0-9;]*[A-Za-z~]|\x1bO[A-Z]|\x1b[\x20-\x7f]|[\x00-\x1f\x7f]|[^\x00-\x1f\x7f]+/g;

/** Lines in a paste end with `\n`; elsewhere an end of a line is the key Enter, `\r`. */
export function keysOf(data: string): string[] {
  const keys = data.replace(/\r?\n/g, "\r").match(KEYS) ?? [];
  return keys.map((key) => (PASTED.test(key) ? key.replaceAll("\r", "\n") : key));
}

/** What keys send, by what they mean at a prompt. */
export const KEY = {
  enter: "\r",
  interrupt: "\x03",
  clear: "\x0c",
  complete: "\t",
  search: "\x12",
} as const;
const NAMED = {
  up: ["\x1b[A", "\x1bOA", "\x10"],
  down: ["\x1b[B", "\x1bOB", "\x0e"],
  erase: ["\x7f", "\b"],
  cancel: ["\x1b", "\x07", "\x03"],
};

export function is(name: keyof typeof NAMED, key: string): boolean {
  return NAMED[name].includes(key);
}
