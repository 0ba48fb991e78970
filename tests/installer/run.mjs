// node run.mjs PYODIDE INSTALLER.pack   reads lines of JSON requests, writes lines of JSON: {reply, messages}
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const [pyodideModule, installer] = process.argv.slice(2);
const { loadPyodide } = await import(pyodideModule);
const pyodide = await loadPyodide();
const unpack = (pack) => {
  const length = new DataView(pack.buffer, pack.byteOffset).getUint32(0, true);
  const index = JSON.parse(new TextDecoder().decode(pack.subarray(4, 4 + length)));
  const root = "/lib/python3.14/site-packages/";
  for (const directory of index.directories) pyodide.FS.mkdirTree(root + directory);
  for (const { path, offset, size } of index.files) {
    pyodide.FS.mkdirTree(root + path.split("/").slice(0, -1).join("/"));
    pyodide.FS.writeFile(root + path, pack.subarray(4 + length + offset, 4 + length + offset + size));
  }
};
unpack(readFileSync(installer));
const main = pyodide.runPython("from inbrowser_installer import main; main");
for await (const line of createInterface({ input: process.stdin })) {
  const { request, files, check } = JSON.parse(line);
  const messages = [];
  const packs = [];
  for (const [path, data] of Object.entries(files ?? {})) {
    pyodide.FS.mkdirTree(path.split("/").slice(0, -1).join("/"));
    pyodide.FS.writeFile(path, Buffer.from(data, "base64"));
  }
  const started = performance.now();
  const post = (text, bytes) => {
    messages.push(JSON.parse(text));
    if (bytes) packs.push(bytes.toJs());
  };
  let reply;
  try {
    reply = JSON.parse(await main(JSON.stringify(request), post));
  } catch (error) {
    reply = { crash: String(error) };
  }
  const ms = performance.now() - started;
  for (const pack of packs) unpack(pack);
  const checked = check ? String(await pyodide.runPythonAsync(check)) : undefined;
  const sizes = packs.map((pack) => pack.length);
  process.stdout.write(`${JSON.stringify({ reply, messages, checked, ms, sizes })}\n`);
}
process.exit(0);
