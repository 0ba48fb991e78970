/** What build/just-bash.mjs opens of just-bash beyond its published types. */

import "just-bash/browser";

declare module "just-bash/browser" {
  export const Interpreter: { prototype: import("./shell-inside").Interpreter };
}
