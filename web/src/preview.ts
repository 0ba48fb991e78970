/** Shows a build in a sandboxed frame and passes on what the page in it reports. */

import type { PreviewOutput } from "./api";
import { endGuests } from "./guest/host";
import {
  type Failure,
  type FromFrame,
  type Greeting,
  LEVELS,
  type Level,
  type ToFrame,
} from "./preview-frame/messages";
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
  // See preview-frame/frames.ts.
  "require-trusted-types-for 'script'",
  "trusted-types default",
].join("; ");

const PING_MS = 1000;
/** So many pings without any answer are told as an error. */
const MAX_SILENCE = 3;
const HANGS = `The page has not answered for ${(MAX_SILENCE * PING_MS) / 1000} s: it is busy or in a loop. Reload the preview to stop it`;
const NEVER_STARTED =
  "The preview did not start: the policy of the page around it must allow frames inline scripts, and blob: for all they load";
/** Previews share a process: one that hangs must have ended before another can start. Chromium takes about a second. */
const PROCESS_END_MS = 1500;

/** Show previews in `container`, which they fill; without an `output` it stays empty until `update`. */
export function mountPreview(container: HTMLElement, options: PreviewOptions = {}): MountedPreview {
  const stage = document.createElement("div");
  stage.style.cssText = "position: relative; width: 100%; height: 100%; overflow: hidden";
  container.append(stage);
  // Outlives reloads and updates, as storage of a real origin would.
  const stored: Stored = { localStorage: {}, sessionStorage: {} };
  let output = options.output;
  let frame: Frame | undefined;
  let waiting: ReturnType<typeof setTimeout> | undefined;
  const start = () => {
    waiting = undefined;
    if (output) frame = new Frame(stage, output, stored, options);
  };
  const show = () => {
    if (waiting !== undefined) return;
    const hangs = frame?.hangs;
    frame?.remove();
    if (hangs) {
      endGuests();
      waiting = setTimeout(start, PROCESS_END_MS);
    } else start();
  };
  start();
  return {
    update(next) {
      output = next;
      show();
    },
    reload: show,
    unmount() {
      clearTimeout(waiting);
      frame?.remove();
      stage.remove();
    },
  };
}

/** One page, in a frame of its own or in two. */
class Frame {
  private readonly nonce = Array.from(crypto.getRandomValues(new Uint32Array(4)), (part) =>
    part.toString(36),
  ).join("");
  private readonly element = document.createElement("iframe");
  private readonly timer: ReturnType<typeof setInterval>;
  private port: MessagePort | undefined;
  private silence = 0;
  private greeted = false;
  private left = false;

  constructor(
    stage: HTMLElement,
    private readonly output: PreviewOutput,
    private readonly stored: Stored,
    private readonly options: PreviewOptions,
  ) {
    this.element.setAttribute("sandbox", "allow-scripts allow-forms");
    this.element.referrerPolicy = "no-referrer";
    this.element.title = "Preview";
    this.element.style.cssText =
      "position: absolute; inset: 0; width: 100%; height: 100%; border: 0; background: #fff; visibility: hidden";
    this.element.srcdoc = frameHtml(this.nonce, !framesAreLocked());
    addEventListener("message", this.onGreeting);
    stage.append(this.element);
    this.timer = setInterval(() => this.ping(), PING_MS);
  }

  remove(): void {
    removeEventListener("message", this.onGreeting);
    clearInterval(this.timer);
    this.port?.close();
    this.port = undefined;
    this.element.remove();
  }

  /** The inner frame says hello when it loads, and again when the page in it reloads itself. */
  private readonly onGreeting = (event: MessageEvent<Greeting>) => {
    if (event.source !== this.element.contentWindow || event.data?.nonce !== this.nonce) return;
    const { port1, port2 } = new MessageChannel();
    this.port?.close();
    this.port = port1;
    this.silence = 0;
    this.greeted = true;
    this.left = false;
    port1.onmessage = (message: MessageEvent<FromFrame>) => this.receive(message.data);
    const greeting: Greeting = { nonce: this.nonce, type: "port" };
    this.element.contentWindow?.postMessage(greeting, "*", [port2]);
    const { html, files } = this.output;
    this.send({ type: "show", html, files, stored: this.stored });
  };

  /** Previewed code may get hold of the port, so what comes is not taken at its word. */
  private receive(message: FromFrame): void {
    const { port } = this;
    const { buildId } = this.output;
    this.silence = 0;
    if (message?.type === "shown") this.reveal();
    else if (message?.type === "console") {
      const level = LEVELS.includes(message.level) ? message.level : "log";
      this.options.onConsole?.({ buildId, level, text: String(message.text) });
    } else if (message?.type === "error") this.options.onError?.({ buildId, ...checked(message.failure) });
    else if (message?.type === "stored" && Object.hasOwn(this.stored, message.area))
      this.stored[message.area] = message.entries;
    // A page that reloads says hello again on a new port; one that goes elsewhere never does.
    else if (message?.type === "leaving") setTimeout(() => this.leave(port), PING_MS);
  }

  /** Once the page has loaded, or takes long: until then there is only a white flash to see. */
  private reveal(): void {
    this.element.style.visibility = "";
  }

  private leave(port: MessagePort | undefined): void {
    if (!port || port !== this.port) return;
    this.left = true;
    this.fail(
      "The page tried to leave the preview, which has no network. Reload the preview to see it again",
    );
  }

  /** Whether nothing was heard for longer than a page that is well would take. */
  get hangs(): boolean {
    return this.silence > 1;
  }

  private ping(): void {
    if (this.silence === MAX_SILENCE && !this.left) this.fail(this.greeted ? HANGS : NEVER_STARTED);
    this.silence += 1;
    this.reveal();
    this.send({ type: "ping" });
  }

  private fail(message: string): void {
    this.options.onError?.({ buildId: this.output.buildId, message });
  }

  private send(message: ToFrame): void {
    this.port?.postMessage(message);
  }
}

function checked(failure: Failure): Failure {
  const { message, file, line, column, stack } = failure ?? {};
  return {
    message: String(message),
    ...(typeof file === "string" && { file }),
    ...(typeof line === "number" && { line }),
    ...(typeof column === "number" && { column }),
    ...(typeof stack === "string" && { stack }),
  };
}

/**
 * A page may always navigate itself, and a URL can carry secrets away; only the policy of the document around can
 * forbid that. Where the host's says `frame-src 'none'` (which leaves srcdoc frames alone) one frame does; else the
 * page is in a second one, whose guard brings such a policy.
 */
function framesAreLocked(): boolean {
  const policies = document.querySelectorAll<HTMLMetaElement>(
    'head > meta[http-equiv="Content-Security-Policy" i]',
  );
  return [...policies].some((policy) => /(^|;)\s*frame-src\s+'none'\s*(;|$)/i.test(policy.content));
}

function frameHtml(nonce: string, guarded: boolean): string {
  const style =
    "html, body, iframe { width: 100%; height: 100%; margin: 0; border: 0; display: block; background: #fff }";
  const role = guarded ? "" : "data-inner ";
  return `<!doctype html><html><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}"><style>${style}</style></head><body><script ${role}data-nonce="${nonce}">${__PREVIEW_FRAME__}</script></body></html>`;
}
