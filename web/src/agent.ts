/** Models, tools and sessions: handles to the agent in the kernel, and the page's own models and tools. */

import type {
  AgentSession,
  AgentTools,
  HostModel,
  Json,
  ModelHandle,
  ModelOptions,
  Sandbox,
  SessionEvent,
  SessionOptions,
  Strategy,
  ToolCall,
  ToolDescription,
  ToolOutput,
} from "./api";
import type { HostModelPort, HostToolsPort } from "./kernel";
import { asHost, call, callForMessages, type Handle, PAGE, tie } from "./remote";
import { handleOf } from "./sandbox";

const modelHandles = new WeakMap<ModelHandle, Promise<Handle>>();
const toolHandles = new WeakMap<AgentTools, Handle>();

/** The tools of `sandbox` that a session may use; a name that no tool has is an error at once. */
export async function createSandboxAgentTools(
  sandbox: Sandbox,
  options: { names?: string[] } = {},
): Promise<AgentTools> {
  const made = await call<{ handle: Handle; tools: ToolDescription[] }>(PAGE, "createTools", {
    sandbox: handleOf(sandbox),
    ...options,
  });
  const tools: AgentTools = {
    list: () => made.tools,
    execute: (toolCall, context) =>
      call<ToolOutput>(made.handle, "execute", { call: toolCall as unknown as Json, context }),
  };
  toolHandles.set(tools, made.handle);
  return tie(tools, made.handle);
}

/** A model behind one of the supported APIs. Mistakes in the options show when a session is made with it. */
export function createModel(options: ModelOptions): ModelHandle {
  const model: ModelHandle = { id: options.model ?? options.api };
  const handle = call<{ handle: Handle; id: string }>(PAGE, "createModel", { ...options }).then((made) => {
    tie(model, made.handle);
    return made.handle;
  });
  handle.catch(() => {}); // Whoever uses the model meets the error.
  modelHandles.set(model, handle);
  return model;
}

/** The loop of asking the model and running its calls, for at most `maxTurns` requests to the model. */
export function createReactLoopStrategy({ maxTurns = 24 }: { maxTurns?: number } = {}): Strategy {
  return { name: "react-loop", maxTurns };
}

/** Start a conversation. */
export async function createAgentSession(options: SessionOptions): Promise<AgentSession> {
  const { strategy, llm, tools, toolList, systemPrompt, history, id } = options;
  const model = modelHandles.get(llm as ModelHandle);
  const made = await call<{ handle: Handle; id: string }>(
    PAGE,
    "createSession",
    {
      maxTurns: strategy.maxTurns,
      ...(model && { model: await model }),
      ...toolParams(tools, toolList),
      hostId: model ? undefined : llm.id,
      systemPrompt,
      history,
      id,
    },
    {
      hostModel: model ? undefined : hostModel(llm as HostModel),
      hostTools: tools && !toolHandles.has(tools as AgentTools) ? hostTools(tools) : undefined,
    },
  );
  const session: AgentSession = {
    id: made.id,
    submit: (text, { signal } = {}) => callForMessages<SessionEvent>(made.handle, "submit", { text }, signal),
    async cancel() {
      await call(made.handle, "cancel", {});
    },
    history: () => call<Json[]>(made.handle, "history", {}),
  };
  return tie(session, made.handle);
}

function toolParams(tools: SessionOptions["tools"], toolList: ToolDescription[] | undefined) {
  if (typeof tools === "function") {
    if (!toolList) throw new TypeError("tools is a function: pass toolList, which says what it can run");
    return { toolList };
  }
  if (toolList) throw new TypeError("pass either an AgentTools or a function with toolList, not both");
  if (!tools) return {};
  const handle = toolHandles.get(tools);
  return handle ? { tools: handle } : { toolList: tools.list() };
}

function hostTools(tools: NonNullable<SessionOptions["tools"]>): HostToolsPort {
  const execute = typeof tools === "function" ? tools : tools.execute.bind(tools);
  return asHost({
    async execute(toolCall: string, context: string): Promise<string> {
      try {
        const output = await execute(JSON.parse(toolCall) as ToolCall, JSON.parse(context));
        return JSON.stringify(typeof output === "string" ? { text: output } : output);
      } catch (error) {
        return JSON.stringify({ text: String(error), isError: true });
      }
    },
  });
}

function hostModel(model: HostModel): HostModelPort {
  return asHost({
    open(request: string) {
      const abort = new AbortController();
      const events = model.chat(JSON.parse(request), abort.signal)[Symbol.asyncIterator]();
      return asHost({
        async next(): Promise<string | undefined> {
          const { done, value } = await events.next();
          return done ? undefined : JSON.stringify(value);
        },
        close(): void {
          abort.abort();
          void events.return?.();
        },
      });
    },
  });
}
