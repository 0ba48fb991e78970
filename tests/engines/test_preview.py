"""What pages do in each engine, a preview of them does."""

import json

from tests.engines.driver import Page

PAGE = """<!doctype html>
<html><body>
<script>document.write("<p id=wri"); document.write("tten>writ", "ten</p>");</script>
<button id="inline" onclick="this.textContent = 'clicked'">inline</button>
<p id="text">An iframe's srcdoc is left out</p>
<iframe srcdoc="<script>parent.postMessage('framed', '*')</script>"></iframe>
<div id="root"></div>
<script type="module" src="/main.tsx"></script>
</body></html>
"""

MAIN = """
import { createRoot } from "react-dom/client";
import { flushSync } from "react-dom";

const root = document.getElementById("root")!;
const place = () => root.parentElement!.appendChild(document.createElement("div"));
const script = (code: string) => URL.createObjectURL(new Blob([code], { type: "text/javascript" }));
const answer = (worker: Worker) =>
  new Promise((resolve, reject) => {
    worker.onmessage = ({ data }) => resolve(data);
    worker.onerror = ({ message }) => reject(new Error(message));
  });
const load = (element: HTMLElement) =>
  new Promise((resolve, reject) => {
    element.onload = resolve;
    element.onerror = () => reject(new Error("not loaded"));
  });
const frames: unknown[] = [];
addEventListener("message", ({ data }) => frames.push(data));

const deeds: Record<string, () => unknown> = {
  written: () => document.getElementById("written")!.textContent,
  inline() {
    const button = document.getElementById("inline")!;
    button.click();
    return button.textContent;
  },
  innerHtml() {
    const made = place();
    made.innerHTML = "<b title='x'>bo</b><svg><path d='M0 0'/></svg>";
    made.insertAdjacentHTML("beforeend", "<i>ld</i>");
    return made.textContent + made.querySelector("path")!.namespaceURI!.slice(-3);
  },
  letters() {
    const made = place();
    for (const letter of ["s", "src", "srcdo"]) made.innerHTML += letter;
    return made.innerHTML;
  },
  react() {
    const app = createRoot(root);
    const html = { __html: "<em>set</em>" };
    flushSync(() => app.render(<><p dangerouslySetInnerHTML={html} /><iframe title="none" srcDoc="<p>" /></>));
    return root.querySelector("em")!.textContent;
  },
  attributes() {
    const made = place();
    made.setAttribute("onclick", "this.title = 6 * 7");
    made.setAttributeNS("http://www.w3.org/1999/xlink", "xlink:href", "#a");
    made.toggleAttribute("hidden");
    made.setAttributeNode(document.createAttribute("data-x"));
    made.click();
    return [made.title, made.getAttribute("xlink:href"), made.hidden, made.dataset.x];
  },
  evaluated: () => [(0, eval)("6 * 7"), new Function("a", "return a * 7")(6)],
  later: () => new Promise((resolve) => { Object.assign(window, { resolve }); setTimeout("resolve(42)"); }),
  imported: async () => (await import(script("export default 42"))).default,
  importedData: async () => (await import("data:text/javascript,export default 42" as string)).default,
  async scriptElement() {
    const inline = document.createElement("script");
    inline.textContent = "window.inlined = 42";
    const loaded = Object.assign(document.createElement("script"), { src: script("window.loaded = 42") });
    document.head.append(inline, loaded);
    await load(loaded);
    const { inlined, loaded: more } = window as unknown as Record<string, number>;
    return [inlined, more];
  },
  styled() {
    const style = document.createElement("style");
    style.textContent = "#root { color: rgb(1, 2, 3) }";
    document.head.append(style);
    style.sheet!.insertRule("#root { top: 4px }");
    return [getComputedStyle(root).color, getComputedStyle(root).top];
  },
  worker: () => answer(new Worker(script("'use strict'; postMessage([eval('6 * 7'), new Function('return 42')()])"))),
  workerOfFile: () => answer(new Worker(new URL("./worker.ts", import.meta.url), { type: "module" })),
  parsed() {
    const html = new DOMParser().parseFromString("<p>html", "text/html").querySelector("p")!.textContent;
    const svg = new DOMParser().parseFromString("<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml");
    return [html, svg.documentElement.localName, document.createRange().createContextualFragment("<b>x").textContent];
  },
  async requested() {
    const request = new XMLHttpRequest();
    request.open("GET", script("[42]"));
    request.responseType = "json";
    request.send();
    await new Promise((resolve) => request.addEventListener("load", resolve));
    return request.response;
  },
  policy() {
    const { trustedTypes } = window as { trustedTypes?: { createPolicy(name: string, rules: object): any } };
    const policy = trustedTypes?.createPolicy("own", { createHTML: (html: string) => html });
    const made = place();
    made.innerHTML = policy ? policy.createHTML("<b>x</b>") : "<b>x</b>";
    return made.textContent;
  },
  text: () => document.getElementById("text")!.innerText.replace("\\u200c", ""),
};

const results: Record<string, unknown> = {};
for (const [name, deed] of Object.entries(deeds)) {
  try {
    results[name] = await deed();
  } catch (error) {
    results[name] = String(error);
  }
}
console.log("did " + JSON.stringify({ ...results, frames }));
"""

EXPECTED = {
    "written": "written",
    "inline": "clicked",
    "innerHtml": "boldsvg",
    "letters": "ssrcsrcdo",
    "react": "set",
    "attributes": ["42", "#a", True, ""],
    "evaluated": [42, 42],
    "later": 42,
    "imported": 42,
    "importedData": 42,
    "scriptElement": [42, 42],
    "styled": ["rgb(1, 2, 3)", "4px"],
    "worker": [42, 42],
    "workerOfFile": 42,
    "parsed": ["html", "svg", "x"],
    "requested": [42],
    "policy": "x",
    "text": "An iframe's srcdoc is left out",
    "frames": [],
}

SHOW = """async (files) => {
  const sandbox = await inbrowser.openSandbox();
  for (const [path, text] of Object.entries(files)) await sandbox.fs.write(path, text);
  const told = [];
  const did = new Promise((resolve) => sandbox.on((event) => {
    if (event.type === "preview:error") told.push(event.message);
    if (event.type === "preview:console" && event.level === "warn") told.push(event.text);
    if (event.type === "preview:console" && event.text.startsWith("did ")) resolve(event.text.slice(4));
  }));
  const place = document.getElementById("app");
  place.style = "width: 400px; height: 300px";
  const mounted = sandbox.services.preview.mount(place);
  const built = await sandbox.services.preview.compile();
  const results = built.ok ? await did : JSON.stringify(built);
  mounted.unmount();
  await sandbox.destroy();
  return { results, told };
}"""


def test_a_page_does_in_a_preview_what_it_does_elsewhere(host: Page) -> None:
    files = {
        "index.html": PAGE,
        "main.tsx": MAIN,
        "worker.ts": "postMessage((0, eval)('6 * 7'));",
    }
    shown = host.evaluate(SHOW, files)
    assert json.loads(shown["results"]) == EXPECTED
    assert shown["told"]
    assert {text.split(":")[0] for text in shown["told"]} == {"A preview shows no frames"}
