/** Long lists of equal rows, of which the DOM holds only those in sight. */

import type { ReactiveController, ReactiveControllerHost } from "lit";

/** Rows kept ready above and below what is in sight. */
const SPARE = 12;

export interface RowRange {
  first: number;
  /** One past the last. */
  end: number;
}

/**
 * Follows the scroll position of one element of its host, whose only child is as high as all rows together.
 * Sizes are read when the browser tells of them, never while rendering: that would lay out the page at once.
 */
export class RowWindow implements ReactiveController {
  /** Whether the end of the list is in sight; new rows then stay in sight. */
  atEnd = true;
  #scroller: HTMLElement | undefined;
  #top = 0;
  #height = 600;
  #sizes = new ResizeObserver(() => this.#resized());

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
    const inSight = Math.ceil(this.#height / this.rowHeight);
    const latest = Math.max(count - inSight, 0);
    const top = this.sticky && this.atEnd ? latest : Math.min(Math.floor(this.#top / this.rowHeight), latest);
    return { first: Math.max(top - SPARE, 0), end: Math.min(top + inSight + SPARE, count) };
  }

  /** Scroll as little as needed to have the row in sight. */
  reveal(index: number): void {
    const top = index * this.rowHeight;
    const bottom = top + this.rowHeight;
    if (top < this.#top) this.#scroller?.scrollTo({ top });
    else if (bottom > this.#top + this.#height) this.#scroller?.scrollTo({ top: bottom - this.#height });
  }

  hostUpdated(): void {
    const scroller = this.find() ?? undefined;
    if (scroller === this.#scroller) return;
    this.hostDisconnected();
    this.#scroller = scroller;
    scroller?.addEventListener("scroll", this.#scrolled, { passive: true });
    for (const element of [scroller, scroller?.firstElementChild]) if (element) this.#sizes.observe(element);
  }

  hostDisconnected(): void {
    this.#sizes.disconnect();
    this.#scroller?.removeEventListener("scroll", this.#scrolled);
    this.#scroller = undefined;
  }

  #resized(): void {
    const scroller = this.#scroller;
    if (!scroller?.clientHeight) return;
    const changed = scroller.clientHeight !== this.#height;
    this.#height = scroller.clientHeight;
    if (this.sticky && this.atEnd) scroller.scrollTop = scroller.scrollHeight;
    if (changed) this.host.requestUpdate();
  }

  #scrolled = (): void => {
    const scroller = this.#scroller;
    if (!scroller?.clientHeight) return;
    this.#top = scroller.scrollTop;
    const before = this.atEnd;
    this.atEnd = scroller.scrollHeight - this.#top - scroller.clientHeight < this.rowHeight;
    // At the end the rows in sight do not depend on the position.
    if (!(this.sticky && before && this.atEnd)) this.host.requestUpdate();
  };
}
