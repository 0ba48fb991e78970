/** What a visitor dropped or chose: files, folders with all that is in them, archives. */

import type { Upload } from "./tar";

const ARCHIVE = /\.(zip|tar|tgz|tar\.gz)$/i;

/** Whether a file is unpacked rather than kept. */
export function isArchive(file: File): boolean {
  return ARCHIVE.test(file.name);
}

/** Return files and folders that were dropped. Must be called in the event's own turn: later they are gone. */
export function dropped(transfer: DataTransfer): Promise<Upload[]> {
  const entries = [...transfer.items]
    .filter((item) => item.kind === "file")
    .map((item) => item.webkitGetAsEntry() ?? item.getAsFile());
  return collect(entries);
}

async function collect(entries: (FileSystemEntry | File | null)[]): Promise<Upload[]> {
  const uploads: Upload[] = [];
  const visit = async (entry: FileSystemEntry | File | null, prefix: string) => {
    if (!entry) return;
    const path = prefix + entry.name;
    if (entry instanceof File) uploads.push({ path, file: entry });
    else if (entry.isFile) uploads.push({ path, file: await fileOf(entry as FileSystemFileEntry) });
    else {
      uploads.push({ path });
      for (const child of await childrenOf(entry as FileSystemDirectoryEntry)) await visit(child, `${path}/`);
    }
  };
  for (const entry of entries) await visit(entry, "");
  return uploads;
}

function fileOf(entry: FileSystemFileEntry): Promise<File> {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

/** A reader gives a hundred at a time, and nothing at the end. */
async function childrenOf(directory: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = directory.createReader();
  const children: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!some.length) return children;
    children.push(...some);
  }
}
