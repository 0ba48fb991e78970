/** How numbers and names are shown. */

/** `4 ms`, `1.2 s`, `2 min 5 s`. */
export function duration(ms: number): string {
  if (ms < 999.5) return `${ms < 9.5 ? ms.toFixed(ms < 0.95 ? 1 : 0) : Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

/** `12 B`, `3.4 kB`, `5.0 MB`. */
export function bytes(count: number): string {
  if (count < 1000) return `${count} B`;
  return count < 999_950 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(1)} MB`;
}

/** Time since another moment, both in ms: `0.00 s`, `73.1 s`. */
export function offset(ms: number): string {
  const seconds = Math.max(ms, 0) / 1000;
  return `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`;
}

/** A moment in ms since the epoch: the time of day, with the day before it unless that is today. */
export function moment(ms: number): string {
  const date = new Date(ms);
  const time = date.toLocaleTimeString("en-GB");
  return date.toDateString() === new Date().toDateString()
    ? time
    : `${date.toLocaleDateString("en-GB", { day: "numeric", month: "short", year: "numeric" })}, ${time}`;
}

/** Who did it, for people: the origin of an event. */
export function originName(origin: string): string {
  return origin.startsWith("session:") ? "agent" : origin;
}

/** A name on one line: control characters as visible signs, so that no file can hide its real name. */
export function visible(name: string): string {
  return name.replace(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu, (sign) => {
    const code = sign.codePointAt(0) ?? 0;
    return code < 0x20 ? String.fromCodePoint(0x2400 + code) : "\ufffd";
  });
}

/** The first `length` characters on one line. */
export function oneLine(text: string, length: number): string {
  const line = text
    .slice(0, length * 2)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > length || text.length > length * 2 ? `${line.slice(0, length - 1)}…` : line;
}

/** Return a terminal's output without colours and the like. */
export function plainText(output: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it is about.
  return output.replace(/\x1b\[[0-?]*[ -/]*[@-~]/g, "");
}

export function plural(count: number, noun: string): string {
  return `${count.toLocaleString("en")} ${noun}${count === 1 ? "" : "s"}`;
}

/** US dollars: `$0.0012`, `$0.035`, `$1.20`. */
export function money(dollars: number): string {
  if (dollars >= 1 || dollars === 0) return `$${dollars.toFixed(2)}`;
  const places = dollars >= 0.01 ? 3 : Math.min(Math.ceil(-Math.log10(dollars)) + 1, 8);
  return `$${dollars.toFixed(places)}`;
}
