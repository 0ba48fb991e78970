/** A conversation as it is shown: what the visitor said, and replies that grow event by event. */

import type { ReplayReport, SessionEvent } from "../api";
import { Observable } from "./observable";
import { sum } from "./usage";

type EventOf<Kind extends SessionEvent["kind"]> = Extract<SessionEvent, { kind: Kind }>;
export type Metrics = EventOf<"turn_completed">["metrics"];

/** Text or reasoning that streams in. */
export class TextPart extends Observable {
  text = "";
  done = false;
  readonly started = performance.now();
  durationMs = 0;

  constructor(readonly kind: "text" | "thinking") {
    super();
  }

  append(delta: string): void {
    this.text += delta;
    this.changed();
  }

  finish(): void {
    this.done = true;
    this.durationMs = performance.now() - this.started;
    this.changed();
  }
}

/** A tool call, from its announcement to its result. */
export class ToolPart extends Observable {
  readonly kind = "tool";
  state: "announced" | "running" | "ok" | "failed" | "stopped" = "announced";
  arguments: Record<string, unknown> = {};
  summary = "";
  text = "";
  details: Record<string, unknown> = {};
  durationMs = 0;

  constructor(
    readonly callId: string,
    readonly name: string,
  ) {
    super();
  }

  get unfinished(): boolean {
    return this.state === "announced" || this.state === "running";
  }

  set(
    fields: Partial<Pick<ToolPart, "state" | "arguments" | "summary" | "text" | "details" | "durationMs">>,
  ): void {
    Object.assign(this, fields);
    this.changed();
  }
}

/** A turn is over. */
export interface TurnPart {
  kind: "turn";
  metrics: Metrics;
}

/** The run is over. */
export interface EndPart {
  kind: "end";
  stop: EventOf<"completed">["stop"];
  turns: number;
  metrics: Metrics | undefined;
}

/** The run failed, or could not begin. */
export interface ErrorPart {
  kind: "error";
  name: string;
  message: string;
  reason: string;
}

/** What was done was compared with a recording. */
export interface CheckPart {
  kind: "check";
  report: ReplayReport;
}

/** The model's server is asked again after a failure. */
export interface RetryPart {
  kind: "retry";
  attempt: number;
  reason: string;
}

export type Part = TextPart | ToolPart | TurnPart | EndPart | ErrorPart | CheckPart | RetryPart;

/** What the visitor said. */
export interface Question {
  kind: "question";
  text: string;
}

/** What came back. Changes when a part is added; parts tell of their own changes. */
export class Reply extends Observable {
  readonly kind = "reply";
  readonly parts: Part[] = [];
  /** What its turns took so far. */
  usage: Metrics | undefined;
  done = false;

  /** Take in one event of the session. */
  apply(event: SessionEvent): void {
    switch (event.kind) {
      case "text":
      case "thinking":
        this.#streaming(event.kind).append(event.delta);
        break;
      case "tool_started":
        this.#tool(event.callId, event.name).set({ state: "running", arguments: event.arguments });
        break;
      case "tool_finished": {
        const { ok, summary, text, details, durationMs } = event;
        const state = ok ? "ok" : "failed";
        this.#tool(event.callId, event.name).set({ state, summary, text, details, durationMs });
        break;
      }
      case "turn_completed":
        this.usage = sum([this.usage, event.metrics]);
        this.#add({ kind: "turn", metrics: event.metrics });
        break;
      case "strategy_event":
        this.#note(event);
        break;
      case "error":
        this.fail(event.name, event.message, event.reason ?? "");
        break;
      case "completed":
        this.end(event.stop, event.turns, event.metrics);
        break;
    }
  }

  /** End without an error. */
  end(stop: EndPart["stop"], turns = 0, metrics?: Metrics): void {
    this.#add({ kind: "end", stop, turns, metrics });
    this.finish();
  }

  /** End with an error. */
  fail(name: string, message: string, reason = ""): void {
    this.#add({ kind: "error", name, message, reason });
    this.finish();
  }

  /** Add how what was done compares with a recording. */
  check(report: ReplayReport): void {
    this.#add({ kind: "check", report });
  }

  /** Nothing more will come. */
  finish(): void {
    if (this.done) return;
    this.#closeText();
    for (const part of this.parts)
      if (part.kind === "tool" && part.unfinished) part.set({ state: "stopped" });
    this.done = true;
    this.changed();
  }

  #note({ name, data }: EventOf<"strategy_event">): void {
    if (name === "tool_call_announced") this.#tool(String(data.callId), String(data.name));
    if (name === "retry")
      this.#add({ kind: "retry", attempt: Number(data.attempt), reason: String(data.reason) });
  }

  #streaming(kind: TextPart["kind"]): TextPart {
    const last = this.parts.at(-1);
    return last instanceof TextPart && last.kind === kind ? last : this.#add(new TextPart(kind));
  }

  #tool(callId: string, name: string): ToolPart {
    const known = this.parts.findLast((part) => part.kind === "tool" && part.callId === callId);
    return known instanceof ToolPart ? known : this.#add(new ToolPart(callId, name));
  }

  #add<T extends Part>(part: T): T {
    this.#closeText();
    this.parts.push(part);
    this.changed();
    return part;
  }

  #closeText(): void {
    const last = this.parts.at(-1);
    if (last instanceof TextPart && !last.done) last.finish();
  }
}

export type Entry = Question | Reply;
