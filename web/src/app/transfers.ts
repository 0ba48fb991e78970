/** Downloads and uploads of the project's files: what runs, how far it is, and what went wrong. */

import type { Sandbox, SandboxEvent } from "../api";
import { isArchive } from "./dropped";
import { Observable } from "./observable";
import { tarOf, type Upload } from "./tar";

type Progress = Extract<SandboxEvent, { type: "archive:progress" }>;
type OnConflict = "error" | "overwrite";

/** One at a time. */
export class Transfers extends Observable {
  /** What runs, for people. */
  running: "" | "Downloading" | "Uploading" = "";
  progress: Progress | undefined;
  /** Why the last one failed. */
  failure = "";
  /** Does the last upload again, replacing what exists; there when that was why it failed. */
  replace: (() => Promise<void>) | undefined;

  constructor(private readonly sandbox: Sandbox) {
    super();
  }

  /** Take in an event of the sandbox. */
  apply(event: Progress): void {
    if (!this.running) return;
    this.progress = event;
    this.changed();
  }

  /** Hand the project to the visitor as a zip named after the sandbox. */
  async download(): Promise<void> {
    await this.#run("Downloading", async () => {
      const archive = await this.sandbox.exportArchive({ format: "zip" });
      const type = "application/zip";
      save(
        await new Response(archive, { headers: { "content-type": type } }).blob(),
        `${this.sandbox.id}.zip`,
      );
    });
  }

  /** Put files into the project's directory; archives that stand alone are unpacked. */
  async upload(collecting: Upload[] | Promise<Upload[]>, onConflict: OnConflict = "error"): Promise<void> {
    let uploads: Upload[] = [];
    const failed = await this.#run("Uploading", async () => {
      uploads = await collecting;
      const [first] = uploads;
      if (uploads.length === 1 && first?.file && isArchive(first.file))
        await this.sandbox.importArchive(first.file, { onConflict });
      else if (first) await this.sandbox.importArchive(tarOf(uploads), { format: "tar", onConflict });
    });
    if (failed instanceof Error && failed.name === "ArchiveConflictError" && onConflict === "error")
      this.replace = () => this.upload(uploads, "overwrite");
    this.changed();
  }

  /** Forget what went wrong. */
  dismiss(): void {
    this.failure = "";
    this.replace = undefined;
    this.changed();
  }

  /** Returns the error, if there was one. */
  async #run(what: "Downloading" | "Uploading", work: () => Promise<void>): Promise<unknown> {
    if (this.running) return;
    this.dismiss();
    this.running = what;
    this.changed();
    try {
      await work();
    } catch (error) {
      this.failure = error instanceof Error ? error.message : String(error);
      return error;
    } finally {
      this.running = "";
      this.progress = undefined;
      this.changed();
    }
  }
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser has begun to read by then, and the bytes would stay in memory otherwise.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
