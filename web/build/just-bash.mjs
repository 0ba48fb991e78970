// An esbuild plugin: opens just-bash's bundle, whose parts are not exported, to src/shell-inside.ts. The version is
// pinned; names that its minifier gave are looked for as they stand, and the build fails where one is not there.
import { readFileSync } from "node:fs";

/** Inner names by the names that src/shell-inside.ts knows them by, and what shows that they are the right ones. */
const EXPORTS = {
  Interpreter: ["Yo", "var Yo=class{ctx;constructor("],
};

export const justBash = {
  name: "just-bash",
  setup(build) {
    build.onLoad({ filter: /just-bash\/dist\/bundle\/browser\.js$/ }, ({ path }) => {
      let text = readFileSync(path, "utf8");
      for (const [name, [inner, proof]] of Object.entries(EXPORTS)) {
        if (text.split(proof).length !== 2)
          throw new Error(`just-bash has no ${name} where it was: ${proof}`);
        text += `\nexport { ${inner} as ${name} };`;
      }
      return { contents: text, loader: "js" };
    });
  },
};
