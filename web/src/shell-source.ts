/** just-bash's parser, brought to read what it would refuse or misread, and to mend each tree before it runs. */

import { Parser as Inner, replaceWordText } from "just-bash/browser";
import { SHIFT } from "./shell-arithmetic";
import { ARITHMETIC_TEXT, literalWords, mend, type Script, type SyntaxNode } from "./shell-syntax";
import { decodeBytes } from "./shell-text";

interface Token {
  type: string;
  value: string;
  start: number;
  end: number;
}

/** Only what is used here. */
export interface Parser {
  tokens: Token[];
  pos: number;
  _input: string;
  parse(source: string, options?: object): Script;
  parseCommand(): SyntaxNode;
  parseArithmeticCommand(): SyntaxNode;
  parseArithmeticExpression(text: string): SyntaxNode;
  parseOptionalRedirections(): SyntaxNode[];
  parseWordFromString(text: string, quoted?: boolean, ...more: unknown[]): SyntaxNode;
  error(message: string): never;
}

const { parse, parseCommand, parseWordFromString } = Inner.prototype;
const LISTED = "\ue001";

Inner.prototype.parse = function (source, options) {
  return mend(parse.call(this, rewritten(source), options));
};

/** Words of a list that is an argument; just-bash makes text of them, and then a word of that. */
const listed: SyntaxNode[] = [];

replaceWordText((_, word) => {
  listed.push(word);
  return LISTED;
});

Inner.prototype.parseWordFromString = function (...given) {
  if (!listed.length || !given[0].includes(LISTED)) return mend(parseWordFromString.apply(this, given));
  const list = given[0].slice(0, given[0].indexOf("=("));
  return mend({
    type: "Word",
    list,
    elements: listed.splice(0),
    parts: [{ type: "Literal", value: `${list}=()` }],
  });
};

Inner.prototype.parseCommand = function () {
  const token = this.tokens[this.pos];
  if (token?.value !== "select") return parseCommand.call(this);
  this.tokens[this.pos] = { ...token, type: forToken() };
  return menu(mend(parseCommand.call(this)), this.pos);
};

/** Expressions are kept as text, for our own arithmetic. */
Inner.prototype.parseArithmeticExpression = (text) => ({
  type: "ArithmeticExpression",
  expression: { type: ARITHMETIC_TEXT, text },
});

/** The text between `((` and `))` as it stands, whatever it would mean elsewhere. */
Inner.prototype.parseArithmeticCommand = function () {
  const from = (this.tokens[this.pos] as Token).start + 2;
  let at = from;
  for (let open = 0; open || !this._input.startsWith("))", at); at++) {
    if (at >= this._input.length) this.error("syntax error: `))' expected");
    const each = this._input[at];
    if (each === "\\") at += 1;
    else if (each === "(") open += 1;
    else if (each === ")") open -= 1;
  }
  while (this.pos < this.tokens.length - 1 && (this.tokens[this.pos] as Token).end <= at + 2) this.pos += 1;
  const expression = this.parseArithmeticExpression(this._input.slice(from, at));
  return { type: "ArithmeticCommand", expression, redirections: this.parseOptionalRedirections() };
};

/** Parse a script; what comes is mended already. */
export function parseScript(source: string): Script {
  return new Inner().parse(source);
}

let typeOfFor = "";
function forToken(): string {
  if (!typeOfFor) {
    const parser = new Inner();
    parser.parse("for x in a; do :; done");
    typeOfFor = (parser.tokens[0] as Token).type;
  }
  return typeOfFor;
}

/** `select` in terms of other commands. */
const MENU = `{
  __select=(__words)
  if ((\${#__select[@]})); then
    REPLY=
    while
      while
        [[ $REPLY ]] ||
          for ((__i = 1; __i <= \${#__select[@]}; __i++)); do echo "$__i) \${__select[__i - 1]}" >&2; done
        printf %s "\${PS3-#? }" >&2
        IFS= read -r REPLY && [[ ! $REPLY ]]
      do :; done
      [[ $REPLY ]] || { echo; false; }
    do
      __name=
      [[ $REPLY =~ ^[[:space:]]*[0-9]+[[:space:]]*$ ]] && ((REPLY > 0)) && __name=\${__select[REPLY - 1]}
      { __body; }
    done
    [[ $REPLY ]]
  fi
}`;

function menu(loop: SyntaxNode, place: number): SyntaxNode {
  const fill = (part: unknown): unknown => {
    if (Array.isArray(part))
      return part.flatMap((each) =>
        isNamed(each, "__words")
          ? (loop.words as unknown[])
          : isNamed(each, "__body")
            ? (loop.body as unknown[])
            : [fill(each)],
      );
    if (typeof part !== "object" || part === null) return part;
    const entries = Object.entries(part).map(([name, value]) => [
      name,
      value === "__name" ? loop.variable : fill(value),
    ]);
    return Object.fromEntries(entries);
  };
  const [statement] = parseScript(MENU.replaceAll("__select", `__select${place}`)).statements as unknown as [
    { pipelines: [{ commands: [SyntaxNode] }] },
  ];
  return { ...(fill(statement.pipelines[0].commands[0]) as SyntaxNode), redirections: loop.redirections };
}

function isNamed(part: unknown, name: string): boolean {
  const node = part as SyntaxNode | null;
  if (node?.type === "Word") return literalWords({ type: "", name: node })[0] === name;
  return node?.type === "Statement" && node.sourceText === name;
}

function rewritten(source: string): string {
  let text = source;
  if (text.includes("~}"))
    text = text.replace(/\$\{(\w+)(~~?)\}/g, (_, name, twice) => `$(__swapcase ${twice} "$${name}")`);
  if (text.includes("$'")) text = text.replace(/\$'(?:[^'\\]|\\.)*'/gs, withBytes);
  if (text.includes("<<") && text.includes("(("))
    text = text.replace(/(^|[\s;&|!({])\(\((?:[^()'"`\n]|\((?:[^()]|\([^()]*\))*\))*\)\)/g, (each) =>
      each.replaceAll("<<", SHIFT),
    );
  return text;
}

/** Bytes above 127 in `$'...'`, which would otherwise become characters. */
function withBytes(quoted: string): string {
  return quoted.replace(/(?:\\x[89a-fA-F][0-9a-fA-F]|\\[23][0-7]{2})+/g, (bytes, at: number) => {
    const escaped = /\\*$/.exec(quoted.slice(0, at))?.[0].length ?? 0;
    if (escaped % 2) return bytes;
    const values = [...bytes.matchAll(/\\x(..)|\\(...)/g)].map(([, hex, octal]) =>
      hex ? Number.parseInt(hex, 16) : Number.parseInt(octal as string, 8),
    );
    return decodeBytes(Uint8Array.from(values));
  });
}
