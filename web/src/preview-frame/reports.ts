/** Tells the page around what happens here: console, errors, what the browser refused to load. */

import { format, formatAll } from "./format";
import { type Failure, type FromFrame, LEVELS, type Level } from "./messages";

/** A page that floods its console must not flood the page around: so many messages pass in a period. */
const MAX_MESSAGES = 100;
const PERIOD_MS = 500;
const MAX_STACK = 10_000;

type Send = (message: FromFrame) => void;

/** The way out of the frame, with names of files in the place of blob URLs. */
export class Reports {
  private left = MAX_MESSAGES;
  private dropped = 0;
  private readonly refused = new Set<string>();
  private readonly reporting = new Set<string>();

  constructor(
    private readonly post: Send,
    private readonly names: Map<string, string>,
  ) {}

  console(level: Level, values: unknown[]): void {
    this.send({ type: "console", level, text: this.named(formatAll(values)) });
  }

  error({ message, file, stack, ...place }: Failure): void {
    const failure: Failure = { message: this.named(message), ...place };
    if (file) failure.file = this.named(file);
    if (stack) failure.stack = this.named(stack).slice(0, MAX_STACK);
    this.send({ type: "error", failure });
  }

  /** Errors in that script come with a report of their own: its worker sends one. */
  expectFrom(url: string): void {
    this.reporting.add(url);
  }

  /** Console methods report and then do what they always did. */
  installConsole(): void {
    for (const level of LEVELS) this.wrap(level, (values) => this.console(level, values));
    for (const name of ["dir", "table", "group", "groupCollapsed"] as const)
      this.wrap(name, (values) => this.console("log", values));
    this.wrap("trace", (values) => this.console("debug", ["Trace:", ...values]));
    this.wrap("assert", ([held, ...values]) => {
      if (!held) this.console("error", ["Assertion failed:", ...values]);
    });
  }

  /** Listen to errors; to be called again when the document was opened anew, which removes all listeners. */
  listen(): void {
    addEventListener("error", (event) => this.onError(event), true);
    addEventListener("unhandledrejection", ({ reason }) => {
      const error = reason instanceof Error ? reason : undefined;
      const message = `Unhandled rejection: ${error ? String(error) : format(reason)}`;
      this.error({ message, ...(error?.stack && { stack: error.stack }) });
    });
    document.addEventListener("securitypolicyviolation", (event) => {
      if (event.effectiveDirective === "require-trusted-types-for")
        this.error({ message: "A javascript: address was not followed: a preview stays on its page" });
      else if (event.blockedURI) this.refuse(event.blockedURI, event.effectiveDirective, event);
    });
  }

  private onError(event: ErrorEvent | Event): void {
    if (event instanceof ErrorEvent) {
      const { message, filename, lineno, colno, error } = event;
      if (!error && this.reporting.has(filename)) return;
      const stack = error instanceof Error ? error.stack : undefined;
      this.error({ message, file: filename, line: lineno, column: colno, ...(stack && { stack }) });
      return;
    }
    const element = event.target as (HTMLElement & { src?: string; href?: string }) | null;
    const url = element?.getAttribute?.("src") ?? element?.getAttribute?.("href");
    if (element && url) this.refuse(element.src || element.href || url, `<${element.localName}>`);
  }

  /** An image that the policy refuses is told of twice by the browser, and once by us. */
  private refuse(url: string, what: string, place?: SecurityPolicyViolationEvent): void {
    if (this.refused.has(url)) return;
    this.refused.add(url);
    // The base of relative URLs is the page around, which the author knows nothing of.
    const shown = url.startsWith("data:")
      ? "a data: URL"
      : url.replace(new URL(document.baseURI).origin, "") || "/";
    this.error({
      message: `${shown} was not loaded (${what}): a preview has no network and no server; import files from modules`,
      ...(place?.sourceFile && {
        file: place.sourceFile,
        line: place.lineNumber,
        column: place.columnNumber,
      }),
    });
  }

  private wrap(name: keyof Console, report: (values: unknown[]) => void): void {
    const original = console[name] as (...values: unknown[]) => void;
    (console as unknown as Record<string, unknown>)[name] = (...values: unknown[]) => {
      report(values);
      original.apply(console, values);
    };
  }

  private named(text: string): string {
    return text.replace(/blob:[^\s:()]+(?::[^\s:()]+)?\/[\w-]+/g, (url) => this.names.get(url) ?? url);
  }

  private send(message: FromFrame): void {
    if (this.left > 0) {
      this.left -= 1;
      this.post(message);
    } else this.dropped += 1;
    if (this.left === MAX_MESSAGES - 1 && !this.dropped) setTimeout(() => this.refill(), PERIOD_MS);
  }

  private refill(): void {
    const { dropped } = this;
    this.left = MAX_MESSAGES;
    this.dropped = 0;
    if (dropped)
      this.send({ type: "console", level: "warn", text: `${dropped} more messages were left out` });
  }
}
