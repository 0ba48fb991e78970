/** Check sums and printable encodings: md5sum and its like, cksum, base64, base32. */

import { blake2b } from "@noble/hashes/blake2.js";
import { md5, sha1 } from "@noble/hashes/legacy.js";
import { sha224, sha256, sha384, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Command } from "just-bash/browser";
import { bytesOf, latin1 } from "../shell-text";
import { type Context, Fault, type Given, lines, type Output, read, tool } from "./command";

type Sum = (data: Uint8Array) => Uint8Array;

const KINDS: Record<string, Sum> = {
  b2sum: blake2b,
  md5sum: md5,
  sha1sum: sha1,
  sha224sum: sha224,
  sha256sum: sha256,
  sha384sum: sha384,
  sha512sum: sha512,
};

export const sums: Command[] = [
  ...Object.entries(KINDS).map(([name, kind]) => summing(name, (data) => bytesToHex(kind(data)))),
  tool("cksum", "", (given, context) => {
    const rows = (given.rest.length ? given.rest : ["-"]).map((name) => {
      const data = bytesOf(read(context, name));
      return `${crc(data)} ${data.length}${name === "-" ? "" : ` ${name}`}\n`;
    });
    return { out: rows.join("") };
  }),
  tool("sum", "r s", (given, context) => {
    const rows = (given.rest.length ? given.rest : ["-"]).map((name) => {
      const data = bytesOf(read(context, name));
      let sum = 0;
      for (const byte of data) sum = (((sum >> 1) | ((sum & 1) << 15)) + byte) & 0xffff;
      return `${String(sum).padStart(5, "0")} ${String(Math.ceil(data.length / 1024)).padStart(5)}${given.rest.length > 1 ? ` ${name}` : ""}\n`;
    });
    return { out: rows.join("") };
  }),
  tool("base64", "d D w: i decode=d wrap=w ignore-garbage=i", (given, context) => {
    const data = read(context, given.rest[0] ?? "-");
    if (!given.has("d", "D")) return { out: wrapped(btoa(data), given.number("w", 76)) };
    try {
      return { out: atob(data.replace(given.has("i") ? /[^A-Za-z0-9+/=]/g : /\s/g, "")) };
    } catch {
      throw new Fault("invalid input");
    }
  }),
  tool("base32", "d w: i decode=d wrap=w ignore-garbage=i", (given, context) => {
    const data = read(context, given.rest[0] ?? "-");
    return {
      out: given.has("d")
        ? fromBase32(data.replace(/[\s=]/g, ""))
        : wrapped(toBase32(data), given.number("w", 76)),
    };
  }),
];

function summing(name: string, sum: (data: Uint8Array) => string): Command {
  return tool(
    name,
    "b t c z check=c quiet=q status=s strict=S ignore-missing=m tag=T binary=b text=t warn=w q s S m T w",
    (given, context) => {
      if (given.has("c")) return check(name, sum, given, context);
      const output: Output = { out: "", errors: "" };
      for (const each of given.rest.length ? given.rest : ["-"]) {
        try {
          output.out += `${sum(bytesOf(read(context, each)))}  ${each}\n`;
        } catch (error) {
          if (!(error instanceof Fault)) throw error;
          output.errors += `${name}: ${error.message}\n`;
        }
      }
      return output;
    },
  );
}

function check(name: string, sum: (data: Uint8Array) => string, given: Given, context: Context): Output {
  let out = "";
  let errors = "";
  let failed = 0;
  let missing = 0;
  for (const line of (given.rest.length ? given.rest : ["-"]).flatMap((each) => lines(read(context, each)))) {
    const [, wanted, file] = /^\\?([0-9a-fA-F]+) [ *](.*)$/.exec(line) ?? [];
    if (!wanted || !file) continue;
    let state = "OK";
    try {
      if (sum(bytesOf(read(context, file))) !== wanted.toLowerCase()) {
        state = "FAILED";
        failed += 1;
      }
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      if (given.has("m")) continue;
      errors += `${name}: ${error.message}\n`;
      state = "FAILED open or read";
      missing += 1;
    }
    if (!given.has("s") && !(given.has("q") && state === "OK")) out += `${file}: ${state}\n`;
  }
  const files = (count: number) => (count === 1 ? `${count} listed file` : `${count} listed files`);
  if (missing && !given.has("s")) errors += `${name}: WARNING: ${files(missing)} could not be read\n`;
  if (failed && !given.has("s"))
    errors += `${name}: WARNING: ${failed} computed checksum${failed === 1 ? "" : "s"} did NOT match\n`;
  return { out, errors, code: failed || missing ? 1 : 0 };
}

function wrapped(text: string, width: number): string {
  if (!width) return text;
  return text ? `${text.match(new RegExp(`.{1,${width}}`, "g"))?.join("\n")}\n` : "";
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

function toBase32(data: string): string {
  let bits = "";
  for (let at = 0; at < data.length; at++) bits += data.charCodeAt(at).toString(2).padStart(8, "0");
  const groups = bits.match(/.{1,5}/g) ?? [];
  const text = groups.map((each) => BASE32[Number.parseInt(each.padEnd(5, "0"), 2)]).join("");
  return text.padEnd(Math.ceil(text.length / 8) * 8, "=");
}

function fromBase32(text: string): string {
  let bits = "";
  for (const each of text) {
    const value = BASE32.indexOf(each);
    if (value < 0) throw new Fault("invalid input");
    bits += value.toString(2).padStart(5, "0");
  }
  const bytes = bits.match(/.{8}/g) ?? [];
  return latin1(Uint8Array.from(bytes, (each) => Number.parseInt(each, 2)));
}

function crc(data: Uint8Array): number {
  let sum = 0;
  const feed = (byte: number) => {
    sum ^= byte << 24;
    for (let bit = 0; bit < 8; bit++) sum = sum & 0x80000000 ? (sum << 1) ^ 0x04c11db7 : sum << 1;
  };
  for (const byte of data) feed(byte);
  for (let length = data.length; length; length = Math.floor(length / 256)) feed(length & 0xff);
  return ~sum >>> 0;
}
