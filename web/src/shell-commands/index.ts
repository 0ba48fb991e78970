/** Commands that just-bash lacks or gets wrong, as far as scripts need them. */

import type { Command } from "just-bash/browser";
import { archives } from "./archives";
import { attributes } from "./attributes";
import { awk } from "./awk";
import { bc } from "./bc";
import { date } from "./date";
import { diff } from "./diff";
import { dumps } from "./dumps";
import { fields } from "./fields";
import { files } from "./files";
import { find } from "./find";
import { grep } from "./grep";
import { gzip } from "./gzip";
import { headTail } from "./head-tail";
import { jq } from "./jq";
import { ls } from "./ls";
import { mended } from "./mended";
import { numbers } from "./numbers";
import { patch } from "./patch";
import { printf } from "./printf";
import { sed } from "./sed";
import { sort } from "./sort";
import { split } from "./split";
import { sums } from "./sums";
import { system } from "./system";
import { tr } from "./tr";
import { wc } from "./wc";
import { xargs } from "./xargs";

export const COMMANDS: Command[] = [
  ...archives,
  ...attributes,
  ...awk,
  bc,
  date,
  diff,
  ...dumps,
  ...fields,
  ...files,
  find,
  ...grep,
  ...gzip,
  ...headTail,
  jq,
  ls,
  ...mended,
  ...numbers,
  patch,
  printf,
  sed,
  sort,
  split,
  ...sums,
  ...system,
  tr,
  wc,
  xargs,
];
