/** jq's own module, which a shell loads when a jq first runs in it. */

export { createModule } from "jq-wasm";
