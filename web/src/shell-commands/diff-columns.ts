/** diff -y: two files beside each other, in columns. */

import { toBytes, toText } from "../shell-text";

export interface Change {
  oldStart: number;
  newStart: number;
  removed: string[];
  added: string[];
}

export interface Layout {
  width: number;
  expandTabs: boolean;
  /** Of lines that both have, show the left one alone. */
  leftColumn: boolean;
  changesOnly: boolean;
}

const TAB = 8;
const LEAST_GUTTER = 3;

/** Lines are given with their ends, in bytes. */
export function sideBySide(left: string[], right: string[], changes: Change[], layout: Layout): string {
  const columns = new Columns(layout);
  const text = (all: string[]) => all.map(toText);
  const [a, b] = [text(left), text(right)];
  let [oldAt, newAt] = [0, 0];
  const common = (oldEnd: number, newEnd: number) => {
    if (!layout.changesOnly) columns.common(a.slice(oldAt, oldEnd), b.slice(newAt, newEnd));
  };
  for (const { oldStart, newStart, removed, added } of changes) {
    common(oldStart, newStart);
    columns.changed(text(removed), text(added));
    oldAt = oldStart + removed.length;
    newAt = newStart + added.length;
  }
  common(a.length, b.length);
  return toBytes(columns.out);
}

class Columns {
  out = "";
  private readonly half: number;
  private readonly second: number;

  constructor(private readonly layout: Layout) {
    const { width, expandTabs } = layout;
    const tab = expandTabs ? 1 : TAB;
    const least = tab + LEAST_GUTTER;
    const middle = (width >> 1) + (least >> 1) + (width & least & 1);
    const aligned = middle - (middle % tab);
    this.half = Math.max(0, Math.min(aligned - LEAST_GUTTER, width - aligned));
    this.second = this.half ? aligned : width;
  }

  common(left: string[], right: string[]): void {
    const both = this.layout.leftColumn ? 0 : Math.min(left.length, right.length);
    for (let at = 0; at < both; at++) this.line(left[at], " ", right[at]);
    if (!this.layout.leftColumn) for (const each of right.slice(both)) this.line(undefined, ")", each);
    for (const each of left.slice(both)) this.line(each, "(", undefined);
  }

  changed(removed: string[], added: string[]): void {
    const both = Math.min(removed.length, added.length);
    for (let at = 0; at < both; at++) this.line(removed[at], "|", added[at]);
    for (const each of added.slice(both)) this.line(undefined, ">", each);
    for (const each of removed.slice(both)) this.line(each, "<", undefined);
  }

  private line(left: string | undefined, sign: string, right: string | undefined): void {
    const [first, second] = [left?.endsWith("\n") ?? false, right?.endsWith("\n") ?? false];
    let column = left === undefined ? 0 : this.part(left, 0);
    if (sign !== " ") {
      const place = (this.half + this.second - 1) >> 1;
      this.move(column, place);
      this.out += sign === "|" && first !== second ? (first ? "/" : "\\") : sign;
      column = place + 1;
    }
    if (right !== undefined && right !== "\n") {
      this.move(column, this.second);
      this.part(right, this.second);
    }
    if (first || second) this.out += "\n";
  }

  /** Put out what of a line fits into its column; returns where that ends. */
  private part(line: string, indent: number): number {
    let read = 0;
    let written = 0;
    for (const each of line.replace(/\n$/, "")) {
      if (each === "\t") {
        const stop = written + TAB - (read % TAB);
        if (read === written) {
          if (this.layout.expandTabs) {
            const end = Math.min(this.half, stop);
            this.out += " ".repeat(Math.max(0, end - written));
            written = Math.max(written, end);
          } else if (stop < this.half) {
            this.out += each;
            written = stop;
          }
        }
        read += TAB - (read % TAB);
      } else if (each === "\r") {
        this.out += each;
        this.move(0, indent);
        read = 0;
        written = 0;
      } else if (read++ < this.half) {
        this.out += each;
        written = read;
      }
    }
    return written;
  }

  private move(from: number, to: number): void {
    let at = from;
    if (!this.layout.expandTabs)
      for (let stop = at + TAB - (at % TAB); stop <= to; stop += TAB) {
        this.out += "\t";
        at = stop;
      }
    this.out += " ".repeat(Math.max(0, to - at));
  }
}
