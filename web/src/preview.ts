/** Shows a build in a sandboxed frame and passes on what the page in it reports. */

import type { PreviewOutput } from "./api";
import type { Failure, FromFrame, Greeting, Level, ToFrame } from "./preview-frame/messages";
import type { Stored } from "./preview-frame/storage";

/** The text of preview-frame.ts, bundled; put in place by the bundler. */
declare const __PREVIEW_FRAME__: string;

/** A message on the previewed page's console. */
export interface ConsoleEntry {
  buildId: number;
  level: Level;
  text: string;
}

/** An uncaught error of the previewed page; places are in the files of the build, counted from 1. */
export interface ErrorEntry extends Failure {
  buildId: number;
}

export interface PreviewOptions {
  output?: PreviewOutput;
  onConsole?: (entry: ConsoleEntry) => void;
  onError?: (entry: ErrorEntry) => void;
}

export interface MountedPreview {
  /** Show another build. */
  update(output: PreviewOutput): void;
  /** Start the page anew; also ends one that hangs. */
  reload(): void;
  unmount(): void;
}

// No network at all: what is allowed is in the page already. Forms may fire their events (the sandbox lets them),
// but are not sent.
const POLICY = [
  "default-src 'none'",
  "script-src 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:",
  "style-src 'unsafe-inline' blob: data:",
  "img-src blob: data:",
  "font-src blob: data:",
  "media-src blob: data:",
  "worker-src blob: data:",
  "connect-src blob: data:",
  "frame-src 'none'",
  "form-action 'none'",
  "base-uri 'none'",
  "webrtc 'block'",
].join("; ");

const PING_MS = 1000;
/** A page that leaves so many pings unanswered hangs. */
const MAX_UNANSWERED = 3;

/** Show previews in `container`, which they fill; without an `output` it stays empty until `update`. */
export function mountPreview(container: HTMLElement, options: PreviewOptions = {}): MountedPreview {
  const stage = document.createElement("div");
  stage.style.cssText = "position: relative; width: 100%; height: 100%; overflow: hidden";
  container.append(stage);
  // Outlives reloads and updates, as storage of a real origin would.
  const stored: Stored = { localStorage: {}, sessionStorage: {} };
  let output = options.output;
  let frames: Frame[] = [];
  const show = () => {
    if (!output) return;
    // The page before stays visible until the new one is there, unless that never comes.
    for (const frame of frames.splice(1)) frame.remove();
    const frame = new Frame(stage, output, stored, options, () => {
      for (const old of frames) if (old !== frame) old.remove();
      frames = [frame];
    });
    frames.push(frame);
  };
  show();
  return {
    update(next) {
      output = next;
      show();
    },
    reload: show,
    unmount() {
      for (const frame of frames) frame.remove();
      frames = [];
      stage.remove();
    },
  };
}

/** One page in its two frames. */
class Frame {
  private readonly nonce = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) =>
    part.toString(36),
  ).join("");
  private readonly element = document.createElement("iframe");
  private readonly timer: ReturnType<typeof setInterval>;
  private port: MessagePort | undefined;
  private unanswered = 0;

  constructor(
    stage: HTMLElement,
    private readonly output: PreviewOutput,
    private readonly stored: Stored,
    private readonly options: PreviewOptions,
    private readonly onShown: () => void,
  ) {
    this.element.setAttribute("sandbox", "allow-scripts allow-forms");
    this.element.referrerPolicy = "no-referrer";
    this.element.title = "Preview";
    this.element.style.cssText =
      "position: absolute; inset: 0; width: 100%; height: 100%; border: 0; background: #fff";
    this.element.srcdoc = frameHtml(this.nonce);
    addEventListener("message", this.onGreeting);
    stage.append(this.element);
    this.timer = setInterval(() => this.ping(), PING_MS);
  }

  remove(): void {
    removeEventListener("message", this.onGreeting);
    clearInterval(this.timer);
    this.port?.close();
    this.element.remove();
  }

  /** The inner frame says hello when it loads, and again when the page in it reloads itself. */
  private readonly onGreeting = (event: MessageEvent<Greeting>) => {
    if (event.source !== this.element.contentWindow || event.data?.nonce !== this.nonce) return;
    const { port1, port2 } = new MessageChannel();
    this.port?.close();
    this.port = port1;
    this.unanswered = 0;
    port1.onmessage = (message: MessageEvent<FromFrame>) => this.receive(message.data);
    const greeting: Greeting = { nonce: this.nonce, type: "port" };
    this.element.contentWindow?.postMessage(greeting, "*", [port2]);
    const { html, files } = this.output;
    this.send({ type: "show", html, files, stored: this.stored });
  };

  private receive(message: FromFrame): void {
    const { buildId } = this.output;
    this.unanswered = 0;
    if (message.type === "shown") this.onShown();
    else if (message.type === "console")
      this.options.onConsole?.({ buildId, level: message.level, text: message.text });
    else if (message.type === "error") this.options.onError?.({ buildId, ...message.failure });
    else if (message.type === "stored") this.stored[message.area] = message.entries;
  }

  private ping(): void {
    if (!this.port) return;
    if (this.unanswered === MAX_UNANSWERED)
      this.options.onError?.({
        buildId: this.output.buildId,
        message: `The page has not answered for ${(MAX_UNANSWERED * PING_MS) / 1000} s: an endless loop, or it tried to leave the preview. Reload the preview to stop it`,
      });
    this.unanswered += 1;
    this.send({ type: "ping" });
  }

  private send(message: ToFrame): void {
    this.port?.postMessage(message);
  }
}

function frameHtml(nonce: string): string {
  const style =
    "html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0; display: block; background: #fff }";
  return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><style>${style}</style></head><body><script data-nonce="${nonce}">${__PREVIEW_FRAME__}</script></body></html>`;
}
