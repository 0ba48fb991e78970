/** Streaming Markdown: what is finished is parsed once, only the growing end is looked at again. */

import DOMPurify from "dompurify";
import { Lexer, Marked, type Token, type Tokens } from "marked";
import { type CodeBlock, codeBlock } from "./code-block";

const marked = new Marked({ gfm: true });
const purify = DOMPurify(window);

const SAFE = {
  RETURN_DOM_FRAGMENT: true as const,
  ALLOW_ARIA_ATTR: false,
  ALLOW_DATA_ATTR: false,
  ALLOWED_TAGS:
    "a b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i img input kbd li mark ol p pre s samp small span strong sub summary sup table tbody td th thead tr u ul var".split(
      " ",
    ),
  ALLOWED_ATTR:
    "align alt checked class colspan disabled height href open rowspan src start title type width".split(" "),
};

/** Blocks in a group: a group out of sight costs the browser next to nothing. */
const GROUP = 24;

interface Block {
  raw: string;
  element: HTMLElement;
  /** Set when the block is a code block, which grows in place. */
  code?: CodeBlock;
}

/** Shows a text that grows at its end as Markdown in `root`. */
export class MarkdownView {
  /** How much of the text has been taken in. */
  #seen = 0;
  /** Text whose blocks may still change. */
  #open = "";
  #blocks: Block[] = [];
  #links: Tokens.Def[] = [];
  #settled = 0;
  #done = false;
  /** Where new blocks go. */
  #group: HTMLElement;

  constructor(private readonly root: HTMLElement) {
    this.#group = addGroup(root);
  }

  /** Show `text`, which begins with what was shown before. `done` says that nothing follows. */
  update(text: string, done: boolean): void {
    if (this.#done) return;
    this.#done = done;
    // The other half of a line ending may still come.
    const end = !done && text.endsWith("\r") ? text.length - 1 : text.length;
    this.#open += text.slice(this.#seen, end).replace(/\r\n?/g, "\n");
    this.#seen = end;
    const tokens = this.#lex();
    // A definition may come after its use.
    if (done && this.#settled && (this.#links.length || tokens.some((token) => token.type === "def"))) {
      this.#restart(text);
      return;
    }
    this.#show(tokens);
    const settled = tokens.slice(0, done ? tokens.length : settledTokens(tokens));
    for (const block of this.#blocks.splice(0, settled.length)) this.#settle(block);
    for (const token of settled) if (token.type === "def") this.#links.push(token as Tokens.Def);
    this.#open = this.#open.slice(settled.reduce((sum, token) => sum + token.raw.length, 0));
  }

  /** Finish a block. What comes after a full group goes into the next. */
  #settle(block: Block): void {
    block.code?.finish();
    if (++this.#settled % GROUP === 0) this.#group = addGroup(this.root);
  }

  #lex(): Token[] {
    const lexer = new Lexer(marked.defaults);
    for (const link of this.#links) lexer.tokens.links[link.tag] ??= link;
    return lexer.lex(this.#open);
  }

  /** Show a complete text from its beginning. */
  #restart(text: string): void {
    this.root.replaceChildren();
    this.#blocks = [];
    this.#links = [];
    this.#group = addGroup(this.root);
    this.#open = "";
    this.#done = false;
    this.#seen = this.#settled = 0;
    this.update(text, true);
  }

  /** Bring the blocks at the end up to date, keeping those that did not change. */
  #show(tokens: Token[]): void {
    tokens.forEach((token, index) => {
      const shown = this.#blocks[index];
      if (shown?.raw === token.raw) return;
      if (shown?.code && token.type === "code") {
        shown.code.update(token.text, token.lang);
        shown.raw = token.raw;
        return;
      }
      const block = render(token);
      if (shown) shown.element.replaceWith(block.element);
      else this.#group.append(block.element);
      this.#blocks[index] = block;
    });
    for (const extra of this.#blocks.splice(tokens.length)) extra.element.remove();
  }
}

/**
 * How many tokens can no longer change: all before the last one that has a whole line of its own, since a line
 * that is not complete may turn out to belong to the block before it.
 */
function settledTokens(tokens: Token[]): number {
  let last = tokens.findLastIndex((token) => token.type !== "space");
  if (last > 0 && !tokens[last]?.raw.includes("\n") && last === tokens.length - 1)
    last = tokens.slice(0, last).findLastIndex((token) => token.type !== "space");
  return Math.max(last, 0);
}

function addGroup(root: HTMLElement): HTMLElement {
  const group = document.createElement("div");
  group.className = "md-group";
  root.append(group);
  return group;
}

function render(token: Token): Block {
  if (token.type === "code") {
    const code = codeBlock(token.text, token.lang);
    return { raw: token.raw, element: code.element, code };
  }
  const element = document.createElement("div");
  element.className = "md-block";
  if (token.type === "space" || token.type === "def") element.hidden = true;
  else element.append(safe(marked.parser([token])));
  return { raw: token.raw, element };
}

/** Return HTML that loads nothing from anywhere and leads out in a new tab. */
function safe(html: string): DocumentFragment {
  const fragment = purify.sanitize(html, SAFE);
  // A reply must not be able to dress up as a part of the page; the class of code names its language.
  for (const dressed of fragment.querySelectorAll("[class]:not(pre > code)"))
    dressed.removeAttribute("class");
  for (const image of fragment.querySelectorAll("img")) {
    const source = image.getAttribute("src") ?? "";
    if (!source.startsWith("data:image/")) image.replaceWith(insteadOf(image, source));
  }
  for (const input of fragment.querySelectorAll("input")) if (input.type !== "checkbox") input.remove();
  for (const link of fragment.querySelectorAll("a")) {
    link.target = "_blank";
    link.rel = "noopener noreferrer";
  }
  for (const pre of fragment.querySelectorAll("pre")) {
    const language = /language-(\S+)/.exec(pre.querySelector("code")?.className ?? "")?.[1];
    const code = codeBlock((pre.textContent ?? "").replace(/\n$/, ""), language);
    pre.replaceWith(code.element);
    code.finish();
  }
  return fragment;
}

/** Pictures from elsewhere are named, not fetched. */
function insteadOf(image: HTMLImageElement, source: string): HTMLElement {
  const link = document.createElement("a");
  if (/^https?:/.test(source)) link.href = source;
  link.textContent = image.alt ? `image: ${image.alt}` : "image";
  link.title = source;
  return link;
}
