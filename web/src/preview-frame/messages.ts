/** What the page and the frame inside the frame tell each other, over a port that the previewed code cannot see. */

import type { Area, Stored } from "./storage";

export const LEVELS = ["debug", "log", "info", "warn", "error"] as const;
export type Level = (typeof LEVELS)[number];

/** An error; places are in the files of the build, counted from 1. */
export interface Failure {
  message: string;
  file?: string;
  line?: number;
  column?: number;
  stack?: string;
}

export type ToFrame =
  | { type: "show"; html: string; files: Record<string, Uint8Array>; stored: Stored }
  | { type: "ping" };

export type FromFrame =
  | { type: "shown" }
  | { type: "pong" }
  | { type: "console"; level: Level; text: string }
  | { type: "error"; failure: Failure }
  | { type: "leaving" }
  | { type: "stored"; area: Area; entries: Record<string, string> };

/** Goes through the guard: `hello` from the inner frame, then `port` with a MessagePort the other way. */
export interface Greeting {
  nonce: string;
  type: "hello" | "port";
}
