/** Commands that just-bash lacks or gets wrong, as far as scripts of agents need them. */

import type { Command } from "just-bash/browser";
import { ls } from "./ls";
import { mended } from "./mended";
import { missing } from "./missing";
import { wc } from "./wc";

export const COMMANDS: Command[] = [...missing, ...mended, ls, wc];
