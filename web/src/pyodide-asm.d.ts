/** Pyodide publishes no types for the module that Emscripten makes. */
declare module "pyodide/pyodide.asm.mjs" {
  const factory: import("./interpreter").ModuleFactory;
  export default factory;
}
