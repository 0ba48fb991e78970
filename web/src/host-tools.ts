/** The tools of a session, as the page gives them: what lives in the kernel already, and what the host runs itself. */

import type {
  AgentTools,
  HostTool,
  Json,
  SessionOptions,
  ToolCall,
  ToolDescription,
  ToolOutput,
} from "./api";
import type { Handle } from "./handle";
import type { HostToolsPort } from "./kernel";
import { asHost } from "./remote";

type Context = { sessionId: string };
type Execute = (call: ToolCall, context: Context) => unknown;

/** `tools` are the kernel's own; those in `toolList` are run over `port`. */
export interface GivenTools {
  tools?: Handle;
  toolList?: ToolDescription[];
  port?: HostToolsPort;
}

/** Take apart what a session is given; `handles` has the handles of what the kernel made. */
export function givenTools(
  tools: SessionOptions["tools"],
  toolList: ToolDescription[] | undefined,
  handles: WeakMap<AgentTools, Handle>,
): GivenTools {
  if (typeof tools === "function") {
    if (!toolList) throw new TypeError("tools is a function: pass toolList, which says what it can run");
    return { toolList, port: port(tools) };
  }
  if (toolList) throw new TypeError("pass either tools, or a function with toolList, not both");
  if (!tools) return {};
  const all = Array.isArray(tools) ? tools : [tools];
  const sets = all.filter((each): each is AgentTools => "list" in each);
  const [set] = sets;
  if (sets.length > 1) throw new TypeError("tools has more than one AgentTools; a session takes one");
  const own = all.filter((each): each is HostTool => !("list" in each));
  const handle = set && handles.get(set);
  const runs = new Map<string, Execute>(own.map((tool) => [tool.name, one(tool)]));
  const described: ToolDescription[] = own.map(({ name, description, parameters, pure = false }) => ({
    name,
    description,
    parameters,
    pure,
  }));
  if (set && !handle) {
    described.unshift(...set.list());
    for (const { name } of set.list()) if (!runs.has(name)) runs.set(name, set.execute.bind(set));
  }
  return {
    ...(handle && { tools: handle }),
    ...(described.length && {
      toolList: described,
      port: port((call, context) => runs.get(call.name)?.(call, context)),
    }),
  };
}

function one(tool: HostTool): Execute {
  return (call, { sessionId }) => tool.execute(call.arguments, { sessionId, callId: call.id });
}

function port(execute: Execute): HostToolsPort {
  return asHost({
    async execute(call: string, context: string): Promise<string> {
      try {
        return JSON.stringify(
          output(await execute(JSON.parse(call) as ToolCall, JSON.parse(context) as Context)),
        );
      } catch (error) {
        return JSON.stringify({ text: String(error), isError: true });
      }
    },
  });
}

/** A value as what the model is told. */
function output(value: unknown): ToolOutput {
  if (value === undefined || value === null || value === "") return { text: "(no output)" };
  if (typeof value === "string") return { text: value };
  if (isOutput(value)) return value;
  return { text: JSON.stringify(value as Json) };
}

function isOutput(value: unknown): value is ToolOutput {
  return typeof value === "object" && value !== null && "text" in value && typeof value.text === "string";
}
