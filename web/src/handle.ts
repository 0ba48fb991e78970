/** Names of objects in Python that outlive the kernel they were made in. */

import type { Life } from "./life";
import { crashError, runningKernel } from "./supervisor";

/** Where the object of a handle is. It knows nothing of the handle, and so does not keep it. */
interface Made {
  life?: Life;
  name?: Promise<string>;
}

const unreachable = new FinalizationRegistry<Made>((made) => void release(made));

/**
 * Stands for an object in Python and, after a restart of the kernel, for the one made in its place. Whatever uses the
 * object holds its handle: the object is released once nothing does.
 */
export class Handle {
  readonly #made: Made = {};

  /** `make` makes the object in a life of the kernel, when it is first asked for there, and returns its name. */
  constructor(private readonly make: (life: Life) => Promise<string>) {
    unreachable.register(this, this.#made);
  }

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
    const made = this.#made;
    if (made.life !== life || !made.name) {
      made.life = life;
      made.name = this.make(life);
      made.name.catch(() => {}); // Whoever uses it is told.
    }
    return made.name;
  }

  /** Release the object now. */
  release(): Promise<void> {
    return release(this.#made);
  }
}

async function release(made: Made): Promise<void> {
  try {
    const life = await runningKernel();
    if (life && life === made.life) await life.during(life.kernel.release((await made.name) as string));
  } catch {
    // It was not made, or the kernel is dead and holds nothing.
  }
}
