/**
 * Runs in a preview's frames, as the text of their one script: as the guard in an outer frame, where there is one;
 * in the inner it shows the page. Previewed code shares that frame with it, so isolation relies on nothing here but that WebRTC is not to be had (see frames.ts).
 */

import { forbidFrames } from "./preview-frame/frames";
import { guard } from "./preview-frame/guard";
import type { FromFrame, Greeting, ToFrame } from "./preview-frame/messages";
import { Reports } from "./preview-frame/reports";
import { installCookies, installStandIns, installStorage } from "./preview-frame/storage";
import { installWorkers } from "./preview-frame/workers";

const TYPES: Record<string, string> = {
  js: "text/javascript",
  css: "text/css",
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  mp4: "video/mp4",
  mp3: "audio/mpeg",
};

const script = document.currentScript as HTMLScriptElement;
const nonce = script.dataset.nonce ?? "";

if (script.dataset.inner !== undefined) waitForPort();
else guard(nonce, document.documentElement.outerHTML.replace("data-nonce", "data-inner data-nonce"));

function waitForPort(): void {
  addEventListener("message", function first(event: MessageEvent<Greeting>) {
    const [port] = event.ports;
    if (event.source !== parent || event.data?.nonce !== nonce || !port) return;
    event.stopImmediatePropagation();
    removeEventListener("message", first);
    port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
      if (data.type === "show") show(data, post);
      else post({ type: "pong" });
    };
    const post = (message: FromFrame) => port.postMessage(message);
  });
  parent.postMessage({ nonce, type: "hello" } satisfies Greeting, "*");
}

/** Write the page into this frame, with its files as blobs: those made elsewhere could not be imported here. */
function show({ html, files, stored }: ToFrame & { type: "show" }, post: (message: FromFrame) => void): void {
  const urls = new Map<string, string>();
  const names = new Map<string, string>();
  for (const [name, data] of Object.entries(files)) {
    const type = TYPES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "";
    const url = URL.createObjectURL(new Blob([data as BlobPart], { type }));
    urls.set(name, url);
    names.set(url, name);
  }
  const reports = new Reports(post, names);
  reports.installConsole();
  installStorage(stored, (area, entries) => post({ type: "stored", area, entries }));
  installStandIns();
  forbidFrames();
  installWorkers(files, names, reports);
  document.open();
  installCookies();
  reports.listen();
  stayHere();
  addEventListener("load", () => post({ type: "shown" }));
  addEventListener("pagehide", () => post({ type: "leaving" }));
  document.write(withUrls(html, urls));
  document.close();
}

/** The page names its files as `./name`, in attributes and in the import map. */
function withUrls(html: string, urls: Map<string, string>): string {
  const text = document.createElement("textarea");
  return html
    .replace(/(\s(?:src|href)=")\.\/([^"]*)"/g, (written, before: string, escaped: string) => {
      text.innerHTML = escaped;
      const url = urls.get(text.value);
      return url ? `${before}${url}"` : written;
    })
    .replace(
      /(<script type="importmap">)(.*?)(<\/script>)/,
      (_, before: string, map: string, after: string) => {
        const { imports } = JSON.parse(map) as { imports: Record<string, string> };
        const entries = Object.entries(imports).map(([name, file]) => [name, urls.get(file.slice(2))]);
        return (
          before + JSON.stringify({ imports: Object.fromEntries(entries) }).replaceAll("<", "\\u003c") + after
        );
      },
    );
}

/** Links and forms that would lead away do nothing but say so; those within the page work. */
function stayHere(): void {
  addEventListener("click", (event) => {
    const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
    const href = link?.getAttribute("href") ?? "";
    if (!link || event.defaultPrevented || link.hasAttribute("download")) return;
    event.preventDefault();
    if (href.startsWith("#")) location.hash = href;
    else console.info(`The link to ${href} is not followed: a preview stays on its page`);
  });
  addEventListener("submit", (event) => {
    if (event.defaultPrevented) return;
    event.preventDefault();
    console.info(
      "The form was not sent: a preview has no server. Handle its submit event and prevent the default",
    );
  });
}
