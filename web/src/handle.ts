/** Names of objects in Python that outlive the kernel they were made in. */

import type { Life } from "./life";
import { crashError } from "./supervisor";

/** Stands for an object in Python and, after a restart of the kernel, for the one made in its place. */
export class Handle {
  #life: Life | undefined;
  #name: Promise<string> | undefined;

  /** `make` makes the object in a life of the kernel, when it is first asked for there, and returns its name. */
  constructor(private readonly make: (life: Life) => Promise<string>) {}

  /** A handle to what cannot be made again. `kind` names it in the error that says so. */
  static once(life: Life, name: string, kind: string): Handle {
    const handle = new Handle(async (asked) => {
      if (asked === life) return name;
      throw crashError(`the ${kind} went with the kernel that it ran in; begin another one`);
    });
    void handle.in(life);
    return handle;
  }

  /** Return the object's name. */
  in(life: Life): Promise<string> {
    if (this.#life !== life || !this.#name) {
      this.#life = life;
      this.#name = this.make(life);
      this.#name.catch(() => {}); // Whoever uses it is told.
    }
    return this.#name;
  }

  /** Return the name if there is one in that life, and make nothing. */
  async known(life: Life): Promise<string | undefined> {
    return this.#life === life ? this.#name?.catch(() => undefined) : undefined;
  }
}
