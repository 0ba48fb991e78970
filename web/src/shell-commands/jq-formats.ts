/** Formats of jq that just-bash's does not know: `@csv` with its quotes, `@sh` of a list, and `@name "text \(value)"`. */

const CSV =
  '(map(if type == "string" then "\\"" + gsub("\\""; "\\"\\"") + "\\"" elif . == null then "" else tostring end) | join(","))';
const SH = '(if type == "array" then map(@sh) | join(" ") else @sh end)';
const KNOWN: Record<string, string> = { "@csv": CSV, "@sh": SH };
const FORMAT = /@(text|json|html|uri|csv|tsv|sh|base64d?)\b/y;

/** Return a program that does the same in words that are known. */
export function withFormats(program: string): string {
  let changed = "";
  for (let at = 0; at < program.length; ) {
    FORMAT.lastIndex = at;
    const format = FORMAT.exec(program);
    const end = format ? FORMAT.lastIndex : stringEnd(program, at);
    if (format) {
      const start = end + (/^\s*/.exec(program.slice(end))?.[0].length ?? 0);
      const text = program[start] === '"' ? program.slice(start, stringEnd(program, start)) : undefined;
      changed += text === undefined ? known(format[0]) : formatted(text, known(format[0]));
      at = text === undefined ? end : start + text.length;
    } else {
      changed += program.slice(at, end);
      at = end;
    }
  }
  return changed;
}

function known(format: string): string {
  return KNOWN[format] ?? format;
}

/** Where a string that may begin at a place ends, with what is interpolated into it; else the next place. */
function stringEnd(program: string, start: number): number {
  if (program[start] !== '"') return start + 1;
  let at = start + 1;
  while (at < program.length && program[at] !== '"') {
    if (program[at] !== "\\") at += 1;
    else at = program[at + 1] === "(" ? interpolationEnd(program, at + 1) : at + 2;
  }
  return at + 1;
}

function interpolationEnd(program: string, open: number): number {
  let depth = 0;
  for (let at = open; at < program.length; ) {
    if (program[at] === "(") depth += 1;
    if (program[at] === ")" && --depth === 0) return at + 1;
    at = stringEnd(program, at);
  }
  return program.length;
}

/** Apply a format to each value that is interpolated into a string. */
function formatted(text: string, format: string): string {
  let changed = "";
  for (let at = 0; at < text.length; ) {
    if (text[at] === "\\" && text[at + 1] === "(") {
      const end = interpolationEnd(text, at + 1);
      changed += `\\(${withFormats(text.slice(at + 2, end - 1))} | ${format})`;
      at = end;
    } else {
      const length = text[at] === "\\" ? 2 : 1;
      changed += text.slice(at, at + length);
      at += length;
    }
  }
  return changed;
}
