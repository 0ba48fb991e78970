// The baseline of a start: Pyodide as it is shipped. A message of Python is run; its last expression is the answer.
import { loadPyodide } from "../pyodide/pyodide.mjs";
let pyodide;
self.onmessage = async ({ data }) => {
  pyodide ??= await loadPyodide();
  self.postMessage(await pyodide.runPythonAsync(data ?? "1 + 1"));
};
