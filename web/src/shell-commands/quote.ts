/** A word as it may be given to a shell. */

export function shellQuoted(text: string): string {
  if (text === "") return "''";
  if (/[\0-\x1f\x7f\udc80-\udcff]/.test(text)) {
    const named: Record<string, string> = {
      "\n": "\\n",
      "\t": "\\t",
      "\r": "\\r",
      "\x1b": "\\E",
      "\x07": "\\a",
      "\b": "\\b",
      "\f": "\\f",
      "\v": "\\v",
    };
    const escaped = text
      .replace(/[\\']/g, "\\$&")
      .replace(
        /[\0-\x1f\x7f\udc80-\udcff]/g,
        (each) => named[each] ?? `\\${(each.charCodeAt(0) & 0xff).toString(8).padStart(3, "0")}`,
      );
    return `$'${escaped}'`;
  }
  return text.replace(/[^\w@%+=:./,\-\u0080-\uffff]/g, "\\$&").replace(/^~/, "\\~");
}
