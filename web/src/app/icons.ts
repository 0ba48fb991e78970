/** Line icons on a 24 px grid, drawn in the text's colour. */

import { html, svg, type TemplateResult } from "lit";

const PATHS = {
  alert: "M12 4 2.8 19.5h18.4zM12 10v4.2M12 17v.1",
  arrowDown: "M12 5v14m-6-6 6 6 6-6",
  back: "M20 12H5m6-6-6 6 6 6",
  build: "m14 6 4 4M4 20l9.5-9.5M12 4l8 8 1.5-1.5-8-8zM4 20v-2.5L12.2 9.3l2.5 2.5L6.5 20z",
  chat: "M4 5h16v11H10l-4.5 4v-4H4z",
  check: "m5 12.5 4.5 4.5L19 7.5",
  chevron: "m9 6 6 6-6 6",
  clock: "M12 3.5a8.5 8.5 0 1 0 0 17 8.5 8.5 0 0 0 0-17M12 7.5V12l3 2",
  code: "m8.5 7-5 5 5 5m7-10 5 5-5 5",
  compare: "M9 4v16M15 4v16M9 7H4.5v10H9M15 7h4.5v10H15",
  copy: "M9 9h11v11H9zM15 9V4H4v11h5",
  cross: "m6 6 12 12M18 6 6 18",
  download: "M12 4v11m-5-5 5 5 5-5M5 19.5h14",
  file: "M6 3.5h8l4 4v13H6zM14 3.5v4h4",
  fileMinus: "M6 3.5h8l4 4v13H6zM9 14h6",
  filePlus: "M6 3.5h8l4 4v13H6zM9 14h6m-3-3v6",
  folder: "M3.5 6h6l2 2.5h9v10h-17z",
  folderOpen: "M3.5 18.5V6h6l2 2.5h7V11M3.5 18.5l3-7.5h15l-3 7.5z",
  history: "M4.5 4.5V9H9M5 9a8 8 0 1 1-.9 4.5M12 8v4.5l3 1.8",
  layers: "m12 4 8.5 4.5L12 13 3.5 8.5zM4 12.5l8 4.2 8-4.2M4 16.3l8 4.2 8-4.2",
  link: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.7-5.7l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.7 5.7l1-1",
  lock: "M6 11h12v9H6zM8.5 11V8a3.5 3.5 0 0 1 7 0v3",
  maximise: "M14 4h6v6M10 20H4v-6M20 4l-7 7M4 20l7-7",
  moon: "M19.5 14.5A8 8 0 0 1 9.5 4.5a8 8 0 1 0 10 10z",
  output: "M5 7h14M5 12h14M5 17h9",
  play: "M8 5.5v13l10.5-6.5z",
  plus: "M12 5v14m-7-7h14",
  preview: "M3.5 5h17v14h-17zM3.5 9.5h17M6.2 7.2v.1m2.5-.1v.1",
  redo: "M19.5 5v5h-5M19 10H9.5a5 5 0 0 0 0 10H14",
  reload: "M19 8.5A8 8 0 1 0 20 13M19.5 4v4.5H15",
  restore: "M20 10h-6V4M4 14h6v6M14 10l7-7M10 14l-7 7",
  search: "M10.5 4.5a6 6 0 1 0 0 12 6 6 0 0 0 0-12M15 15l5 5",
  send: "M12 19V5.5m-6 6 6-6 6 6",
  settings:
    "M4 7h9m5 0h2M4 17h2m5 0h9M15.5 4.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5M8.5 14.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5",
  spark: "M12 3.5 13.8 10l6.7 2-6.7 2L12 20.5 10.2 14l-6.7-2 6.7-2z",
  stop: "M7 7h10v10H7z",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8M12 2.5v2m0 15v2M2.5 12h2m15 0h2M5.3 5.3l1.4 1.4m10.6 10.6 1.4 1.4m0-13.4-1.4 1.4M6.7 17.3l-1.4 1.4",
  system: "M3.5 5h17v11h-17zM9 20h6m-3-4v4",
  terminal: "m4.5 7 5 5-5 5M12.5 17.5h7",
  tool: "M20.2 7.3a5 5 0 0 1-6.7 6l-6 6a2.1 2.1 0 0 1-3-3l6-6a5 5 0 0 1 6-6.7l-3 3 .7 3.2 3.2.7z",
  trash: "M4.5 6.5h15M9 6.5V4h6v2.5M6.5 6.5l1 13.5h9l1-13.5M10 10.5v6m4-6v6",
  undo: "M4.5 5v5h5M5 10h9.5a5 5 0 0 1 0 10H10",
  unlocked: "M6 11h12v9H6zM8.5 11V7.5a3.5 3.5 0 0 1 6.8-1.2",
  upload: "M12 15V4m-5 5 5-5 5 5M5 19.5h14",
} as const;

export type IconName = keyof typeof PATHS;

/** Return an icon; it is decoration, so whatever holds it needs a name of its own. */
export function icon(name: IconName): TemplateResult {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">${svg`<path d=${PATHS[name]}></path>`}</svg>`;
}

/** The product's mark: a window with a prompt in it. */
export const MARK = html`<svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
  <rect class="mark-body" x="2" y="3" width="28" height="26" rx="7"></rect>
  <path class="mark-line" d="m9 12 5 4.5-5 4.5M17 21.5h6.5"></path>
</svg>`;
