/** Long lists of equal rows, of which the DOM holds only those in sight. */

import type { ReactiveController, ReactiveControllerHost } from "lit";

/** Rows kept ready above and below what is in sight. */
const SPARE = 12;

export interface RowRange {
  first: number;
  /** One past the last. */
  end: number;
}

/** Follows the scroll position of one element of its host. */
export class RowWindow implements ReactiveController {
  /** Whether the end of the list is in sight; new rows then stay in sight. */
  atEnd = true;
  #scroller: HTMLElement | undefined;
  #sizes = new ResizeObserver(() => this.host.requestUpdate());

  constructor(
    private readonly host: ReactiveControllerHost,
    private readonly rowHeight: number,
    private readonly find: () => HTMLElement | null,
    /** Whether new rows at the end are scrolled into sight. */
    private readonly sticky = false,
  ) {
    host.addController(this);
  }

  /** The rows to render, of `count`. */
  range(count: number): RowRange {
    const { scrollTop = 0, clientHeight = 0 } = this.#scroller ?? {};
    const inSight = Math.ceil((clientHeight || 600) / this.rowHeight);
    const latest = Math.max(count - inSight, 0);
    const top = this.sticky && this.atEnd ? latest : Math.min(Math.floor(scrollTop / this.rowHeight), latest);
    return { first: Math.max(top - SPARE, 0), end: Math.min(top + inSight + SPARE, count) };
  }

  /** Scroll as little as needed to have the row in sight. */
  reveal(index: number): void {
    const scroller = this.#scroller;
    if (!scroller) return;
    const top = index * this.rowHeight;
    if (top < scroller.scrollTop) scroller.scrollTop = top;
    else if (top + this.rowHeight > scroller.scrollTop + scroller.clientHeight)
      scroller.scrollTop = top + this.rowHeight - scroller.clientHeight;
  }

  hostUpdated(): void {
    const scroller = this.find() ?? undefined;
    if (scroller !== this.#scroller) {
      this.#sizes.disconnect();
      this.#scroller?.removeEventListener("scroll", this.#scrolled);
      this.#scroller = scroller;
      scroller?.addEventListener("scroll", this.#scrolled, { passive: true });
      if (scroller) this.#sizes.observe(scroller);
    }
    if (scroller && this.sticky && this.atEnd) scroller.scrollTop = scroller.scrollHeight;
  }

  hostDisconnected(): void {
    this.#sizes.disconnect();
    this.#scroller?.removeEventListener("scroll", this.#scrolled);
    this.#scroller = undefined;
  }

  #scrolled = (): void => {
    const scroller = this.#scroller;
    if (!scroller?.clientHeight) return;
    this.atEnd = scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight < this.rowHeight;
    this.host.requestUpdate();
  };
}
