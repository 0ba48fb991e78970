/** The bar between two regions: dragged, or moved with the arrow keys, it changes their sizes. */

import { customElement, property } from "lit/decorators.js";
import { LightElement } from "./element";
import { store, stored } from "./preferences";

const KEY = "inbrowser.layout";
const STEP = 2;

/** Sets a custom property of its parent, the grid, to a share in percent. */
@customElement("inb-splitter")
export class Splitter extends LightElement {
  /** The custom property. */
  @property() size = "";
  @property() axis: "x" | "y" = "x";
  /** Whether the sized region lies after the bar. */
  @property({ type: Boolean }) trailing = false;
  @property({ type: Number }) value = 30;
  @property({ type: Number }) min = 10;
  @property({ type: Number }) max = 60;
  #usual = 30;

  override connectedCallback(): void {
    super.connectedCallback();
    this.tabIndex = 0;
    this.setAttribute("role", "separator");
    this.setAttribute("aria-orientation", this.axis === "x" ? "vertical" : "horizontal");
    this.setAttribute("aria-valuemin", String(this.min));
    this.setAttribute("aria-valuemax", String(this.max));
    this.#usual = this.value;
    this.addEventListener("pointerdown", this.#grab);
    this.addEventListener("keydown", this.#key);
    this.addEventListener("dblclick", this.#reset);
    this.#set(Number(sizes()[this.size] ?? this.value));
  }

  #set(value: number): void {
    this.value = Math.min(Math.max(Number.isFinite(value) ? value : this.#usual, this.min), this.max);
    this.setAttribute("aria-valuenow", String(Math.round(this.value)));
    this.parentElement?.style.setProperty(this.size, `${this.value.toFixed(2)}%`);
  }

  #keep(): void {
    store(KEY, { ...sizes(), [this.size]: this.value });
  }

  #grab = (down: PointerEvent) => {
    const grid = this.parentElement;
    if (down.button !== 0 || !grid) return;
    down.preventDefault();
    this.focus();
    this.setPointerCapture(down.pointerId);
    const whole = this.axis === "x" ? grid.clientWidth : grid.clientHeight;
    const at = (event: PointerEvent) => (this.axis === "x" ? event.clientX : event.clientY);
    const [start, from] = [at(down), this.value];
    const move = (event: PointerEvent) => {
      const moved = ((at(event) - start) / whole) * 100;
      this.#set(from + (this.trailing ? -moved : moved));
    };
    const end = () => {
      this.removeEventListener("pointermove", move);
      document.body.classList.remove("resizing");
      this.#keep();
    };
    document.body.classList.add("resizing");
    this.addEventListener("pointermove", move);
    this.addEventListener("lostpointercapture", end, { once: true });
  };

  #key = (event: KeyboardEvent) => {
    const [less, more] = this.axis === "x" ? ["ArrowLeft", "ArrowRight"] : ["ArrowUp", "ArrowDown"];
    const sign = this.trailing ? -1 : 1;
    if (event.key === less) this.#set(this.value - STEP * sign);
    else if (event.key === more) this.#set(this.value + STEP * sign);
    else if (event.key === "Home") this.#set(this.min);
    else if (event.key === "End") this.#set(this.max);
    else return;
    event.preventDefault();
    this.#keep();
  };

  #reset = () => {
    this.#set(this.#usual);
    this.#keep();
  };
}

function sizes(): Record<string, unknown> {
  return (stored(KEY) as Record<string, unknown> | undefined) ?? {};
}
