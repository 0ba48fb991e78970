/** wc: counts in columns as wide as GNU's. */

import { type Context, command, fail, options, output } from "./command";

const LONG: Record<string, string> = {
  "--bytes": "c",
  "--chars": "m",
  "--lines": "l",
  "--max-line-length": "L",
  "--words": "w",
};
const ORDER = "lwmcL";
/** GNU's width for input whose size nobody knows beforehand. */
const WIDTH_OF_STREAMS = 7;

export const wc = command("wc", async (args, context) => {
  const { letters, long, rest } = options(args);
  const wanted = letters + long.map((each) => LONG[each] ?? "?").join("");
  const unknown = [...wanted].find((each) => !ORDER.includes(each));
  if (unknown) return fail("wc", `invalid option -- '${unknown}'`);
  const columns = [...ORDER].filter((each) => (wanted || "lwc").includes(each));
  const rows: { counts: number[]; name: string }[] = [];
  let stderr = "";
  let bytes = 0;
  for (const name of rest.length ? rest : [""]) {
    try {
      const data = await read(context, name);
      bytes += data.length;
      rows.push({ counts: columns.map((each) => COUNT[each]?.(data) ?? 0), name });
    } catch (error) {
      const folder = String(error).includes("EISDIR");
      stderr += `wc: ${name}: ${folder ? "Is a directory" : "No such file or directory"}\n`;
    }
  }
  if (rest.length > 1) rows.push({ counts: totals(rows, columns), name: "total" });
  const single = rows.length === 1 && columns.length === 1;
  const stream = !rest.length || rest.includes("-");
  const width = single ? 1 : stream ? WIDTH_OF_STREAMS : String(bytes).length;
  const text = rows.map(({ counts, name }) => {
    const shown = counts.map((count) => String(count).padStart(width)).join(" ");
    return `${shown}${name ? ` ${name}` : ""}\n`;
  });
  return output(text.join(""), stderr ? 1 : 0, stderr);
});

const COUNT: Record<string, (bytes: string) => number> = {
  c: (bytes) => bytes.length,
  l: (bytes) => occurrences(bytes, "\n"),
  L: (bytes) =>
    Math.max(
      0,
      ...text(bytes)
        .split("\n")
        .map((line) => [...line].length),
    ),
  m: (bytes) => [...text(bytes)].length,
  w: (bytes) => text(bytes).match(/\S+/g)?.length ?? 0,
};

function totals(rows: { counts: number[] }[], columns: string[]): number[] {
  const combine = (column: string, values: number[]) =>
    column === "L" ? Math.max(0, ...values) : values.reduce((sum, each) => sum + each, 0);
  return columns.map((column, index) =>
    combine(
      column,
      rows.map(({ counts }) => counts[index] ?? 0),
    ),
  );
}

/** Return a file's or the input's bytes as a string of one character each. */
async function read(context: Context, name: string): Promise<string> {
  if (!name || name === "-") return context.stdin as unknown as string;
  return await context.fs.readFile(context.fs.resolvePath(context.cwd, name), "latin1");
}

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) count += 1;
  return count;
}

function text(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (each) => each.charCodeAt(0)));
}
