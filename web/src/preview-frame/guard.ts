/**
 * The outer of two frames, for hosts whose own policy lets frames navigate: here is one that does not (see preview.ts).
 */

import { checkHtml } from "./frames";
import type { Greeting } from "./messages";

/** Put the inner frame in place and hand greetings on, in both directions. */
export function guard(nonce: string, innerHtml: string): void {
  checkHtml((html) => html);
  const inner = document.createElement("iframe");
  inner.setAttribute("sandbox", "allow-scripts allow-forms");
  inner.title = "Previewed page";
  inner.srcdoc = innerHtml;
  addEventListener("message", (event: MessageEvent<Greeting>) => {
    if (event.data?.nonce !== nonce) return;
    if (event.source === inner.contentWindow) parent.postMessage(event.data, "*");
    else if (event.source === parent) inner.contentWindow?.postMessage(event.data, "*", [...event.ports]);
  });
  document.body.append(inner);
}
