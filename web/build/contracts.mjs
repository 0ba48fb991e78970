// node build/contracts.mjs PYTHON OUT_DIR
// Writes the TypeScript types of what crosses from Python, from the pydantic models' JSON Schema.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const [python, outDir] = process.argv.slice(2);
const script = fileURLToPath(new URL("contracts.py", import.meta.url));
const schemas = JSON.parse(execFileSync(python, [script], { encoding: "utf8" }));
mkdirSync(outDir, { recursive: true });
const exported = [];
for (const [name, schema] of Object.entries(schemas)) {
  const types = await compile(schema, name, {
    bannerComment: "/* Made from the Python models by build/contracts.mjs: change those. */",
    additionalProperties: false,
  });
  writeFileSync(join(outDir, `${name}.ts`), types);
  exported.push(`export type { ${name} } from "./${name}";\n`);
}
writeFileSync(join(outDir, "contracts.ts"), exported.join(""));
