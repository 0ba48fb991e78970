/** Lists with keys in `declare -A map=([key]="some words")`, whose words just-bash would lose. */

import { arrayWord, expandWord, replaceArrayWord } from "just-bash/browser";
import type { InterpreterContext } from "./shell-inside";
import type { SyntaxNode } from "./shell-syntax";

const inner = arrayWord;

replaceArrayWord(async (context, word) => (await withKeys(context, word)) ?? (await inner(context, word)));

/** A piece of an element; what stood in quotes or was expanded is no part of the list's syntax. */
interface Piece {
  text: string;
  bare: boolean;
}

/** The word as just-bash's builtins read it; undefined where not each element has a key. */
async function withKeys(context: InterpreterContext, word: SyntaxNode): Promise<string | undefined> {
  const parts = word.parts as SyntaxNode[];
  const [, name] = /^(\w+)=\(\s*\[.*\)$/s.exec(parts.map((part) => bare(part) ?? "\0").join("")) ?? [];
  if (!name) return undefined;
  const pieces: Piece[] = [];
  for (const part of parts) {
    if (part.type === "BraceExpansion") return undefined;
    const plain = bare(part);
    if (plain === undefined)
      pieces.push({ text: await expandWord(context, { type: "Word", parts: [part] }), bare: false });
    else for (const text of plain) pieces.push({ text, bare: true });
  }
  const shown = elements(pieces.slice(name.length + 2, -1)).map(keyed);
  return shown.includes(undefined) ? undefined : `${name}=(${shown.join(" ")})`;
}

function bare({ type, value, pattern }: SyntaxNode): string | undefined {
  return type === "Literal" || type === "Glob" ? String(value ?? pattern) : undefined;
}

function elements(pieces: Piece[]): Piece[][] {
  const all: Piece[][] = [[]];
  for (const piece of pieces)
    if (piece.bare && /\s/.test(piece.text)) all.push([]);
    else all.at(-1)?.push(piece);
  return all.filter(({ length }) => length);
}

function keyed(pieces: Piece[]): string | undefined {
  const is = (at: number, text: string) => pieces[at]?.bare === true && pieces[at].text === text;
  const end = pieces.findIndex((_, at) => is(at, "]") && is(at + 1, "="));
  if (!is(0, "[") || end < 0) return undefined;
  const text = (some: Piece[]) => some.map((each) => each.text).join("");
  const [key, value] = [text(pieces.slice(1, end)), text(pieces.slice(end + 2))];
  if (key.includes("'") && key.includes('"')) return undefined;
  const quote = key.includes("'") ? '"' : "'";
  return `[${quote}${key}${quote}]="${value.replace(/[\\"]/g, "\\$&")}"`;
}
