/** The terminal's engine: xterm.js, fitted to its place. Loaded beside the kernel. */

import { FitAddon } from "@xterm/addon-fit";
import { Unicode11Addon } from "@xterm/addon-unicode11";
import { WebLinksAddon } from "@xterm/addon-web-links";
import { type ITheme, Terminal } from "@xterm/xterm";

const LIGHT: ITheme = {
  background: "#ffffff",
  foreground: "#1c2530",
  cursor: "#0b7567",
  cursorAccent: "#ffffff",
  selectionBackground: "#bfe3dc",
  scrollbarSliderBackground: "#5a667540",
  scrollbarSliderHoverBackground: "#5a667580",
  scrollbarSliderActiveBackground: "#5a6675a0",
  black: "#1c2530",
  red: "#b3261e",
  green: "#1a6e3c",
  yellow: "#805300",
  blue: "#1d5fb8",
  magenta: "#8a3ea8",
  cyan: "#0b6e78",
  white: "#5a6675",
  brightBlack: "#667282",
  brightRed: "#c43a31",
  brightGreen: "#1f7d45",
  brightYellow: "#8f5e00",
  brightBlue: "#2a6fcc",
  brightMagenta: "#9b4dba",
  brightCyan: "#0d7d88",
  brightWhite: "#1c2530",
};

const DARK: ITheme = {
  background: "#161c22",
  foreground: "#e3e8ed",
  cursor: "#42d3ba",
  cursorAccent: "#161c22",
  selectionBackground: "#23504a",
  scrollbarSliderBackground: "#98a5b340",
  scrollbarSliderHoverBackground: "#98a5b380",
  scrollbarSliderActiveBackground: "#98a5b3a0",
  black: "#3a4652",
  red: "#ff8f85",
  green: "#63d391",
  yellow: "#e9bd6b",
  blue: "#7fb6ff",
  magenta: "#d9a1f0",
  cyan: "#62d4de",
  white: "#cfd6dd",
  brightBlack: "#8b98a6",
  brightRed: "#ffaaa2",
  brightGreen: "#86e3ab",
  brightYellow: "#f4d08d",
  brightBlue: "#a3ccff",
  brightMagenta: "#e8c0f8",
  brightCyan: "#8ae6ee",
  brightWhite: "#ffffff",
};

/**
 * Open a terminal in `place`; it follows the place's size and the page's colours from then on. Tab leaves it unless
 * `takesTab` says that it is wanted.
 */
export function openTerminal(place: HTMLElement, takesTab: () => boolean): Terminal {
  const terminal = new Terminal({
    // Widths of characters are one of those.
    allowProposedApi: true,
    convertEol: true,
    cursorBlink: !matchMedia("(prefers-reduced-motion: reduce)").matches,
    fontFamily: getComputedStyle(place).getPropertyValue("--mono"),
    fontSize: 13,
    lineHeight: 1.25,
    minimumContrastRatio: 4.5,
    screenReaderMode: true,
    scrollback: 5000,
    theme: isDark() ? DARK : LIGHT,
  });
  const fit = new FitAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = "11";
  terminal.loadAddon(new WebLinksAddon((_event, uri) => open(uri, "_blank", "noopener,noreferrer")));
  terminal.attachCustomKeyEventHandler((event) => isForTerminal(event, terminal, takesTab));
  terminal.open(place);
  // The next Ctrl-C stops a command again.
  place.addEventListener("copy", () => setTimeout(() => terminal.clearSelection()));
  takeInsertedText(terminal);
  new ResizeObserver(() => place.clientWidth > 0 && fit.fit()).observe(place);
  const recolour = () => {
    terminal.options.theme = isDark() ? DARK : LIGHT;
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolour);
  new MutationObserver(recolour).observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return terminal;
}

/** For screen readers xterm.js leaves text that no key sent, an emoji picker's for instance, in its text field. */
function takeInsertedText(terminal: Terminal): void {
  let keyDown = false;
  const { textarea } = terminal;
  textarea?.addEventListener("keydown", () => {
    keyDown = true;
  });
  textarea?.addEventListener("keyup", () => {
    keyDown = false;
  });
  textarea?.addEventListener("input", (event) => {
    const { inputType, data, isComposing } = event as InputEvent;
    if (inputType === "insertText" && data && !keyDown && !isComposing) terminal.input(data);
  });
}

/** Copying and pasting are the browser's, and so is Tab where there is nothing to complete. */
function isForTerminal(event: KeyboardEvent, terminal: Terminal, takesTab: () => boolean): boolean {
  if (event.key === "Tab") return !event.shiftKey && takesTab();
  const command = event.ctrlKey || event.metaKey;
  const key = event.key.toLowerCase();
  return !(command && (key === "v" || (key === "c" && (event.shiftKey || terminal.hasSelection()))));
}

function isDark(): boolean {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}
