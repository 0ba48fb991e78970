// node build/vendor.mjs OUTDIR
// Makes React into ES modules for previews: one copy, shared by all of its entry points. It is React's development
// build, because whoever previews is developing: errors are sentences ("Objects are not valid as a React child")
// where the production build has numbers and a link that an offline tab cannot follow.
// manifest.json tells what there is: {"modules": {name: {"file", "exports"}}, "files": {file: [imported names]}}.

import { mkdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const [outdir] = process.argv.slice(2);
const MODULES = ["react", "react-dom", "react-dom/client", "react/jsx-runtime", "react/jsx-dev-runtime"];
// Chunks have bare names too: a module that is loaded from a blob has no folder to look for "./chunk.js" in.
const CHUNK = "inbrowser-chunk/";

process.env.NODE_ENV = "development";
const require = createRequire(import.meta.url);
const isName = (key) => /^[A-Za-z$][\w$]*$/.test(key) && key !== "default";
const exportsOf = (name) => Object.keys(require(name)).filter(isName);
const fileOf = (name) => name.replace("/", "-");

const asModule = {
  name: "as-module",
  setup(setup) {
    setup.onResolve({ filter: /^entry:/ }, ({ path }) => ({ path: path.slice(6), namespace: "entry" }));
    setup.onLoad({ filter: /.*/, namespace: "entry" }, ({ path }) => ({
      contents: `import all from "${path}";\nexport default all;\nexport const { ${exportsOf(path).join(", ")} } = all;\n`,
      resolveDir: fileURLToPath(new URL(".", import.meta.url)),
    }));
  },
};

const result = await build({
  entryPoints: MODULES.map((name) => ({ in: `entry:${name}`, out: fileOf(name) })),
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  // Names stay: they are in warnings and stack traces.
  minifyWhitespace: true,
  minifySyntax: true,
  define: { "process.env.NODE_ENV": '"development"' },
  outdir,
  chunkNames: "chunk-[hash]",
  metafile: true,
  write: false,
  plugins: [asModule],
});

mkdirSync(outdir, { recursive: true });
const files = {};
for (const [path, output] of Object.entries(result.metafile.outputs)) {
  const imports = output.imports.filter((item) => !item.external).map((item) => basename(item.path));
  files[basename(path)] = imports.map((name) => CHUNK + name);
}
for (const { path, text } of result.outputFiles) {
  const named = text.replace(
    /(["'])\.\/(chunk-\w+\.js)\1/g,
    (_, quote, name) => quote + CHUNK + name + quote,
  );
  writeFileSync(join(outdir, basename(path)), named);
}
const chunks = Object.keys(files).filter((name) => name.startsWith("chunk-"));
const modules = Object.fromEntries([
  ...MODULES.map((name) => [name, { file: `${fileOf(name)}.js`, exports: ["default", ...exportsOf(name)] }]),
  ...chunks.map((name) => [CHUNK + name, { file: name, exports: [] }]),
]);
writeFileSync(join(outdir, "manifest.json"), JSON.stringify({ modules, files }));
