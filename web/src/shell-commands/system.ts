/** What a script asks of its machine, and the commands that run others. */

import type { Command } from "just-bash/browser";
import {
  type Context,
  command,
  Fault,
  type Given,
  output,
  parse,
  type Result,
  read,
  resolve,
  stdin,
  tool,
} from "./command";
import { ground } from "./ground";
import { shellQuoted } from "./quote";

/** Commands that want somebody at a keyboard, and what does the same without. */
const SCREENS: Record<string, string> = {
  less: "use cat, head or sed -n '1,50p'",
  more: "use cat, head or sed -n '1,50p'",
  man: "use the command's --help",
  vi: "use sed -i, or write the file with cat <<'EOF' > FILE",
  vim: "use sed -i, or write the file with cat <<'EOF' > FILE",
  nano: "use sed -i, or write the file with cat <<'EOF' > FILE",
  emacs: "use sed -i, or write the file with cat <<'EOF' > FILE",
  top: "use jobs",
  htop: "use jobs",
  watch: "use a loop with sleep",
};
const HOST: Record<string, string> = {
  s: "Linux",
  n: "localhost",
  r: "6.1.0",
  v: "#1 SMP",
  m: "wasm32",
  p: "unknown",
  i: "unknown",
  o: "GNU/Linux",
};

export const system: Command[] = [
  ...Object.entries(SCREENS).map(([name, instead]) =>
    command(name, () => output("", 1, `${name}: there is no terminal to show this on; ${instead}\n`)),
  ),
  tool("uname", "a s n r v m p i o all=a kernel-name=s machine=m", (given) => {
    const wanted = Object.keys(HOST).filter(
      (each) => given.has(each) || (given.has("a") && !"pi".includes(each)),
    );
    return `${(wanted.length ? wanted : ["s"]).map((each) => HOST[each]).join(" ")}\n`;
  }),
  tool("arch", "", () => `${HOST.m}\n`),
  tool("nproc", "all=a a ignore=i: i:", () => "1\n"),
  tool("tty", "s", (given) => ({ text: given.has("s") ? "" : "not a tty\n", code: 1 })),
  tool("id", "u g n G r user=u group=g name=n groups=G real=r", (given) =>
    given.has("u", "g", "G")
      ? given.has("n")
        ? "user\n"
        : "1000\n"
      : "uid=1000(user) gid=1000(user) groups=1000(user)\n",
  ),
  tool("groups", "", () => "user\n"),
  tool("logname", "", () => "user\n"),
  tool("uptime", "p s", () => " 00:00:00 up 0 min,  1 user,  load average: 0.00, 0.00, 0.00\n"),
  tool(
    "free",
    "h m g k b",
    () => "               total        used        free\nMem:          524288           0      524288\n",
  ),
  tool(
    "df",
    "h k m T P i a B: human-readable=h",
    () =>
      "Filesystem     1K-blocks  Used Available Use% Mounted on\nmemory            524288  1024    523264   1% /\n",
  ),
  tool("ps", "a u x e f o: p: A", () => "    PID TTY          TIME CMD\n      1 ?        00:00:00 bash\n"),
  tool("sync", "", () => ""),
  tool("stty", "a", () => ({ code: 1, errors: "stty: 'standard input': Inappropriate ioctl for device\n" })),
  tool("tput", "T:", (given) =>
    given.rest[0] === "cols" ? "80\n" : given.rest[0] === "lines" ? "24\n" : "",
  ),
  tool("clear", "", () => ""),
  tool("reset", "", () => ""),
  tool("getconf", "a", (given) => ({
    text:
      { ARG_MAX: "2097152\n", PAGESIZE: "4096\n", PAGE_SIZE: "4096\n", _NPROCESSORS_ONLN: "1\n" }[
        given.rest[0] as "ARG_MAX"
      ] ?? "undefined\n",
  })),
  tool("locale", "a m", () => "LANG=C.UTF-8\nLC_ALL=\n"),
  tool("yes", "", (given) => {
    const line = `${given.rest.join(" ") || "y"}\n`;
    // Enough to be cut where it is shown, and quickly made.
    return { text: line.repeat(Math.ceil(6_000_000 / line.length)), code: 141 };
  }),
  ...["nice", "ionice", "stdbuf", "nohup", "setsid", "chrt"].map((name) =>
    command(name, (args, context) => passOn(name, args, context)),
  ),
  command("env", env),
  tool("envsubst", "v variables=v", (given, context) => {
    const only = given.rest.join(" ").match(/[A-Za-z_]\w*/g);
    const exported = context.exportedEnv ?? {};
    return {
      out: read(context, "-").replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (whole, braced, plain) =>
        only && !only.includes(braced ?? plain) ? whole : (exported[braced ?? plain] ?? ""),
      ),
    };
  }),
  command("getopt", getopt),
  tool("mktemp", "d u q t p: directory=d dry-run=u tmpdir=p suffix=s: s:", mktemp),
];

/** Run the rest of the words as a command, with these variables. */
async function execute(
  words: string[],
  context: Context,
  env: Record<string, string> = { ...context.exportedEnv },
): Promise<Result> {
  if (!context.exec) throw new Fault("cannot run commands here");
  const { internalOutputAccounting: _, ...result } = await context.exec(words.map(shellQuoted).join(" "), {
    cwd: context.cwd,
    env,
    replaceEnv: true,
    stdin: stdin(context),
    stdinKind: "bytes",
  });
  return result;
}

async function passOn(name: string, args: string[], context: Context): Promise<Result> {
  let at = 0;
  while (args[at]?.startsWith("-"))
    at += /^-[noieIEOc]$/.test(args[at] as string) && name !== "nohup" ? 2 : 1;
  if (at >= args.length) {
    if (name === "nice") return output("0\n");
    throw new Fault("missing operand", 125);
  }
  return await execute(args.slice(at), context);
}

async function env(args: string[], context: Context): Promise<Result> {
  const split = args
    .flatMap((each, at) =>
      args[at - 1] === "-S" || each.startsWith("-S")
        ? each.replace(/^-S/, "").split(/\s+/).filter(Boolean)
        : [each],
    )
    .filter((each) => each !== "-S");
  let at = 0;
  let variables: Record<string, string> = { ...context.exportedEnv };
  let { cwd } = context;
  let end = "\n";
  for (; at < split.length; at++) {
    const each = split[at] as string;
    if (each === "-i" || each === "-" || each === "--ignore-environment") variables = {};
    else if (each === "-0" || each === "--null") end = "\0";
    else if (each === "-u" || each === "--unset") delete variables[split[++at] ?? ""];
    else if (/^(-u|--unset=)/.test(each)) delete variables[each.replace(/^(-u|--unset=)/, "")];
    else if (each === "-C") cwd = resolve(context, split[++at] ?? "");
    else if (each.includes("=") && !each.startsWith("-"))
      variables[each.slice(0, each.indexOf("="))] = each.slice(each.indexOf("=") + 1);
    else if (each === "--") {
      at += 1;
      break;
    } else if (each.startsWith("-")) throw new Fault(`invalid option -- '${each.replace(/^-+/, "")}'`, 125);
    else break;
  }
  const words = split.slice(at);
  if (words[0] === "env")
    return await env(words.slice(1), Object.create(context, { exportedEnv: { value: variables } }));
  if (!words.length)
    return output(
      Object.entries(variables)
        .map(([name, value]) => `${name}=${value}${end}`)
        .join(""),
    );
  const place = Object.create(context, { cwd: { value: cwd } }) as Context;
  return await execute(words, place, { PATH: "/usr/bin:/bin", ...variables });
}

function mktemp(given: Given, context: Context): string {
  const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
  const template = given.rest[0] ?? "tmp.XXXXXXXXXX";
  const folder =
    given.get("p") ||
    (given.has("t", "p") || !given.rest.length ? (context.exportedEnv?.TMPDIR ?? "/tmp") : "");
  const whole = `${folder ? `${folder}/` : ""}${template}${given.get("s") ?? ""}`;
  if (!/X{3,}/.test(template)) throw new Fault(`too few X's in template '${template}'`);
  const random = () => letters[Math.floor(Math.random() * letters.length)] as string;
  const name = whole.replace(/X{3,}(?!.*X{3,})/, (places) => Array.from(places, random).join(""));
  const path = resolve(context, name);
  if (given.has("u")) return `${name}\n`;
  try {
    if (given.has("d")) ground.files.tree.makeDirectory(path);
    else ground.files.tree.write(path, new Uint8Array(0));
    ground.files.tree.setAttributes("chmod", path, { mode: given.has("d") ? 0o700 : 0o600 });
  } catch {
    throw new Fault(
      `failed to create ${given.has("d") ? "directory" : "file"} via template '${whole}': No such file or directory`,
    );
  }
  return `${name}\n`;
}

/** The separate program that reorders options; `getopts` is a builtin. */
function getopt(args: string[]): Result {
  const own = parse(args, "o: l: n: q Q u T a s: options=o longoptions=l long=l name=n");
  const short = own.get("o") ?? own.rest.shift() ?? "";
  const long = own
    .all("l")
    .join(",")
    .split(",")
    .filter(Boolean)
    .map((each) => each.replace(/:+$/, (colons) => (colons.length ? "=x:" : "")));
  const letters = (short.match(/[^:]:*/g) ?? []).map((each) => each.replace("::", "?"));
  const order: string[] = [];
  const rest: string[] = [];
  const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  for (let at = 0; at < own.rest.length; at++) {
    const each = own.rest[at] as string;
    if (each === "--") {
      rest.push(...own.rest.slice(at + 1));
      break;
    }
    if (each.startsWith("--")) {
      const [name = "", ...value] = each.slice(2).split("=");
      const known = long.find((one) => one.replace("=x:", "") === name);
      if (!known) throw new Fault(`unrecognized option '${each}'`);
      order.push(`--${name}`);
      if (known.endsWith("=x:")) order.push(quote(value.length ? value.join("=") : (own.rest[++at] ?? "")));
    } else if (each.startsWith("-") && each.length > 1) {
      for (let place = 1; place < each.length; place++) {
        const letter = each[place] as string;
        const known = letters.find((one) => one[0] === letter);
        if (!known) throw new Fault(`invalid option -- '${letter}'`);
        order.push(`-${letter}`);
        if (known.length > 1) {
          order.push(quote(each.slice(place + 1) || (known[1] === ":" ? (own.rest[++at] ?? "") : "")));
          break;
        }
      }
    } else rest.push(each);
  }
  return output(` ${[...order, "--", ...rest.map(quote)].join(" ")}\n`);
}
