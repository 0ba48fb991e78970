/** The workbench page. */

import "@xterm/xterm/css/xterm.css";
import "./styles/theme.css";
import "./styles/controls.css";
import "./styles/layout.css";
import "./styles/chat.css";
import "./styles/panes.css";
import "./workbench";

document.body.append(document.createElement("inb-workbench"));

/** Keeps the page for visits without a network; there is none on hosts that are neither https nor local. */
navigator.serviceWorker?.register(new URL("./sw.js", import.meta.url)).catch((error: unknown) => {
  console.info("inbrowser: this page will need a network next time too.", error);
});
