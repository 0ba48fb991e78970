/** Models, tools and sessions: handles to the agent in the kernel, and the page's own models and tools. */

import type {
  AgentSession,
  AgentTools,
  ConnectionCheck,
  HostModel,
  Json,
  ModelHandle,
  ModelInfo,
  ModelOptions,
  Provider,
  Sandbox,
  ServerOptions,
  SessionEvent,
  SessionOptions,
  Strategy,
  ToolDescription,
  ToolOutput,
} from "./api";
import { InBrowserError } from "./error";
import { Handle } from "./handle";
import { givenTools } from "./host-tools";
import type { HostModelPort } from "./kernel";
import type { Life } from "./life";
import { onDevice } from "./on-device";
import { asHost, call, callForMessages, PAGE } from "./remote";
import { handleOf } from "./sandbox";
import { startKernel } from "./supervisor";

const modelHandles = new WeakMap<ModelHandle, Handle>();
const toolHandles = new WeakMap<AgentTools, Handle>();

/** What Python says of an object that it has made. */
interface Made {
  handle: string;
  id: string;
}

/** What is known of a run whose kernel crashed. */
const NOTHING_MEASURED = {
  durationMs: 0,
  timeToFirstTokenMs: null,
  inputTokens: null,
  outputTokens: null,
  cachedTokens: null,
  reasoningTokens: null,
  tokensPerSecond: null,
  cost: null,
  costEstimated: false,
  toolCalls: 0,
};

/** What answers a request in pieces of text. */
interface Asked {
  ask(request: string, signal: AbortSignal): AsyncGenerator<string>;
}

/** How a session's history went on: its first `keep` messages stay, and these follow. */
interface News {
  keep: number;
  messages: Json[];
}

/** The tools of `sandbox` that a session may use; a name that no tool has is an error at once. */
export async function createSandboxAgentTools(
  sandbox: Sandbox,
  options: { names?: string[] } = {},
): Promise<AgentTools> {
  const params = { sandbox: handleOf(sandbox), ...options };
  let described: ToolDescription[] = [];
  const handle = new Handle(async (life) => {
    const made = await call<Made & { tools: ToolDescription[] }>(PAGE, "createTools", params, { life });
    described = made.tools;
    return made.handle;
  });
  await handle.in(await startKernel());
  const tools: AgentTools = {
    list: () => described,
    execute: (toolCall, context) =>
      call<ToolOutput>(handle, "execute", { call: toolCall as unknown as Json, context }),
  };
  toolHandles.set(tools, handle);
  return tools;
}

/**
 * A model behind one of the supported APIs, or in the page itself. Mistakes in the options show when a session is made
 * with it.
 */
export function createModel(options: ModelOptions): ModelHandle {
  const model: ModelHandle = { id: ("model" in options && options.model) || options.api };
  const { device, params } = onDevice(options);
  const handle = new Handle(async (life) => {
    const hostModel = device && streams(device, life);
    return (await call<Made>(PAGE, "createModel", params, { life, hostModel })).handle;
  });
  // Whoever uses the model meets the error.
  startKernel()
    .then((life) => handle.in(life))
    .catch(() => {});
  modelHandles.set(model, handle);
  return model;
}

/** Ask whether a model answers: what does not work is told in a sentence, not thrown. */
export async function checkModel(
  model: ModelHandle,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ConnectionCheck> {
  const handle = modelHandles.get(model);
  if (!handle) throw new TypeError("the model is none that createModel made");
  return call<ConnectionCheck>(PAGE, "checkModel", { model: handle }, { signal });
}

/** List the models that a server has. */
export async function listModels(
  options: ServerOptions,
  { signal }: { signal?: AbortSignal } = {},
): Promise<ModelInfo[]> {
  return call<ModelInfo[]>(PAGE, "listModels", { ...options }, { signal });
}

/** Say who offers models, over which API and where. */
export async function listProviders(): Promise<Provider[]> {
  return call<Provider[]>(PAGE, "listProviders", {});
}

/** The loop of asking the model and running its calls, for at most `maxTurns` requests to the model. */
export function createReactLoopStrategy({ maxTurns = 24 }: { maxTurns?: number } = {}): Strategy {
  return { name: "react-loop", maxTurns };
}

/** Start a conversation. */
export async function createAgentSession(options: SessionOptions): Promise<AgentSession> {
  const { strategy, llm, tools, toolList, systemPrompt } = options;
  let { id } = options;
  /** What a session in the next life of the kernel goes on with. */
  let kept: Json[] = options.history ?? [];
  const handle = new Handle(async (life) => {
    const model = modelHandles.get(llm as ModelHandle);
    const { port, ...given } = givenTools(tools, toolList, toolHandles);
    const made = await call<Made>(
      PAGE,
      "createSession",
      {
        maxTurns: strategy.maxTurns,
        ...(model ? { model } : { hostId: llm.id }),
        ...given,
        systemPrompt,
        history: kept,
        id,
      },
      {
        life,
        hostModel: model ? undefined : hostModel(llm as HostModel, life),
        hostTools: port,
      },
    );
    id = made.id;
    return made.handle;
  });
  await handle.in(await startKernel());
  return {
    id: id as unknown as string,
    submit: (text, { signal } = {}) =>
      told(callForMessages<SessionEvent | News>(handle, "submit", { text }, signal), ({ keep, messages }) => {
        kept = [...kept.slice(0, keep), ...messages];
      }),
    async cancel() {
      await call(handle, "cancel", {});
    },
    history: () => call<Json[]>(handle, "history", {}),
  };
}

/** Yield the events of a message, with an `error` as the last when the kernel crashes before the end. */
async function* told(
  posted: AsyncIterable<SessionEvent | News>,
  learn: (news: News) => void,
): AsyncGenerator<SessionEvent, void> {
  let over = false;
  try {
    for await (const each of posted) {
      if ("keep" in each) {
        learn(each);
        continue;
      }
      over ||= each.kind === "completed" || each.kind === "error";
      yield each;
    }
  } catch (error) {
    if (!(error instanceof InBrowserError && error.name === "KernelCrashedError")) throw error;
    const { name, message } = error;
    if (!over)
      yield { kind: "error", name, message, reason: null, retryable: false, metrics: NOTHING_MEASURED };
  }
}

function hostModel(model: HostModel, life: Life): HostModelPort {
  const asked: Asked = {
    async *ask(request, signal) {
      for await (const event of model.chat(JSON.parse(request), signal)) yield JSON.stringify(event);
    },
  };
  return streams(asked, life);
}

/** For Python, which asks and takes the pieces one by one. What it holds of the page this way is `model` alone. */
function streams(model: Asked, life: Life): HostModelPort {
  return asHost({
    open(request: string) {
      const abort = new AbortController();
      const pieces = model.ask(request, abort.signal)[Symbol.asyncIterator]();
      const close = () => {
        off();
        abort.abort();
        void pieces.return?.(undefined);
      };
      // A kernel that crashes closes nothing.
      const off = life.atEnd(close);
      return asHost({
        async next(): Promise<string | undefined> {
          const { done, value } = await pieces.next();
          return done ? undefined : value;
        },
        close,
      });
    },
  });
}
