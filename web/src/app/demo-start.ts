/** The state that the demo starts from, and how to get back to it. */

import type { Sandbox } from "../api";

const BEFORE = "Before the demo";
const AFTER = "After the demo";

/**
 * Keep the files as they are; undo leads back to them. If nothing changed since the demo ran last, it starts from where
 * it started then; else every file stays, and the demo writes over its own. Returns the checkpoint's id.
 */
export async function beforeDemo({ checkpoints }: Sandbox): Promise<string> {
  const last = await checkpoints.latest({ label: AFTER });
  const before = last?.metadata?.before;
  if (last && typeof before === "string" && !(await checkpoints.diff(last.id)).files.length) {
    const known = await checkpoints.list({ label: BEFORE });
    if (known.some(({ id }) => id === before)) {
      await checkpoints.restore(before);
      return before;
    }
  }
  return (await checkpoints.create({ label: BEFORE })).id;
}

/** Keep what the demo made. */
export async function afterDemo({ checkpoints }: Sandbox, before: string): Promise<void> {
  await checkpoints.create({ label: AFTER, metadata: { before } });
}
