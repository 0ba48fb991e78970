/** The workbench page. */

import "@xterm/xterm/css/xterm.css";
import "./styles/theme.css";
import "./styles/controls.css";
import "./styles/top-bar.css";
import "./styles/layout.css";
import "./styles/pane.css";
import "./styles/chat.css";
import "./styles/message.css";
import "./styles/markdown.css";
import "./styles/tool-card.css";
import "./styles/composer.css";
import "./styles/files.css";
import "./styles/editor.css";
import "./styles/syntax.css";
import "./styles/preview.css";
import "./styles/terminal.css";
import "./styles/timeline.css";
import "./styles/checkpoints.css";
import "./styles/settings.css";
import "./workbench";

document.body.append(document.createElement("inb-workbench"));

// A file that is dropped beside the place for it would take the place of the page, and of all that is in it.
const refuse = (event: DragEvent) => {
  if (event.defaultPrevented || !event.dataTransfer?.types.includes("Files")) return;
  event.preventDefault();
  event.dataTransfer.dropEffect = "none";
};
addEventListener("dragover", refuse);
addEventListener("drop", refuse);

/** Keeps the page for visits without a network; there is none on hosts that are neither https nor local. */
navigator.serviceWorker?.register(new URL("./sw.js", import.meta.url)).catch((error: unknown) => {
  console.info("inbrowser: this page will need a network next time too.", error);
});
