// The script of a preview's frames, as one text: preview.ts puts it into documents that can load nothing.
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Return the text, safe to stand in a script element. */
export async function previewFrame() {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL("../src/preview-frame.ts", import.meta.url))],
    bundle: true,
    format: "iife",
    target: "es2022",
    minify: true,
    write: false,
  });
  return outputFiles[0].text.trim();
}
