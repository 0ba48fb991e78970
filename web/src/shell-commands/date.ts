/** date: the time, in UTC, in words and out of words. */

import { Fault, reasonOf, resolve, tool } from "./command";
import { ground } from "./ground";

const DAYS = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];
const ISO: Record<string, string> = {
  "": "%Y-%m-%d",
  date: "%Y-%m-%d",
  hours: "%Y-%m-%dT%H%:z",
  minutes: "%Y-%m-%dT%H:%M%:z",
  seconds: "%Y-%m-%dT%H:%M:%S%:z",
  ns: "%Y-%m-%dT%H:%M:%S,%N%:z",
};
const UNITS: Record<string, number> = {
  sec: 1,
  second: 1,
  min: 60,
  minute: 60,
  hour: 3600,
  day: 86400,
  week: 604800,
  fortnight: 1209600,
};

export const date = tool(
  "date",
  "d: r: u I? R f: s: date=d reference=r utc=u universal=u iso-8601=I rfc-email=R rfc-2822=R rfc-3339=3? 3? file=f set=s",
  (given, context) => {
    let time = new Date();
    const text = given.get("d");
    const file = given.get("r");
    if (given.has("s")) throw new Fault("cannot set date: Operation not permitted");
    if (file !== undefined) {
      try {
        time = new Date(ground.files.tree.find("stat", resolve(context, file)).mtime);
      } catch (error) {
        throw new Fault(`${file}: ${reasonOf(error)}`);
      }
    } else if (text !== undefined) {
      const parsed = parseDate(text, time);
      if (!parsed) throw new Fault(`invalid date '${text}'`);
      time = parsed;
    }
    const format = given.rest.find((each) => each.startsWith("+"))?.slice(1);
    if (format !== undefined) return `${strftime(format, time)}\n`;
    if (given.has("I")) return `${strftime(ISO[given.get("I") ?? ""] ?? (ISO.date as string), time)}\n`;
    if (given.has("R")) return `${strftime("%a, %d %b %Y %H:%M:%S %z", time)}\n`;
    if (given.has("3"))
      return `${strftime((ISO[given.get("3") ?? ""] ?? "%Y-%m-%d").replace("T", " "), time)}\n`;
    return `${strftime("%a %b %e %H:%M:%S UTC %Y", time)}\n`;
  },
);

/** Read a date as GNU's does: times, days, and steps from there. */
export function parseDate(text: string, now: Date): Date | undefined {
  const time = new Date(now);
  let rest = text.trim().replace(/^TZ="[^"]*"\s*/, "");
  let dated = false;
  let zone: number | undefined;
  const steps: [number, string][] = [];
  const take = (pattern: RegExp): RegExpExecArray | null => {
    const match = pattern.exec(rest);
    if (match) rest = rest.slice(match[0].length).trimStart();
    return match;
  };
  const midnight = () => {
    if (!dated) time.setUTCHours(0, 0, 0, 0);
    dated = true;
  };
  const month = (name: string) =>
    MONTHS.findIndex((each) => each.toLowerCase().startsWith(name.slice(0, 3).toLowerCase()));
  while (rest) {
    let match = take(/^@(-?\d+(?:\.\d+)?)/);
    if (match) {
      time.setTime(Number(match[1]) * 1000);
      dated = true;
      continue;
    }
    match =
      take(/^(\d{4})-(\d{1,2})-(\d{1,2})(?:[T ](?=\d{1,2}:))?/) ??
      take(/^(\d{4})\/(\d{1,2})\/(\d{1,2})/) ??
      take(/^(\d{4})(\d{2})(\d{2})(?=$|[T ])T?/);
    if (match) {
      midnight();
      const [, y, m, d] = match.map(Number) as [number, number, number, number];
      if (m < 1 || m > 12 || d < 1 || d > new Date(Date.UTC(y, m, 0)).getUTCDate()) return undefined;
      time.setUTCFullYear(y, m - 1, d);
      continue;
    }
    match = take(/^(\d{1,2})\/(\d{1,2})\/(\d{4})/);
    if (match) {
      midnight();
      time.setUTCFullYear(Number(match[3]), Number(match[1]) - 1, Number(match[2]));
      continue;
    }
    match = take(/^T?(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,](\d+))?)?\s*(am|pm)?/i);
    if (match) {
      const hour = (Number(match[1]) % (match[5] ? 12 : 24)) + (match[5]?.toLowerCase() === "pm" ? 12 : 0);
      if (Number(match[1]) > 23 || Number(match[2]) > 59) return undefined;
      time.setUTCHours(
        hour,
        Number(match[2]),
        Number(match[3] ?? 0),
        Math.floor(Number(`0.${match[4] ?? 0}`) * 1000),
      );
      dated = true;
      continue;
    }
    match = take(/^(?:Z|UTC|GMT)\b/i);
    if (match) {
      zone = 0;
      continue;
    }
    match = dated ? take(/^([-+])(\d{2}):?(\d{2})(?![\d ]*\s*(?:sec|min|hour|day|week|month|year))/) : null;
    if (match) {
      zone = (match[1] === "-" ? -1 : 1) * (Number(match[2]) * 60 + Number(match[3]));
      continue;
    }
    match = take(/^(now|today|midnight|noon|yesterday|tomorrow)\b/i);
    if (match) {
      const word = (match[1] as string).toLowerCase();
      if (word === "midnight") time.setUTCHours(0, 0, 0, 0);
      if (word === "noon") time.setUTCHours(12, 0, 0, 0);
      if (word === "yesterday" || word === "tomorrow") steps.push([word === "tomorrow" ? 1 : -1, "day"]);
      continue;
    }
    match =
      take(
        /^([-+]?)\s*(\d+|next|last|this|an?)\s*(sec|second|min|minute|hour|day|week|fortnight|month|year)s?\b(\s+ago)?/i,
      ) ?? take(/^()(next|last)?\s*(sec|second|min|minute|hour|day|week|fortnight|month|year)s?\b(\s+ago)?/i);
    if (match) {
      const count =
        { next: 1, last: -1, this: 0, a: 1, an: 1 }[(match[2] ?? "a").toLowerCase()] ?? Number(match[2]);
      steps.push([
        count * (match[1] === "-" ? -1 : 1) * (match[4] ? -1 : 1),
        (match[3] as string).toLowerCase(),
      ]);
      continue;
    }
    match = take(/^(?:(next|last|this)\s+)?(sun|mon|tue|wed|thu|fri|sat)[a-z]*\.?,?/i);
    if (match) {
      midnight();
      const named = (match[2] as string).toLowerCase();
      const day = DAYS.findIndex((each) => each.toLowerCase().startsWith(named));
      const ahead = (day - time.getUTCDay() + 7) % 7;
      steps.push([
        match[1]?.toLowerCase() === "last"
          ? ahead - 7
          : match[1]?.toLowerCase() === "next" && !ahead
            ? 7
            : ahead,
        "day",
      ]);
      continue;
    }
    const day = take(/^(\d{1,2})[ -]([A-Za-z]{3,9})(?:[ -](\d{4}))?/);
    match = day ?? take(/^([A-Za-z]{3,9}) +(\d{1,2})(?:,? +(\d{4})(?!:))?/);
    const found = match ? month((day ? match[2] : match[1]) as string) : -1;
    if (!match || found < 0) return undefined;
    midnight();
    time.setUTCFullYear(Number(match[3] ?? time.getUTCFullYear()), found, Number(day ? match[1] : match[2]));
  }
  if (zone) time.setTime(time.getTime() - zone * 60_000);
  for (const [count, unit] of steps) {
    if (unit === "month") time.setUTCMonth(time.getUTCMonth() + count);
    else if (unit === "year") time.setUTCFullYear(time.getUTCFullYear() + count);
    else time.setTime(time.getTime() + count * (UNITS[unit] as number) * 1000);
  }
  return Number.isNaN(time.getTime()) ? undefined : time;
}

export function strftime(format: string, time: Date): string {
  return format.replace(
    /%([-_0^#]?)(\d*)(:*)([a-zA-Z%])/g,
    (whole, flag: string, width: string, colons: string, letter: string) => {
      const shown = field(letter, colons, time);
      if (shown === undefined) return whole;
      let text = shown;
      if (flag === "-") text = text.replace(/^[0 ]+(?=.)/, "");
      if (flag === "_") text = text.replace(/^0+(?=.)/, (zeros) => " ".repeat(zeros.length));
      if (flag === "^") text = text.toUpperCase();
      return width ? text.padStart(Number(width), flag === "_" ? " " : "0") : text;
    },
  );
}

function field(letter: string, colons: string, time: Date): string | undefined {
  const pad = (value: number, width = 2, fill = "0") => String(value).padStart(width, fill);
  const hour = time.getUTCHours();
  const day = time.getUTCDay();
  const year = time.getUTCFullYear();
  const start = Date.UTC(year, 0, 1);
  const dayOfYear = Math.floor((time.getTime() - start) / 86_400_000) + 1;
  const name = (list: string[], at: number) => list[at] as string;
  const again = (format: string) => strftime(format, time);
  switch (letter) {
    case "%":
      return "%";
    case "a":
      return name(DAYS, day).slice(0, 3);
    case "A":
      return name(DAYS, day);
    case "b":
    case "h":
      return name(MONTHS, time.getUTCMonth()).slice(0, 3);
    case "B":
      return name(MONTHS, time.getUTCMonth());
    case "c":
      return again("%a %b %e %H:%M:%S %Y");
    case "C":
      return pad(Math.floor(year / 100));
    case "d":
      return pad(time.getUTCDate());
    case "D":
    case "x":
      return again("%m/%d/%y");
    case "e":
      return pad(time.getUTCDate(), 2, " ");
    case "F":
      return again("%Y-%m-%d");
    case "g":
      return pad(isoWeek(time).year % 100);
    case "G":
      return String(isoWeek(time).year);
    case "H":
      return pad(hour);
    case "I":
      return pad(hour % 12 || 12);
    case "j":
      return pad(dayOfYear, 3);
    case "k":
      return pad(hour, 2, " ");
    case "l":
      return pad(hour % 12 || 12, 2, " ");
    case "m":
      return pad(time.getUTCMonth() + 1);
    case "M":
      return pad(time.getUTCMinutes());
    case "n":
      return "\n";
    case "N":
      return `${pad(time.getUTCMilliseconds(), 3)}000000`;
    case "p":
      return hour < 12 ? "AM" : "PM";
    case "P":
      return hour < 12 ? "am" : "pm";
    case "q":
      return String(Math.floor(time.getUTCMonth() / 3) + 1);
    case "r":
      return again("%I:%M:%S %p");
    case "R":
      return again("%H:%M");
    case "s":
      return String(Math.floor(time.getTime() / 1000));
    case "S":
      return pad(time.getUTCSeconds());
    case "t":
      return "\t";
    case "T":
    case "X":
      return again("%H:%M:%S");
    case "u":
      return String(day || 7);
    case "U":
      return pad(Math.floor((dayOfYear + 6 - day) / 7));
    case "V":
      return pad(isoWeek(time).week);
    case "w":
      return String(day);
    case "W":
      return pad(Math.floor((dayOfYear + 6 - ((day + 6) % 7)) / 7));
    case "y":
      return pad(year % 100);
    case "Y":
      return String(year);
    case "z":
      return colons ? "+00:00" : "+0000";
    case "Z":
      return "UTC";
    default:
      return undefined;
  }
}

function isoWeek(time: Date): { year: number; week: number } {
  const thursday = new Date(time);
  thursday.setUTCDate(time.getUTCDate() + 4 - (time.getUTCDay() || 7));
  const year = thursday.getUTCFullYear();
  return { year, week: Math.ceil(((thursday.getTime() - Date.UTC(year, 0, 1)) / 86_400_000 + 1) / 7) };
}
