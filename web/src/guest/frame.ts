/** The script of the frame that guests run in: see host.ts. */

import { fetchForShell } from "./fetching";
import type { GuestParts, ToFrame } from "./messages";
import { Starter } from "./starter";

/** Called once, with what the page sends first. */
export function begin(parts: GuestParts, port: MessagePort): void {
  const starter = new Starter(parts);
  port.onmessage = ({ data }: MessageEvent<ToFrame>) => {
    if (data.type === "fetch") void fetchForShell(data);
    else if (data.type !== "warm") starter.receive(data);
  };
}
