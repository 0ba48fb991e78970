/** The demo: a recorded session. Its notes and calls are the script that a model without a network plays. */

import type { ScriptedCall, ScriptedTurn } from "../generated/ModelOptions";

export interface Demo {
  prompt: string;
  turns: ScriptedTurn[];
  /** The recording that a run of the demo is compared with. */
  log: string;
}

/** The lines of the log that make the script; see web/build/demo.py. */
type Line =
  | { entry: "note"; name: "prompt"; data: string }
  | { entry: "note"; name: "turn"; data: ScriptedTurn }
  | { entry: "call"; name: string; arguments: NonNullable<ScriptedCall["arguments"]> };

let loading: Promise<Demo> | undefined;

/** Load assets/demo.jsonl once; a failure may be tried again. */
export function loadDemo(): Promise<Demo> {
  loading ??= fetchDemo().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}

async function fetchDemo(): Promise<Demo> {
  const url = new URL("./assets/demo.jsonl", import.meta.url);
  const response = await fetch(url);
  if (!response.ok)
    throw new Error(`The demo could not be loaded: ${url.pathname} answered ${response.status}`);
  return read(await response.text());
}

function read(log: string): Demo {
  let prompt = "";
  const turns: (ScriptedTurn & { toolCalls: ScriptedCall[] })[] = [];
  for (const text of log.split("\n").filter(Boolean)) {
    const line = JSON.parse(text) as Line;
    if (line.entry === "call") {
      turns.at(-1)?.toolCalls.push({ name: line.name, arguments: line.arguments });
    } else if (line.entry === "note" && line.name === "turn") turns.push({ ...line.data, toolCalls: [] });
    else if (line.entry === "note" && line.name === "prompt") prompt = line.data;
  }
  return { prompt, turns, log };
}
