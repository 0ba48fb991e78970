// The baseline of a start: Pyodide as it is shipped.
import { loadPyodide } from "../pyodide/pyodide.mjs";
self.onmessage = async () => {
  const pyodide = await loadPyodide();
  self.postMessage(pyodide.runPython("1 + 1"));
};
