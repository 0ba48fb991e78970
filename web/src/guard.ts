/** What may not be changed in a tree, for whoever tries: the kernel's mount and the shells' mirrors ask this. */

/** Paths are relative to the root. Regular expressions have the same meaning in Python and JavaScript. */
export interface Rules {
  /** Why nothing at all may be changed. */
  readOnly?: string | undefined;
  locks: { pattern: string; message: string }[];
}

export class Refusal extends Error {
  constructor(
    readonly path: string,
    readonly kind: "read-only" | "locked",
    message: string,
  ) {
    super(message);
  }
}

export class Guard {
  private readonly locks: { pattern: RegExp; message: string }[];

  constructor(readonly rules: Rules) {
    this.locks = rules.locks.map(({ pattern, message }) => ({ pattern: new RegExp(pattern, "su"), message }));
  }

  /** Throw Refusal if a path may not be changed. */
  check(path: string): void {
    const { readOnly } = this.rules;
    if (readOnly) throw new Refusal(path, "read-only", readOnly);
    for (const { pattern, message } of this.locks)
      if (pattern.test(path)) throw new Refusal(path, "locked", `${path} ${message}`);
  }

  /** Tell whether a directory's contents have to be checked one by one when it moves. */
  get hasLocks(): boolean {
    return this.locks.length > 0;
  }
}
