/**
 * The page's part of guests: frames of an opaque origin for them to run in, one for each network policy. Workers have no
 * DOM to hang a frame on; an app that runs us in one may ask for guests without frames, which are isolated from
 * nothing but the kernel's memory.
 */

import { type Asset, assets, assetUrl } from "../assets";
import { loadSnapshot } from "../snapshots";
import { WorkerHost } from "../worker-host";
import { fetchForShell } from "./fetching";
import { type ForGuests, type GuestParts, type Isolation, LOST, type ToFrame, type ToHost } from "./messages";
import { Starter } from "./starter";

/** Return the port on which a kernel asks for guests and for workers, and the way to end them all. */
export function hostProcesses(): { port: MessagePort; close: () => void } {
  const { port1, port2 } = new MessageChannel();
  const host = new GuestHost();
  const workers = new WorkerHost();
  port1.onmessage = ({ data }: MessageEvent<ToHost>) => {
    if ("worker" in data) workers.start(data.worker);
    else void host.pass(data);
  };
  const lose = () => {
    host.close();
    port1.postMessage(LOST);
  };
  hosts.add(lose);
  const close = () => {
    hosts.delete(lose);
    port1.close();
    host.close();
    workers.close();
  };
  return { port: port2, close };
}

const hosts = new Set<() => void>();

/**
 * End all guests of the page, with their frames. A browser may put these into one process with a preview, and can
 * end that only as a whole when the preview hangs.
 */
export function endGuests(): void {
  for (const lose of hosts) lose();
}

interface Place {
  receive(message: ToFrame): void;
  /** End all guests in it. */
  close(): void;
}

class GuestHost {
  private readonly places = new Map<string, Promise<Place>>();
  private parts: Promise<GuestParts> | undefined;

  async pass({ isolation, network, message }: ForGuests): Promise<void> {
    const key = [isolation, ...network].join(" ");
    const place = this.places.get(key) ?? this.open(isolation, network);
    this.places.set(key, place);
    try {
      (await place).receive(message);
    } catch (error) {
      // The next one tries again.
      this.places.delete(key);
      this.parts = undefined;
      const reason = `Python did not start: ${error instanceof Error ? error.message : error}`;
      if (message.type === "start") message.port.postMessage({ type: "dead", reason });
      else if (message.type === "fetch") message.port.postMessage({ failure: reason });
    }
  }

  close(): void {
    for (const place of this.places.values())
      place.then(
        (opened) => opened.close(),
        () => {}, // It was never opened.
      );
    this.places.clear();
  }

  private async open(isolation: Isolation, network: string[]): Promise<Place> {
    this.parts ??= loadGuestParts();
    const parts = await this.parts;
    if (isolation === "worker") return workerPlace(parts);
    if (typeof document === "undefined")
      throw new Error(
        'there is no page to put a frame into; open the sandbox with isolation: "worker" if its processes may do with less',
      );
    return framePlace(parts, network);
  }
}

function workerPlace(parts: GuestParts): Place {
  const starter = new Starter(parts);
  return {
    close: () => starter.close(),
    receive: (message) => {
      if (message.type === "fetch") void fetchForShell(message);
      else if (message.type !== "warm") starter.receive(message);
    },
  };
}

const HELLO = "inbrowser guests";
/** The frame's own script waits for the rest of it, as a page's policy may allow nothing to be loaded. */
const SCRIPT = `addEventListener("message", async ({ source, data, ports }) => {
  if (source !== parent) return;
  const { begin } = await import(URL.createObjectURL(new Blob([data.script], { type: "text/javascript" })));
  begin(data.parts, ports[0]);
}, { once: true });
parent.postMessage("${HELLO}", "*");`;
const PATIENCE_MS = 15_000;

async function framePlace(parts: GuestParts, network: string[]): Promise<Place> {
  const script = await (await fetchAsset(assets.guestFrame)).text();
  const policy = [
    "default-src 'none'",
    "script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob:",
    "worker-src data:",
    `connect-src ${network.length ? network.join(" ") : "'none'"}`,
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.setAttribute("aria-hidden", "true");
  frame.tabIndex = -1;
  frame.referrerPolicy = "no-referrer";
  // Browsers give the processes of frames that nobody could see less of the processor.
  frame.style.cssText =
    "position: fixed; right: 0; bottom: 0; width: 1px; height: 1px; border: 0; opacity: 0; pointer-events: none";
  frame.srcdoc = `<!doctype html><meta http-equiv="Content-Security-Policy" content="${policy}"><script>${SCRIPT}</script>`;
  const hello = Promise.withResolvers<void>();
  const listen = ({ source, data }: MessageEvent) => {
    if (source === frame.contentWindow && data === HELLO) hello.resolve();
  };
  addEventListener("message", listen);
  const timer = setTimeout(
    () =>
      hello.reject(
        new Error(
          "its frame did not load: the policy of the page around it must allow inline scripts, blob: and data: in frames",
        ),
      ),
    PATIENCE_MS,
  );
  // Out of the way of whoever looks for frames in the page.
  const place = document.createElement("div");
  place.attachShadow({ mode: "closed" }).append(frame);
  document.body.append(place);
  try {
    await hello.promise;
  } catch (error) {
    place.remove();
    throw error;
  } finally {
    clearTimeout(timer);
    removeEventListener("message", listen);
  }
  const { port1, port2 } = new MessageChannel();
  frame.contentWindow?.postMessage({ script, parts }, "*", [port2]);
  return {
    close() {
      port1.close();
      place.remove();
    },
    receive: (message) => port1.postMessage(message, "port" in message ? [message.port] : []),
  };
}

/** Fetch what guests are made of; mostly it is in the browser's cache already. */
async function loadGuestParts(): Promise<GuestParts> {
  const blob = async (asset: Asset) => (await fetchAsset(asset)).blob();
  const text = async (asset: Asset) => (await fetchAsset(asset)).text();
  const [worker, wasm, stdlib, pack, snapshot] = await Promise.all([
    text(assets.guestWorker),
    blob(assets.pyodideWasm),
    blob(assets.stdlib),
    blob(assets.guest),
    loadSnapshot("guest"),
  ]);
  return { worker, wasm, stdlib, pack, snapshot: snapshot && new Blob([snapshot]) };
}

async function fetchAsset(asset: Asset): Promise<Response> {
  const url = assetUrl(asset);
  const response = await fetch(url).catch(() => {
    throw new Error(`could not load ${url}: no connection, and no copy is kept offline`);
  });
  if (!response.ok) throw new Error(`could not load ${url}: the server answered ${response.status}`);
  return response;
}
