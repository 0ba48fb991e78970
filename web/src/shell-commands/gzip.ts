/** gzip, gunzip, zcat. */

import { gunzipSync, gzipSync } from "fflate";
import type { Command } from "just-bash/browser";
import { bytesOf, latin1 } from "../shell-text";
import { type Context, Fault, type Given, type Output, read, resolve, tool } from "./command";
import { ground } from "./ground";

const OPTIONS =
  "c d k f t v q n N r l S: 1 2 3 4 5 6 7 8 9 stdout=c to-stdout=c decompress=d uncompress=d keep=k force=f test=t verbose=v quiet=q no-name=n name=N recursive=r fast=1 best=9 suffix=S";

export const gzip: Command[] = [named("gzip", ""), named("gunzip", "d"), named("zcat", "dc")];

function named(name: string, always: string): Command {
  return tool(name, OPTIONS, (given, context) => {
    for (const letter of always) given.add(letter);
    const output = { out: "", errors: "" };
    for (const file of given.rest.length ? given.rest : ["-"]) {
      try {
        output.out += one(file, given, context);
      } catch (error) {
        if (!(error instanceof Fault)) throw error;
        output.errors += `${name}: ${error.message}\n`;
      }
    }
    return output satisfies Output;
  });
}

/** Pack or unpack a file; returns what goes to the standard output. */
function one(file: string, given: Given, context: Context): string {
  const unpacking = given.has("d", "t");
  const suffix = given.get("S") ?? ".gz";
  if (unpacking && file !== "-" && !file.endsWith(".tgz") && !file.endsWith(suffix) && !given.has("c", "t"))
    throw new Fault(`${file}: unknown suffix -- ignored`, 2);
  const data = bytesOf(read(context, file));
  const result = unpacking ? unpacked(data, file) : packed(data, given);
  if (given.has("t")) return "";
  if (file === "-" || given.has("c")) return latin1(result);
  const target = unpacking
    ? file.replace(/\.tgz$/, `.tar${suffix}`).slice(0, -suffix.length)
    : `${file}${suffix}`;
  const path = resolve(context, target);
  if (ground.files.has(path) && !given.has("f"))
    throw new Fault(`${target} already exists; use -f to replace it`, 2);
  ground.files.tree.write(path, result);
  if (!given.has("k")) ground.files.tree.remove(resolve(context, file));
  return "";
}

function packed(data: Uint8Array, given: Given): Uint8Array {
  const level = [..."123456789"].findLast((each) => given.has(each)) ?? "6";
  return gzipSync(data, { level: Number(level) as 6 });
}

function unpacked(data: Uint8Array, file: string): Uint8Array {
  const name = file === "-" ? "stdin" : file;
  if (data[0] !== 0x1f || data[1] !== 0x8b) throw new Fault(`${name}: not in gzip format`);
  try {
    return gunzipSync(data);
  } catch {
    throw new Fault(`${name}: unexpected end of file`);
  }
}
