// An esbuild plugin: opens jq-wasm's module, so that jq has its own command line, the files and the variables of whoever
// runs it. The build fails where a part that is changed is not there as it was.
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const CHANGES = [
  // What the package puts around jq: it takes one text and a query, and trims what comes out.
  [
    /Module = \{ \.\.\.Module, noInitialRun: true, .*?whenReady: runtimeInitPromise \};/gs,
    "Module = { ...Module, noInitialRun: true, preRun: () => moduleArg.prepare(FS, ENV) };",
  ],
  // Times are UTC, wherever the browser is.
  [/: __localtime_js,/g, ": __gmtime_js,"],
  [/: __mktime_js,/g, ": __timegm_js,"],
];

export const jqWasm = {
  name: "jq-wasm",
  setup(build) {
    build.onLoad({ filter: /jq-wasm\/dist\/browser\.mjs$/ }, ({ path }) => {
      const [, chunk] = readFileSync(path, "utf8").match(/from "(\.\/chunk-\w+\.mjs)"/);
      let text = readFileSync(join(dirname(path), chunk), "utf8");
      for (const [part, change] of CHANGES) {
        const { length } = text.match(part) ?? [];
        if (length !== 1) throw new Error(`jq-wasm has ${length ?? 0} parts that match ${part}`);
        text = text.replace(part, () => change);
      }
      return { contents: `${text}\nexport const createModule = import_jq.default;`, loader: "js" };
    });
  },
};
