/** The embedding API. It mirrors the Python one name for name; everything behind it runs in the kernel worker. */

export {
  checkModel,
  createAgentSession,
  createModel,
  createReactLoopStrategy,
  createSandboxAgentTools,
  listModels,
  listProviders,
} from "./agent";
export type * from "./api";
export { InBrowserError } from "./error";
export { runPython } from "./remote";
export type { Recording, RecordOptions, ReplayOptions } from "./replay";
export { compareRecordings, record, replay } from "./replay";
export { deleteSandbox, estimateStorage, listSandboxes, openSandbox, persistStorage } from "./sandbox";
export { type KernelRestart, onKernelRestart, superviseKernel } from "./supervisor";
