/** A block of code in the chat: its language, a button that copies it, and colours once it is complete. */

/** Longer code stays plain. */
const HIGHLIGHT_LIMIT = 60_000;

export interface CodeBlock {
  readonly element: HTMLElement;
  /** Show other code, cheaply when it begins with what is shown. */
  update(code: string, language?: string): void;
  /** The code is complete. */
  finish(): void;
}

/** Build a block that shows `code`. */
export function codeBlock(code: string, language?: string): CodeBlock {
  const element = document.createElement("div");
  element.className = "code-block";
  const name = document.createElement("span");
  const pre = document.createElement("pre");
  const content = document.createElement("code");
  const text = document.createTextNode(code);
  content.append(text);
  pre.append(content);
  pre.tabIndex = 0;
  const bar = document.createElement("div");
  bar.className = "code-bar";
  bar.append(
    name,
    copyButton(() => content.textContent ?? ""),
  );
  element.append(bar, pre);
  name.textContent = language ?? "";
  return {
    element,
    update(next, nextLanguage) {
      name.textContent = nextLanguage ?? "";
      if (next.startsWith(text.data)) text.appendData(next.slice(text.data.length));
      else text.data = next;
    },
    finish() {
      if (name.textContent && text.data.length < HIGHLIGHT_LIMIT) void colour(content, name.textContent);
    },
  };
}

async function colour(content: HTMLElement, language: string): Promise<void> {
  const { highlighted } = await import("./highlight");
  const fragment = await highlighted(content.textContent ?? "", language);
  if (fragment) content.replaceChildren(fragment);
}

/** A button that copies what `read` returns. */
export function copyButton(read: () => string): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "quiet small";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(read());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Not allowed"; // The browser or the visitor said no.
    }
    setTimeout(() => {
      button.textContent = "Copy";
    }, 1500);
  });
  return button;
}
