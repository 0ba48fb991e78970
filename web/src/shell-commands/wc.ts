/** wc: counts in columns as wide as GNU's. */

import { toText } from "../shell-text";
import { read as bytesOf, Fault, tool } from "./command";

const OPTIONS = "c m l L w bytes=c chars=m lines=l max-line-length=L words=w total=0: 0:";
const ORDER = "lwmcL";
/** GNU's width for input whose size nobody knows beforehand. */
const WIDTH_OF_STREAMS = 7;

export const wc = tool("wc", OPTIONS, (given, context) => {
  const { rest } = given;
  const wanted = [...ORDER].filter((each) => given.has(each)).join("");
  const columns = [...ORDER].filter((each) => (wanted || "lwc").includes(each));
  const rows: { counts: number[]; name: string }[] = [];
  let stderr = "";
  let bytes = 0;
  for (const name of rest.length ? rest : [""]) {
    try {
      const data = bytesOf(context, name || "-");
      bytes += data.length;
      rows.push({ counts: columns.map((each) => COUNT[each]?.(data) ?? 0), name });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      stderr += `wc: ${error.message}\n`;
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
  return { text: text.join(""), errors: stderr };
});

const COUNT: Record<string, (bytes: string) => number> = {
  c: (bytes) => bytes.length,
  l: (bytes) => occurrences(bytes, "\n"),
  L: (bytes) =>
    Math.max(
      0,
      ...toText(bytes)
        .split("\n")
        .map((line) => [...line].length),
    ),
  m: (bytes) => [...toText(bytes)].length,
  w: (bytes) => toText(bytes).match(/\S+/g)?.length ?? 0,
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

function occurrences(text: string, wanted: string): number {
  let count = 0;
  for (let at = text.indexOf(wanted); at >= 0; at = text.indexOf(wanted, at + 1)) count += 1;
  return count;
}
