/** The editor's engine: CodeMirror. Loaded when the first file is opened. */

import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { foldGutter, syntaxHighlighting } from "@codemirror/language";
import {
  Annotation,
  Compartment,
  EditorState,
  StateEffect,
  StateField,
  Transaction,
} from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  EditorView,
  highlightSpecialChars,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { classHighlighter } from "@lezer/highlight";
import { languageOfFile } from "./languages";

/** How long changed lines stay marked. */
const MARK_MS = 1600;

const language = new Compartment();
const label = new Compartment();
const access = new Compartment();
/** Marks what was not typed. */
const shown = Annotation.define<boolean>();
const mark = StateEffect.define<{ from: number; to: number } | null>();

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(decorations, transaction) {
    for (const effect of transaction.effects)
      if (effect.is(mark)) return lineMarks(transaction.state, effect.value);
    return decorations.map(transaction.changes);
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Shows one text at a time in `parent`. */
export class CodeView {
  readonly #view: EditorView;
  #path = "";
  #unmark: ReturnType<typeof setTimeout> | undefined;

  readonly #extensions;
  #writable = false;

  /** `typed` is told the whole text after each edit, and `save` when the visitor asks for it. */
  constructor(parent: HTMLElement, typed: (text: string) => void, save: () => void) {
    this.#extensions = [
      lineNumbers(),
      foldGutter(),
      highlightSpecialChars(),
      syntaxHighlighting(classHighlighter),
      history(),
      keymap.of([
        {
          key: "Mod-s",
          run: () => {
            save();
            return true;
          },
        },
        ...defaultKeymap,
        ...historyKeymap,
        indentWithTab,
      ]),
      EditorView.updateListener.of(({ docChanged, transactions, state }) => {
        if (docChanged && !transactions.some((each) => each.annotation(shown))) typed(state.doc.toString());
      }),
      access.of([]),
      language.of([]),
      label.of([]),
      marks,
    ];
    this.#view = new EditorView({ parent, state: EditorState.create({ extensions: this.#extensions }) });
  }

  /** Show the text of a file. Another version of the shown file keeps the place and marks what changed. */
  show(path: string, text: string, reveal: boolean, writable: boolean): void {
    if (path !== this.#path) {
      // Undo must not lead from one file into another.
      this.#view.setState(EditorState.create({ doc: "", extensions: this.#extensions }));
      this.#writable = !writable;
    }
    if (writable !== this.#writable || path !== this.#path) {
      this.#writable = writable;
      const rules = writable ? [] : [EditorState.readOnly.of(true), EditorView.editable.of(false)];
      this.#view.dispatch({ effects: [access.reconfigure(rules), label.reconfigure(named(path, writable))] });
    }
    const state = this.#view.state;
    const same = path === this.#path;
    const change = difference(state.doc.toString(), text.replace(/\r\n?/g, "\n"));
    if (same && !change) return;
    const marked = same && change ? { from: change.from, to: change.from + change.insert.length } : null;
    this.#view.dispatch({
      ...(change && { changes: change }),
      annotations: [shown.of(true), Transaction.addToHistory.of(same)],
      effects: [
        mark.of(marked),
        ...(marked && reveal ? [EditorView.scrollIntoView(marked.from, { y: "center" })] : []),
        ...(same ? [] : [EditorView.scrollIntoView(0), language.reconfigure([])]),
      ],
    });
    clearTimeout(this.#unmark);
    if (marked) this.#unmark = setTimeout(() => this.#view.dispatch({ effects: mark.of(null) }), MARK_MS);
    if (same) return;
    this.#path = path;
    void this.#colour(path);
  }

  /** Scroll a line into sight; lines count from 1. */
  reveal(line: number): void {
    const { doc } = this.#view.state;
    const { from } = doc.line(Math.min(Math.max(line, 1), doc.lines));
    this.#view.dispatch({
      effects: [EditorView.scrollIntoView(from, { y: "center" }), mark.of({ from, to: from })],
    });
  }

  async #colour(path: string): Promise<void> {
    const support = await languageOfFile(path);
    if (support && path === this.#path) this.#view.dispatch({ effects: language.reconfigure(support) });
  }
}

function named(path: string, writable: boolean) {
  return EditorView.contentAttributes.of({
    "aria-label": `Content of ${path}`,
    "aria-readonly": String(!writable),
    tabindex: "0",
  });
}

function lineMarks(state: EditorState, range: { from: number; to: number } | null): DecorationSet {
  if (!range) return Decoration.none;
  const first = state.doc.lineAt(range.from).number;
  const last = state.doc.lineAt(Math.min(range.to, state.doc.length)).number;
  const line = Decoration.line({ class: "cm-changed" });
  const ranges = Array.from({ length: last - first + 1 }, (_, index) =>
    line.range(state.doc.line(first + index).from),
  );
  return Decoration.set(ranges);
}

/** The one span in which two texts differ. */
function difference(old: string, next: string): { from: number; to: number; insert: string } | undefined {
  if (old === next) return undefined;
  const shorter = Math.min(old.length, next.length);
  let from = 0;
  while (from < shorter && old[from] === next[from]) from++;
  let end = 0;
  while (end < shorter - from && old[old.length - 1 - end] === next[next.length - 1 - end]) end++;
  return { from, to: old.length - end, insert: next.slice(from, next.length - end) };
}
