// The licences of everything in dist/ that others have written, as one text.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { unzipSync } from "fflate";

const LICENSE = /^(licen[cs]e|copying|notice|authors)/i;
// What packages contain besides their own code, and say nothing of in files of their own.
const INSIDE = {
  "jq-wasm": "Contains jq (MIT, Stephen Dolan and contributors) and Oniguruma (BSD-2-Clause, K. Kosako).",
  "@wllama/wllama": "Contains llama.cpp and ggml (MIT, the ggml authors).",
  pyodide: "Contains CPython (PSF-2.0) and Emscripten's libraries (MIT and NCSA).",
};

function section(name, version, license, texts) {
  const title = `${name} ${version} (${license})`;
  return [title, "-".repeat(title.length), ...(INSIDE[name] ? [INSIDE[name]] : []), ...texts].join("\n\n");
}

/** Packages of npm, without those that only build. */
function fromNpm(web) {
  const { packages } = JSON.parse(readFileSync(join(web, "package-lock.json"), "utf8"));
  const installed = Object.entries(packages).filter(([path, { dev, optional }]) => path && !dev && !optional);
  return installed.map(([path]) => {
    const folder = join(web, path);
    const { name, version, license, repository } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    const files = readdirSync(folder).filter((file) => LICENSE.test(file));
    const texts = files.map((file) => readFileSync(join(folder, file), "utf8").trim());
    return section(name, version, license, texts.length ? texts : [`Source: ${repository?.url ?? name}`]);
  });
}

/** Wheels; they carry their licences in `*.dist-info`. */
function fromPython(folders) {
  const paths = folders.flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)));
  return paths
    .filter((path) => path.endsWith(".whl"))
    .map((path) => {
      const found = unzipSync(readFileSync(path), { filter: ({ name }) => name.includes(".dist-info/") });
      const text = (file) => new TextDecoder().decode(found[file]).trim();
      const metadata = text(Object.keys(found).find((file) => file.endsWith(".dist-info/METADATA")));
      const field = (name) => metadata.match(new RegExp(`^${name}: (.*)$`, "m"))?.[1];
      const files = Object.keys(found).filter((file) => LICENSE.test(file.split("/").at(-1)));
      return section(
        field("Name"),
        field("Version"),
        field("License-Expression") ?? field("License") ?? "see below",
        files.map(text),
      );
    });
}

/** Return the text; `wheels` are folders. */
export function licenses(web, wheels) {
  const intro = "inbrowser is made with these packages, whose licences follow.";
  const all = [...fromNpm(web), ...fromPython(wheels)];
  return `${[intro, ...new Set(all)].join("\n\n\n")}\n`;
}
