// node build/pack.mjs stdlib OUT.zip            the standard library, compiled
// node build/pack.mjs wheels OUT_DIR WHEEL...   the wheels as one pack, and pydantic's native part beside it
// node build/pack.mjs guest OUT_DIR FOLDER WHEEL...   a package of sources and the wheels as one pack
// node build/pack.mjs bundled OUT_DIR INSTALLER WHEEL...   each wheel as a pack of its own, and the installer's
// All compile with Pyodide's own interpreter, so that a boot in the page compiles nothing (see pack.py).
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { loadPyodide } from "pyodide";

const [what, out, ...wheels] = process.argv.slice(2);
const pyodide = await loadPyodide();
pyodide.FS.mkdir("/out");
pyodide.runPython(readFileSync(new URL("pack.py", import.meta.url), "utf8"));

function save(name, target) {
  const bytes = pyodide.FS.readFile(`/out/${name}`);
  writeFileSync(target, bytes);
  console.log(`  ${basename(target)}: ${(bytes.length / 1e6).toFixed(1)} MB`);
}

if (what === "stdlib") {
  const sources = join(dirname(fileURLToPath(import.meta.resolve("pyodide"))), "python_stdlib.zip");
  pyodide.FS.writeFile("/stdlib-sources.zip", new Uint8Array(readFileSync(sources)));
  pyodide.runPython("compile_stdlib()");
  save("stdlib.zip", out);
} else if (what === "bundled") {
  const [installer, ...files] = wheels;
  const copy = (from, to) => pyodide.FS.writeFile(to, new Uint8Array(readFileSync(from)));
  for (const folder of ["/wheels", "/installer", "/installer/inbrowser_installer"]) pyodide.FS.mkdir(folder);
  for (const file of files) copy(file, `/wheels/${basename(file)}`);
  for (const name of readdirSync(installer).filter((each) => each.endsWith(".py")))
    copy(join(installer, name), `/installer/inbrowser_installer/${name}`);
  const pyodideFolder = dirname(fileURLToPath(import.meta.resolve("pyodide")));
  copy(join(pyodideFolder, "pyodide-lock.json"), "/pyodide-lock.json");
  pyodide.runPython(readFileSync(new URL("bundled.py", import.meta.url), "utf8"));
  for (const name of pyodide.FS.readdir("/out")) if (!name.startsWith(".")) save(name, join(out, name));
} else {
  if (what === "guest") {
    const folder = wheels.shift();
    const target = `/wheels/${basename(folder)}`;
    pyodide.FS.mkdirTree(target);
    for (const name of readdirSync(folder).filter((each) => each.endsWith(".py")))
      pyodide.FS.writeFile(`${target}/${name}`, new Uint8Array(readFileSync(join(folder, name))));
  }
  for (const wheel of wheels)
    pyodide.unpackArchive(new Uint8Array(readFileSync(wheel)), "zip", { extractDir: "/wheels" });
  pyodide.runPython("pack_wheels()");
  for (const name of pyodide.FS.readdir("/out")) if (!name.startsWith(".")) save(name, join(out, name));
}
