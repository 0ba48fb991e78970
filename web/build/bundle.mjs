// node build/bundle.mjs DIST CACHE
// Bundles web/src and writes dist/: entry points under fixed names, everything else under names that hold a hash
// of the contents, so that hosts and the service worker may keep those for ever.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, extname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { jqWasm } from "./jq-wasm.mjs";
import { justBash } from "./just-bash.mjs";
import { licenses } from "./licenses.mjs";
import { previewFrame } from "./preview-frame.mjs";

const [dist, cache] = process.argv.slice(2);
const web = fileURLToPath(new URL("..", import.meta.url));
const modules = join(web, "node_modules");
const hash = (data, length = 10) => createHash("sha256").update(data).digest("hex").slice(0, length);

mkdirSync(join(dist, "assets"));

function asset(file) {
  const data = readFileSync(file);
  const extension = extname(file);
  const path = `assets/${basename(file, extension)}-${hash(data)}${extension}`;
  writeFileSync(join(dist, path), data);
  return { path, bytes: data.length };
}

/** The packs of what can be installed without a network, with an index beside them. */
function bundledPackages() {
  const entries = JSON.parse(readFileSync(join(cache, "bundled/bundled.json"), "utf8"));
  for (const entry of entries)
    Object.assign(entry, { pack: asset(join(cache, `bundled/${entry.name}.pack`)) });
  const path = join(cache, "bundled/packages.json");
  writeFileSync(path, JSON.stringify(entries));
  return asset(path);
}

const assets = {
  pyodideModule: asset(join(modules, "pyodide/pyodide.asm.mjs")),
  pyodideWasm: asset(join(modules, "pyodide/pyodide.asm.wasm")),
  stdlib: asset(join(cache, "stdlib.zip")),
  packages: asset(join(cache, "packages/packages.pack")),
  inbrowser: asset(join(cache, "inbrowser/packages.pack")),
  pydanticCore: asset(join(cache, "packages/pydantic_core.wasm")),
  esbuildWasm: asset(join(modules, "esbuild-wasm/esbuild.wasm")),
  wllama: asset(join(modules, "@wllama/wllama/esm/wasm/wllama.wasm")),
  jqWasm: asset(join(modules, "jq-wasm/dist/build/jq.wasm")),
  installer: asset(join(cache, "bundled/installer.pack")),
  bundled: bundledPackages(),
};
// Scripts that stand alone; nothing in them depends on the names of other files.
async function script(path) {
  const outfile = join(dist, "assets", `${basename(path)}.js`);
  const entryPoints = [join(web, `src/${path}.ts`)];
  await build({
    entryPoints,
    bundle: true,
    format: "esm",
    target: "es2022",
    minify: true,
    external: ["node:*", "ws"],
    plugins: [jqWasm],
    outfile,
  });
  const made = asset(outfile);
  rmSync(outfile);
  return made;
}
assets.guest = asset(join(cache, "guest/packages.pack"));
assets.guestWorker = await script("guest/worker");
assets.guestFrame = await script("guest/frame");
assets.jqModule = await script("jq-module");
const vendorPath = `assets/vendor-${hash(
  readdirSync(join(cache, "vendor"))
    .map((name) => readFileSync(join(cache, "vendor", name), "utf8"))
    .join(),
)}`;
cpSync(join(cache, "vendor"), join(dist, vendorPath), { recursive: true });
cpSync(join(web, "demo"), join(dist, "assets"), { recursive: true });

const options = {
  absWorkingDir: web,
  bundle: true,
  format: "esm",
  target: "es2022",
  outdir: dist,
  minify: true,
  sourcemap: false,
  legalComments: "linked",
  alias: { "node:zlib": "./src/zlib.ts" },
  external: ["node:*", "ws"],
  plugins: [justBash],
  loader: { ".svg": "text" },
  define: {
    __ASSETS__: JSON.stringify(assets),
    __PREVIEW_FRAME__: JSON.stringify(await previewFrame()),
    __VENDOR__: JSON.stringify(vendorPath),
    __BUILD_ID__: JSON.stringify(hash(JSON.stringify(assets))),
  },
  logLevel: "warning",
};
await build({
  ...options,
  entryPoints: [
    { in: "src/index.ts", out: "inbrowser" },
    { in: "src/app/main.ts", out: "app" },
  ],
  splitting: true,
  chunkNames: "chunk-[hash]",
});
await build({ ...options, entryPoints: { kernel: "src/kernel.ts", "shell-worker": "src/shell-worker.ts" } });
cpSync(join(web, "index.html"), join(dist, "index.html"));
for (const page of readdirSync(join(web, "docs")).filter((name) => name.endsWith(".md")))
  cpSync(join(web, "docs", page), join(dist, "docs", page));
const wheels = ["wheels", "bundled-wheels", "guest-wheels"].map((folder) => join(cache, folder));
writeFileSync(join(dist, "licenses.txt"), licenses(web, wheels));

const files = [];
(function walk(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) walk(path);
    else if (!name.endsWith(".txt")) files.push(relative(dist, path).split("\\").join("/"));
  }
})(dist);
const version = hash(files.map((file) => hash(readFileSync(join(dist, file)))).join());
await build({
  ...options,
  entryPoints: { sw: "src/sw.ts" },
  define: { __FILES__: JSON.stringify(files), __VERSION__: JSON.stringify(version) },
});
