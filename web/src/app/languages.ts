/** Languages of the viewer and of code blocks, by file extension or usual name, each loaded when first met. */

import type { LanguageSupport } from "@codemirror/language";

type Load = () => Promise<LanguageSupport>;

const javascript =
  (options: { jsx?: boolean; typescript?: boolean }): Load =>
  async () =>
    (await import("@codemirror/lang-javascript")).javascript(options);
const css: Load = async () => (await import("@codemirror/lang-css")).css();
const html: Load = async () => (await import("@codemirror/lang-html")).html();
const json: Load = async () => (await import("@codemirror/lang-json")).json();
const markdown: Load = async () => (await import("@codemirror/lang-markdown")).markdown();
const python: Load = async () => (await import("@codemirror/lang-python")).python();

const LANGUAGES = new Map<string, Load>(
  Object.entries({
    css,
    htm: html,
    html,
    svg: html,
    xml: html,
    cjs: javascript({ jsx: true }),
    javascript: javascript({ jsx: true }),
    js: javascript({ jsx: true }),
    jsx: javascript({ jsx: true }),
    mjs: javascript({ jsx: true }),
    cts: javascript({ typescript: true }),
    mts: javascript({ typescript: true }),
    ts: javascript({ typescript: true }),
    typescript: javascript({ typescript: true }),
    tsx: javascript({ jsx: true, typescript: true }),
    json,
    webmanifest: json,
    markdown,
    md: markdown,
    py: python,
    pyi: python,
    python,
  }),
);

/** Return the language called `name`, or undefined where we have none. */
export async function loadLanguage(name: string): Promise<LanguageSupport | undefined> {
  return LANGUAGES.get(name.toLowerCase())?.();
}

/** Return the language of a file, by its extension. */
export function languageOfFile(path: string): Promise<LanguageSupport | undefined> {
  return loadLanguage(/\.([^./]+)$/.exec(path)?.[1] ?? "");
}
