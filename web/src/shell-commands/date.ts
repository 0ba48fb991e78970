/** date: the time, in UTC, in words and out of words. */

import { Fault, reasonOf, resolve, tool } from "./command";
import { parseDate } from "./date-text";
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
      if (!parsed) throw new Fault(`invalid date ‘${text}’`);
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
      if (letter === "N") return text.slice(0, Number(width || text.length));
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
