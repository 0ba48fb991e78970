// The baseline of an installation: micropip in Pyodide as it is shipped. A message says what to install from where.
import { loadPyodide } from "../pyodide/pyodide.mjs";
self.onmessage = async ({ data: { micropip, index, name } }) => {
  const pyodide = await loadPyodide();
  await pyodide.loadPackage(micropip, { checkIntegrity: false });
  await pyodide.pyimport("micropip").install.callKwargs([name], { index_urls: [index] });
  self.postMessage(pyodide.runPython(`import ${name}; ${name}.VERSION`));
};
// Whoever waits for the answer is told.
self.onunhandledrejection = ({ reason }) => {
  throw reason;
};
