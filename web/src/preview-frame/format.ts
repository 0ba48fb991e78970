/** Values as a console would write them, in one string. */

const MAX_ITEMS = 100;
const MAX_DEPTH = 4;
const MAX_TEXT = 10_000;

/** Format a console call's arguments, `%s` and its like included. */
export function formatAll(values: unknown[]): string {
  const [first, ...rest] = values;
  const parts = typeof first === "string" ? [substitute(first, rest)] : values.length ? [format(first)] : [];
  return [...parts, ...rest.map((value) => format(value))].join(" ").slice(0, MAX_TEXT);
}

/** Format one value; strings stay as they are. */
export function format(value: unknown): string {
  return typeof value === "string" ? value : inspect(value, 0, new Set());
}

/** Put values in the places of `%s`, `%d` and so on, taking them from the front of `rest`. */
function substitute(text: string, rest: unknown[]): string {
  return text.replace(/%([sdifoOc%])/g, (written, kind: string) => {
    if (kind === "%") return "%";
    if (!rest.length) return written;
    const value = rest.shift();
    if (kind === "c") return "";
    if (kind === "s") return format(value);
    if (kind === "o" || kind === "O") return inspect(value, 0, new Set());
    return String(kind === "f" ? Number(value) : Math.trunc(Number(value)));
  });
}

function inspect(value: unknown, depth: number, above: Set<object>): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[Function ${value.name || "anonymous"}]`;
  if (typeof value !== "object" || value === null) return String(value);
  try {
    return inspectObject(value, depth, above);
  } catch {
    // A getter or a proxy that throws.
    return "[Object]";
  }
}

function inspectObject(value: object, depth: number, above: Set<object>): string {
  if (value instanceof Error) return value.stack?.includes(value.message) ? value.stack : String(value);
  if (value instanceof Element) return value.outerHTML.slice(0, 200);
  if (value instanceof Date || value instanceof RegExp) return String(value);
  if (above.has(value)) return "[Circular]";
  if (depth >= MAX_DEPTH) return Array.isArray(value) ? "[…]" : "{…}";
  above.add(value);
  const name = value.constructor?.name ?? "";
  const inner = (item: unknown) => inspect(item, depth + 1, above);
  let text: string;
  if (Array.isArray(value)) text = list("[", value.map(inner), "]");
  else if (value instanceof Set) text = `Set ${list("{", [...value].map(inner), "}")}`;
  else if (value instanceof Map)
    text = `Map ${list(
      "{",
      [...value].map(([key, item]) => `${inner(key)} => ${inner(item)}`),
      "}",
    )}`;
  else {
    const entries = Object.entries(value).map(([key, item]) => `${key}: ${inner(item)}`);
    text = (name && name !== "Object" ? `${name} ` : "") + list("{", entries, "}");
  }
  above.delete(value);
  return text;
}

function list(open: string, items: string[], close: string): string {
  const shown = items.slice(0, MAX_ITEMS);
  if (items.length > MAX_ITEMS) shown.push(`… ${items.length - MAX_ITEMS} more`);
  return open + shown.join(", ") + close;
}
