// An esbuild plugin: opens just-bash's bundle, whose parts are not exported, to src/shell-inside.ts. Its names are a
// minifier's, so each part is known by how it begins; the build fails where one is not there, or there twice.
import { readFileSync } from "node:fs";

const PARTS = {
  Interpreter: /var (\w+)=class\{ctx;constructor\(/g,
  Parser: /var (\w+)=class \w+\{tokens=\[\];pos=0;pendingHeredocs/g,
  Scope: /(\w+)=class\{limits;signal;commandCount=0;/g,
  Exit: /(\w+)=class extends \w+\{exitCode;name="ExitError"/g,
  ArithmeticError: /(\w+)=class extends \w+\{name="ArithmeticError"/g,
  NounsetError: /(\w+)=class extends \w+\{varName;name="NounsetError"/g,
  arithmetic: /async function (\w+)\(\w+,\w+,\w+=!1\)\{return \w+\(\w+,\w+,\w+,\w+\(\)\)\}/g,
  encode: /function (\w+)\(\w+,\w+=\w+\)\{if\(!\w+\)return \w+;\w+\(\w+\(\w+\),\w+,"UTF-8 encode"\)/g,
  decode:
    /function (\w+)\(\w+,\w+=\w+\)\{let \w+=\w+;if\(!\w+\)return \w+;\w+\(\w+\.length,\w+,"UTF-8 decode"\)/g,
  decodeAtEnd: /function (\$3)\(\w+\)\{/g,
  byteLength: /function (_)\(\w+\)\{/g,
  expandVariable: /async function (We)\(/g,
  expandGlob: /async function (zl)\(/g,
  quote: /function (ts)\(/g,
  expandPart: /async function (Tn)\(/g,
  substitute: /function (Fl)\(/g,
  errorIfUnset: /async function (j7)\(/g,
  wordText: /function (Gf)\(/g,
  expandWords: /async function (dr)\(/g,
  arrayWord: /async function (e4)\(/g,
  expandWord: /async function (_e)\(/g,
};

export const justBash = {
  name: "just-bash",
  setup(build) {
    build.onLoad({ filter: /just-bash\/dist\/bundle\/browser\.js$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      const lines = Object.entries(PARTS).map(([name, beginning]) => {
        const found = [...text.matchAll(beginning)];
        if (found.length !== 1)
          throw new Error(`just-bash has ${found.length} parts that begin like ${name}`);
        const [[, inner]] = found;
        const replace = `replace${name[0].toUpperCase()}${name.slice(1)}`;
        return /^[a-z]/.test(name)
          ? `export { ${inner} as ${name} };\nexport function ${replace}(other) { ${inner} = other; }`
          : `export { ${inner} as ${name} };`;
      });
      return { contents: [text, ...lines].join("\n"), loader: "js" };
    });
  },
};
