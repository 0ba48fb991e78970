/** The embedding API. It mirrors the Python one name for name; everything behind it runs in the kernel worker. */

export type * from "./api";
export { InBrowserError } from "./remote";
export { createAgentSession, createModel, createReactLoopStrategy, createSandboxAgentTools } from "./agent";
export { openSandbox } from "./sandbox";
export { runPython } from "./remote";
