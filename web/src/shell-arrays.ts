/** Lists in `declare -A map=([key]="some words")` and `local list=($(ls))`, of which just-bash would lose parts. */

import { arrayWord, expandWord, expandWords, replaceArrayWord } from "just-bash/browser";
import type { InterpreterContext } from "./shell-inside";
import type { SyntaxNode } from "./shell-syntax";

const inner = arrayWord;

/** A list of words as just-bash's builtins read it. */
replaceArrayWord(async (context, word) => {
  const { list, elements } = word;
  if (!elements) return await inner(context, word);
  const shown: string[] = [];
  for (const each of whole(elements as SyntaxNode[])) {
    const keyed = await withKey(context, each);
    if (keyed !== undefined) shown.push(keyed);
    else for (const value of (await expandWords(context, each)).values) shown.push(inQuotes(value));
  }
  return `${list}=(${shown.join(" ")})`;
});

/** A key may have blanks, where words were parted. */
function whole(words: SyntaxNode[]): SyntaxNode[] {
  const all: SyntaxNode[] = [];
  for (const word of words) {
    const last = all.at(-1);
    if (!last || !/^\[(?!.*\]=)/s.test(plainly(last)) || !/\]=/.test(plainly(word))) all.push(word);
    else {
      const blank = { type: "Literal", value: " " };
      all.splice(-1, 1, { ...last, parts: [...partsOf(last), blank, ...partsOf(word)] });
    }
  }
  return all;
}

/** A piece of an element; what stood in quotes or was expanded is no part of the list's syntax. */
interface Piece {
  text: string;
  bare: boolean;
}

async function withKey(context: InterpreterContext, word: SyntaxNode): Promise<string | undefined> {
  if (!/^\[.+\]=/s.test(plainly(word))) return undefined;
  const pieces: Piece[] = [];
  for (const part of partsOf(word)) {
    const plain = bare(part);
    if (plain === undefined)
      pieces.push({ text: await expandWord(context, { type: "Word", parts: [part] }), bare: false });
    else for (const text of plain) pieces.push({ text, bare: true });
  }
  const is = (at: number, text: string) => pieces[at]?.bare === true && pieces[at].text === text;
  const end = pieces.findIndex((_, at) => is(at, "]") && is(at + 1, "="));
  const text = (some: Piece[]) => some.map((each) => each.text).join("");
  const key = text(pieces.slice(1, end));
  const quote = key.includes("'") ? '"' : "'";
  return `[${quote}${key}${quote}]=${inQuotes(text(pieces.slice(end + 2)))}`;
}

function partsOf(word: SyntaxNode): SyntaxNode[] {
  return word.parts as SyntaxNode[];
}

function plainly(word: SyntaxNode): string {
  return partsOf(word)
    .map((part) => bare(part) ?? "\0")
    .join("");
}

function bare({ type, value, pattern }: SyntaxNode): string | undefined {
  return type === "Literal" || type === "Glob" ? String(value ?? pattern) : undefined;
}

function inQuotes(text: string): string {
  return `"${text.replace(/[\\"]/g, "\\$&")}"`;
}
