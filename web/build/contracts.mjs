// node build/contracts.mjs PYTHON OUT_DIR
// Writes the TypeScript types of everything that crosses from Python, from the pydantic models' JSON Schema.
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { compile } from "json-schema-to-typescript";

const [python, outDir] = process.argv.slice(2);
const script = fileURLToPath(new URL("contracts.py", import.meta.url));
const schema = JSON.parse(execFileSync(python, [script], { encoding: "utf8" }));
const types = await compile(schema, "Contracts", {
  bannerComment: "/* Made from the Python models by build/contracts.mjs: change those. */",
  additionalProperties: false,
});
mkdirSync(outDir, { recursive: true });
writeFileSync(join(outDir, "contracts.ts"), types);
