/** Syntax colours outside the editor. Loaded when first needed: the parsers are most of the page's code. */

import { classHighlighter, highlightCode } from "@lezer/highlight";
import { loadLanguage } from "./languages";

/** Return the code with its words in `tok-...` spans, or undefined for a language that we do not know. */
export async function highlighted(code: string, language: string): Promise<DocumentFragment | undefined> {
  const support = await loadLanguage(language);
  if (!support) return undefined;
  const fragment = document.createDocumentFragment();
  highlightCode(
    code,
    support.language.parser.parse(code),
    classHighlighter,
    (text, classes) => {
      if (!classes) return fragment.append(text);
      const span = document.createElement("span");
      span.className = classes;
      span.textContent = text;
      fragment.append(span);
    },
    () => fragment.append("\n"),
  );
  return fragment;
}
