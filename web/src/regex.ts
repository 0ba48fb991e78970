/** Regular expressions whose search takes time linear in the text (RE2), so that no pattern can hang the kernel. */

import { type Matcher, RE2JS } from "re2js";

const LINE_FEED = 10;

/** Compile; throws an Error whose message ends with the part of the pattern at fault after a tab. */
export function compilePattern(pattern: string, ignoreCase: boolean): Searcher {
  try {
    return new Searcher(RE2JS.compile(pattern, RE2JS.MULTILINE | (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0)));
  } catch (error) {
    const { error: reason, input } = error as { error?: string; input?: string };
    throw new Error(`${reason ?? String(error)}\t${input ?? ""}`);
  }
}

/** Searches one text at a time. Texts are UTF-8, and places in them byte offsets. */
export class Searcher {
  /** Where the last match ended. */
  end = 0;
  private room = new Uint8Array(0);
  private text = this.room;
  private matcher: Matcher | undefined;

  constructor(private readonly regex: RE2JS) {}

  /** Return another searcher for the same pattern, to search another text in between. */
  twin(): Searcher {
    return new Searcher(this.regex);
  }

  /** Return the place to copy a text of `size` bytes into: cheaper than to hand the text over. */
  load(size: number): Uint8Array {
    if (size > this.room.length) this.room = new Uint8Array(2 * size);
    this.text = this.room.subarray(0, size);
    this.matcher = undefined;
    return this.text;
  }

  /** Return where the first match from `start` on begins, or -1. */
  search(start: number): number {
    // Most searches find nothing, and `test` tells that several times as fast as `find`. A line that begins a text
    // looks the same to it as one inside.
    const lineBegins = start === 0 || this.text[start - 1] === LINE_FEED;
    if (lineBegins && !this.regex.test(this.text.subarray(start))) return -1;
    this.matcher ??= this.regex.matcher(this.text);
    if (!this.matcher.find(start)) return -1;
    this.end = this.matcher.end();
    return this.matcher.start();
  }
}
