/** What build/just-bash.mjs opens of just-bash beyond its published types. */

import "just-bash/browser";

declare module "just-bash/browser" {
  type Inside = typeof import("./shell-inside");
  type Context = import("./shell-inside").InterpreterContext;

  export const Interpreter: {
    new (options: object, state: Context["state"]): import("./shell-inside").Interpreter;
    prototype: import("./shell-inside").Interpreter;
  };
  export const Parser: {
    new (): import("./shell-source").Parser;
    prototype: import("./shell-source").Parser;
  };
  /** What one execution has used of its limits. */
  export const Scope: new (limits: object, signal?: AbortSignal) => object;
  export const Exit: new (
    exitCode: number,
    stdout?: string,
    stderr?: string,
  ) => Thrown & { exitCode: number };
  export const ArithmeticError: new (message: string) => Thrown;
  export const NounsetError: new (name: string) => Thrown;
  /** What is thrown through a script carries the output until then. */
  export type Thrown = Error & {
    stdout: string;
    stderr: string;
    internalOutputAccounting: { stdout: number; stderr: number };
  };

  type Arithmetic = (
    context: Context,
    expression: import("./shell-syntax").SyntaxNode,
    more?: boolean,
  ) => Promise<number>;
  export const arithmetic: Arithmetic;
  export function replaceArithmetic(other: Arithmetic): void;
  export function replaceEncode(other: (text: string) => string): void;
  export function replaceDecode(other: (latin1: string) => string): void;
  export function replaceDecodeAtEnd(other: (text: string) => string): void;
  export function replaceByteLength(other: (text: string) => number): void;
  type ExpandVariable = (context: Context, name: string, check?: boolean, more?: boolean) => Promise<string>;
  export const expandVariable: ExpandVariable;
  export function replaceExpandVariable(other: ExpandVariable): void;
  type ExpandGlob = (context: Context, pattern: string) => Promise<string[]>;
  export const expandGlob: ExpandGlob;
  export function replaceExpandGlob(other: ExpandGlob): void;
  export function replaceQuote(other: (text: string) => string): void;
  type ExpandPart = (
    context: Context,
    part: import("./shell-syntax").SyntaxNode,
    quoted?: boolean,
  ) => Promise<string>;
  export const expandPart: ExpandPart;
  export function replaceExpandPart(other: ExpandPart): void;
  type Substitute = (
    context: Context,
    text: string,
    pattern: RegExp,
    replacement: string,
    all: boolean,
  ) => string;
  export const substitute: Substitute;
  export function replaceSubstitute(other: Substitute): void;
  export function replaceWordText(
    other: (parser: import("./shell-source").Parser, word: import("./shell-syntax").SyntaxNode) => string,
  ): void;
  export function expandWords(context: Context, word: object): Promise<{ values: string[] }>;
  type ArrayWord = (context: Context, word: import("./shell-syntax").SyntaxNode) => Promise<string | null>;
  export const arrayWord: ArrayWord;
  export function replaceArrayWord(other: ArrayWord): void;
  type ErrorIfUnset = (
    context: Context,
    name: string,
    operation: { word?: { parts: object[] } | null; checkEmpty: boolean },
    found: { isUnset: boolean; isEmpty: boolean; effectiveValue: string; inDoubleQuotes: boolean },
    expandParts: (context: Context, parts: object[], quoted: boolean) => Promise<string>,
  ) => Promise<string>;
  export function replaceErrorIfUnset(other: ErrorIfUnset): void;
  export function expandWord(context: Context, word: object): Promise<string>;
}
