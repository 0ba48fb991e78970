/** awk's values: numbers, strings, and strings from outside that may count as numbers. */

/** A text from outside; it is a number if it looks like one. */
export class Input {
  private number: number | undefined;
  private known = false;

  constructor(readonly text: string) {}

  /** The number that the text looks like, if it does. */
  get value(): number | undefined {
    if (!this.known) {
      this.known = true;
      const trimmed = this.text.trim();
      if (/^[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?$/.test(trimmed)) this.number = Number(trimmed);
    }
    return this.number;
  }
}

export type Value = number | string | Input | undefined;
export type Table = Map<string, Value>;

export function toNumber(value: Value): number {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  if (typeof value !== "string") return value.value ?? leading(value.text);
  return leading(value);
}

function leading(text: string): number {
  const match = /^\s*[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/.exec(text);
  return match ? Number(match[0]) : 0;
}

export function isTrue(value: Value): boolean {
  if (typeof value === "number") return value !== 0;
  if (typeof value === "string") return value !== "";
  if (value === undefined) return false;
  return value.value === undefined ? value.text !== "" : value.value !== 0;
}

/** Below 0, 0 or above it. Texts are compared as such; numbers, and what looks like them, as numbers. */
export function compare(a: Value, b: Value, show: (value: Value) => string): number {
  const [x, y] = [numeric(a), numeric(b)];
  if (x !== undefined && y !== undefined) return x < y ? -1 : x > y ? 1 : 0;
  const [left, right] = [show(a), show(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function numeric(value: Value): number | undefined {
  if (typeof value === "number") return value;
  if (value === undefined) return 0;
  return typeof value === "string" ? undefined : value.value;
}
