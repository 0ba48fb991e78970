/** Dates in words, as `date -d` reads them: GNU's forms, and `noon` and `midnight`. */

const MONTH = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAY = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
const MONTHS =
  "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept|sep|oct|nov|dec";
const DAYS =
  "sunday|monday|tuesday|wednesday|thursday|friday|saturday|sun|mon|tues|tue|wednes|wed|thurs|thur|thu|fri|sat";
const ORDINALS: Record<string, number> = {
  last: -1,
  this: 0,
  next: 1,
  first: 1,
  third: 3,
  fourth: 4,
  fifth: 5,
  sixth: 6,
  seventh: 7,
  eighth: 8,
  ninth: 9,
  tenth: 10,
  eleventh: 11,
  twelfth: 12,
};
/** In seconds; months and years are no fixed time. */
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
/** Hours ahead of UTC. */
const ZONES: Record<string, number> = {
  utc: 0,
  gmt: 0,
  z: 0,
  wet: 0,
  west: 1,
  bst: 1,
  cet: 1,
  cest: 2,
  eet: 2,
  eest: 3,
  msk: 3,
  ist: 5.5,
  sgt: 8,
  jst: 9,
  nzst: 12,
  nzdt: 13,
  art: -3,
  brt: -3,
  est: -5,
  edt: -4,
  cst: -6,
  cdt: -5,
  mst: -7,
  mdt: -6,
  pst: -8,
  pdt: -7,
  hst: -10,
};

const UNIT = `(${Object.keys(UNITS).join("|")}|month|year)s?\\b(\\s*ago\\b)?`;
const ORDINAL = Object.keys(ORDINALS).join("|");
const MERIDIAN = "(am|pm|a\\.m\\.|p\\.m\\.)(?![a-z])";
const OFFSET = "([-+])\\s*(\\d{1,2})(?::?(\\d{2}))?(?![\\d:])";

class Unreadable extends Error {}

/** Returns undefined for what is no date. */
export function parseDate(text: string, now: Date): Date | undefined {
  try {
    return new Reading(text, now).time();
  } catch (error) {
    if (error instanceof Unreadable) return undefined;
    throw error;
  }
}

class Reading {
  private rest: string;
  private date: [number, number, number] | undefined;
  /** Milliseconds from midnight. */
  private clock: number | undefined;
  private zone: number | undefined;
  private day: { number: number; ordinal: number } | undefined;
  private stepped = false;
  private hasYear = false;
  private months = 0;
  private days = 0;
  private seconds = 0;

  constructor(
    text: string,
    private readonly now: Date,
  ) {
    this.rest = text
      .replace(/^\s*TZ="[^"]*"/, "")
      .replace(/\([^()]*\)/g, " ")
      .trim();
  }

  time(): Date {
    const [, since] = /^@([-+]?\d+(?:[.,]\d+)?)$/.exec(this.rest) ?? [];
    if (since) return checked(new Date(Number(since.replace(",", ".")) * 1000));
    while (this.rest) {
      const known =
        this.takeDate() || this.takeClock() || this.takeZone() || this.takeStep() || this.takeDay();
      if (!known && !this.takeNumber()) throw new Unreadable();
    }
    return this.sum();
  }

  private sum(): Date {
    const { now, date, day } = this;
    const keepsClock = this.stepped && !date && !day;
    const clock = this.clock ?? (keepsClock ? now.getTime() - startOf(now) : 0);
    const time = new Date(date ? dateOf(...date) : startOf(now));
    if (day && !date) {
      const { number, ordinal } = day;
      const weeks = ordinal - Number(ordinal > 0 && time.getUTCDay() !== number);
      time.setUTCDate(time.getUTCDate() + ((number - time.getUTCDay() + 7) % 7) + 7 * weeks);
    }
    time.setUTCMonth(time.getUTCMonth() + this.months);
    time.setUTCDate(time.getUTCDate() + this.days);
    return checked(new Date(time.getTime() + clock + this.seconds * 1000 - (this.zone ?? 0) * 60_000));
  }

  private take(pattern: string): RegExpExecArray | null {
    const match = new RegExp(`^(?:${pattern})`, "i").exec(this.rest);
    if (match) this.rest = this.rest.slice(match[0].length).trimStart();
    return match;
  }

  private takeDate(): boolean {
    let match = this.take("(\\d+)-(\\d{1,2})-(\\d{1,2})(?!\\d)");
    match ??= this.take("(\\d{4,})/(\\d{1,2})/(\\d{1,2})(?!\\d)");
    if (match) return this.setDate(match[1], match[2], match[3]);
    match = this.take("(\\d{1,2})/(\\d{1,2})(?:/(\\d+))?(?!\\d)");
    if (match) return this.setDate(match[3], match[1], match[2]);
    match = this.take(`(\\d{1,2})[- ]*(${MONTHS})(?![a-z])\\.?(?:[- ]*(\\d+)(?![\\d:]|\\s*${MERIDIAN}))?`);
    if (match) return this.setDate(match[3], monthOf(match[2]), match[1]);
    match = this.take(`(${MONTHS})(?![a-z])\\.?-(\\d{1,2})-(\\d+)`);
    match ??= this.take(`(${MONTHS})(?![a-z])\\.? *(\\d{1,2})(?![\\d:])(?:\\s*,\\s*(\\d+)(?!:))?`);
    return Boolean(match && this.setDate(match[3], monthOf(match[1]), match[2]));
  }

  private setDate(year: string | undefined, month: string | number = 0, day = ""): boolean {
    if (this.date) throw new Unreadable();
    this.hasYear = year !== undefined;
    this.date = [year ? fullYear(year) : this.now.getUTCFullYear(), Number(month), Number(day)];
    return true;
  }

  private takeClock(): boolean {
    const match = this.take(
      `(?:T(?=\\d))?(\\d{1,2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d+))?)?(?!\\d)\\s*(?:${MERIDIAN}|${OFFSET})?`,
    );
    if (match) {
      const [, hour, minute, second, fraction, meridian, sign, ahead, more] = match;
      this.setClock(hour as string, minute, second, Number(`0.${fraction ?? 0}`), meridian);
      if (sign) this.setZone(offset(sign, ahead, more));
      return true;
    }
    const short = this.take(`(\\d{1,2})\\s*${MERIDIAN}`);
    if (short) this.setClock(short[1] as string, "0", "0", 0, short[2]);
    const word = short ? null : this.take("(noon|midnight)\\b");
    if (word) this.setClock(/noon/i.test(word[0]) ? "12" : "0");
    return Boolean(short ?? word);
  }

  private setClock(hour: string, minute = "0", second = "0", fraction = 0, meridian?: string): void {
    const given = Number(hour);
    const valid = meridian ? given >= 1 && given <= 12 : given <= 23;
    if (this.clock !== undefined || !valid || Number(minute) > 59 || Number(second) > 59)
      throw new Unreadable();
    const hours = meridian ? (given % 12) + (/^p/i.test(meridian) ? 12 : 0) : given;
    const seconds = hours * 3600 + Number(minute) * 60 + Number(second);
    this.clock = seconds * 1000 + Math.floor(fraction * 1000);
  }

  private takeZone(): boolean {
    const match = this.take(`(${Object.keys(ZONES).join("|")})(?![a-z])`);
    if (!match) return false;
    const ahead = this.take(`${OFFSET}(?!\\s*${UNIT})`);
    const hours = ZONES[(match[1] as string).toLowerCase()] as number;
    this.setZone(hours * 60 + (ahead ? offset(ahead[1], ahead[2], ahead[3]) : 0));
    return true;
  }

  private setZone(minutes: number): void {
    if (this.zone !== undefined || Math.abs(minutes) > 24 * 60) throw new Unreadable();
    this.zone = minutes;
  }

  private takeStep(): boolean {
    const word = this.take("(now|today|yesterday|tomorrow)\\b");
    if (word) {
      const name = (word[1] as string).toLowerCase();
      this.step({ yesterday: -1, tomorrow: 1 }[name] ?? 0, "day");
      return true;
    }
    const match = this.take(`(?:([-+]?)\\s*(\\d+)|(${ORDINAL})\\b)?\\s*${UNIT}`);
    if (!match) return false;
    const [, sign, count, ordinal, unit = "", ago] = match;
    const size = ordinal ? (ORDINALS[ordinal.toLowerCase()] as number) : Number(count ?? 1);
    this.step(size * (sign === "-" ? -1 : 1) * (ago ? -1 : 1), unit.toLowerCase());
    return true;
  }

  private step(count: number, unit: string): void {
    this.stepped = true;
    const seconds = UNITS[unit];
    if (unit === "month") this.months += count;
    else if (unit === "year") this.months += 12 * count;
    else if (seconds !== undefined && seconds % 86400 === 0) this.days += (count * seconds) / 86400;
    else this.seconds += count * (seconds as number);
  }

  private takeDay(): boolean {
    const match = this.take(`(?:(${ORDINAL}|\\d+)\\s*\\b)?(${DAYS})(?![a-z])\\.?\\s*,?`);
    if (!match) return false;
    if (this.day) throw new Unreadable();
    const [, ordinal = "0", name = ""] = match;
    this.day = {
      number: DAY.indexOf(name.slice(0, 3).toLowerCase()),
      ordinal: ORDINALS[ordinal.toLowerCase()] ?? Number(ordinal),
    };
    return true;
  }

  /** A number alone is a year, a date or a time, by what is known already. */
  private takeNumber(): boolean {
    const digits = this.take("(\\d+)T?(?![a-z])")?.[1];
    if (!digits) return false;
    if (this.date && !this.hasYear && !this.stepped && (this.clock !== undefined || digits.length > 2)) {
      this.date[0] = fullYear(digits);
      this.hasYear = true;
    } else if (digits.length > 4) this.setDate(digits.slice(0, -4), digits.slice(-4, -2), digits.slice(-2));
    else
      this.setClock(digits.slice(0, digits.length > 2 ? -2 : undefined), digits.slice(2) && digits.slice(-2));
    return true;
  }
}

function checked(time: Date): Date {
  if (Number.isNaN(time.getTime())) throw new Unreadable();
  return time;
}

function startOf(time: Date): number {
  return Math.floor(time.getTime() / 86_400_000) * 86_400_000;
}

function dateOf(year: number, month: number, day: number): number {
  const time = new Date(0);
  time.setUTCFullYear(year, month - 1, day);
  if (time.getUTCMonth() !== month - 1 || time.getUTCDate() !== day) throw new Unreadable();
  return time.getTime();
}

/** Two digits are a year from 1969 to 2068. */
function fullYear(digits: string): number {
  const year = Number(digits);
  return digits.length > 2 ? year : year + (year < 69 ? 2000 : 1900);
}

function monthOf(name = ""): number {
  return MONTH.indexOf(name.slice(0, 3).toLowerCase()) + 1;
}

function offset(sign = "+", hours = "0", minutes = "0"): number {
  return (sign === "-" ? -1 : 1) * (Number(hours) * 60 + Number(minutes));
}
