/** Builds previews with esbuild, which runs in a worker of its own and serves all sandboxes. */

import * as esbuild from "esbuild-wasm";
import { assets, assetUrl } from "./assets";
import { BUILD_FOLDER, type BuildRequest, INLINE, PACKAGE, ProjectSources } from "./compiler-plugin";
import { get, Packages } from "./preview-packages";
import { type EmscriptenFiles, PROJECT, ProjectFiles } from "./project-files";

/** Where build/vendor.mjs wrote its files, relative to the bundle; put in place by the bundler. */
declare const __VENDOR__: string;

/** A build that takes longer will never end: the compiler is started afresh. */
const DEADLINE_MS = 60_000;

const SCRIPTS = "scripts.js";
const STYLES = "styles.css";

const OPTIONS = {
  absWorkingDir: PROJECT,
  bundle: true,
  write: false,
  outdir: PROJECT,
  format: "esm",
  target: "esnext",
  charset: "utf8",
  jsx: "automatic",
  sourcemap: "external",
  sourcesContent: false,
  legalComments: "none",
  metafile: true,
  logLevel: "silent",
  logLimit: 50,
  define: {
    "process.env.NODE_ENV": '"development"',
    "import.meta.env": '{"MODE":"development","DEV":true,"PROD":false,"SSR":false,"BASE_URL":"/"}',
    "import.meta.hot": "undefined",
  },
} as const satisfies esbuild.BuildOptions;

/** A message in the compiler's terms: the column counts bytes from 0. */
interface Message {
  severity: "error" | "warning";
  text: string;
  file: string | null;
  line: number;
  column: number;
  length: number;
  line_text: string;
  notes: string[];
  /** What a module does export, when a name was asked of it that it does not. */
  exports?: string[];
}

interface Reply {
  messages: Message[];
  /** How many of the sandbox's files went into it. */
  sources: number;
  /** Source maps by the name of the file they belong to. */
  maps: Record<string, string>;
  /** The file of each package that the page needs. */
  imports: Record<string, string>;
}

/** What Python gets; without files when there are errors. */
export interface BuildReply {
  /** A Reply as JSON. */
  json: string;
  /** By name, all in the build folder. */
  files: Record<string, Uint8Array>;
}

/** Make the compiler of one sandbox; esbuild itself is loaded with the first build of all. */
export function createCompiler(tree: { FS: EmscriptenFiles; root: string }): Compiler {
  return new Compiler(new ProjectFiles(tree.FS, tree.root));
}

export class Compiler {
  private context:
    | { key: string; service: Service; sources: ProjectSources; value: esbuild.BuildContext }
    | undefined;

  constructor(private readonly files: ProjectFiles) {}

  /** Build what `request`, a BuildRequest as JSON, says; one at a time. Rejects only when the compiler itself fails. */
  async build(request: string): Promise<BuildReply> {
    const service = await startService();
    try {
      return await beforeDeadline(this.run(JSON.parse(request) as BuildRequest, service));
    } catch (error) {
      if (error instanceof DeadlineError) stopService(service);
      throw error;
    }
  }

  close(): void {
    const context = this.context;
    this.context = undefined;
    if (context && context.service === current) void context.value.dispose();
  }

  private async run(request: BuildRequest, service: Service): Promise<BuildReply> {
    const messages = await checkScripts(request);
    const entries = [
      ...(request.modules.length ? [SCRIPTS] : []),
      ...(request.styles.length ? [STYLES] : []),
    ];
    if (!entries.length) return reply({ messages });
    const { sources, value } = await this.contextFor(entries, request, service);
    sources.begin(request);
    const results = [await settled(value.rebuild())];
    // Builds of workers may find more of them, which this loop then comes to.
    if (results[0]?.metafile)
      for (const [name, path] of sources.workers)
        results.push(await settled(buildWorker(name, path, sources)));
    for (const result of results) messages.push(...(await told(result, sources, service.packages)));
    const metafiles = results.flatMap((result) => result.metafile ?? []);
    if (metafiles.length < results.length) return reply({ messages });
    const { imports, files } = await service.packages.needed(metafiles.flatMap(externals), BUILD_FOLDER);
    const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs)).filter(isProjectFile);
    const maps: Record<string, string> = {};
    for (const { path, contents, text } of results.flatMap((result) => result.outputFiles ?? [])) {
      const name = BUILD_FOLDER + path.slice(PROJECT.length);
      if (name.endsWith(".map")) maps[name.slice(0, -".map".length)] = text;
      else if (contents.length) files[name] = contents;
    }
    return reply({ messages, sources: new Set(inputs).size, maps, imports }, files);
  }

  /** A context keeps what it parsed; one serves as long as the options stay the same. */
  private async contextFor(entries: string[], request: BuildRequest, service: Service) {
    const compilerOptions = request.tsconfig.options;
    const key = JSON.stringify([entries, compilerOptions]);
    if (this.context?.key !== key || this.context.service !== service) {
      this.close();
      const sources = new ProjectSources(this.files, service.packages);
      const value = await esbuild.context({
        ...OPTIONS,
        entryPoints: entries.map((name) => ({ in: name, out: name === SCRIPTS ? "main" : "page" })),
        tsconfigRaw: { compilerOptions },
        plugins: [sources.plugin()],
      });
      this.context = { key, service, sources, value };
    }
    return this.context;
  }
}

/** A worker is one classic script: in an opaque origin no other kind starts from a blob. */
function buildWorker(name: string, path: string, sources: ProjectSources): Promise<esbuild.BuildResult> {
  const out = name.replace(/\.js$/, "");
  return esbuild.build({
    ...OPTIONS,
    format: "iife",
    entryPoints: [{ in: path, out }],
    plugins: [sources.plugin()],
  });
}

/** Classic scripts are loaded as they are; only their syntax is looked at. */
async function checkScripts({ scripts }: BuildRequest): Promise<Message[]> {
  const failures = scripts.map(async ({ file, code }) => {
    const result = await settled(
      esbuild
        .transform(code, { sourcefile: file, loader: "js", logLevel: "silent" })
        .then(({ warnings }) => ({ warnings, errors: [] })),
    );
    return [
      ...result.errors.map((each) => message("error", each)),
      ...result.warnings.map((each) => message("warning", each)),
    ];
  });
  return (await Promise.all(failures)).flat();
}

/** The result's messages; those about a missing export tell which names there are. */
async function told(result: Told, sources: ProjectSources, packages: Packages): Promise<Message[]> {
  const messages = [
    ...result.errors.map((each) => message("error", each)),
    ...result.warnings.map((each) => message("warning", each)),
  ];
  const exports = new Map<string, string[] | undefined>();
  for (const each of messages) {
    const file = /no matching export in "(.+?)"/i.exec(each.text)?.[1];
    if (!file) continue;
    if (!exports.has(file)) exports.set(file, await exportsOf(file, sources, packages));
    const names = exports.get(file);
    if (names) each.exports = names;
  }
  return messages;
}

async function exportsOf(
  file: string,
  sources: ProjectSources,
  packages: Packages,
): Promise<string[] | undefined> {
  if (file.startsWith(`${PACKAGE}:`)) return packages.exports(file.slice(PACKAGE.length + 1));
  const entryPoints = [`${PROJECT}/${file}`];
  const { metafile } = await settled<esbuild.BuildResult>(
    esbuild.build({ ...OPTIONS, entryPoints, plugins: [sources.plugin()] }),
  );
  const output = Object.values(metafile?.outputs ?? {}).find((each) => each.entryPoint === file);
  return output?.exports;
}

function message(severity: Message["severity"], { text, location, notes }: esbuild.Message): Message {
  return {
    severity,
    text,
    file: location?.file ?? null,
    line: location?.line ?? 0,
    column: location?.column ?? 0,
    length: location?.length ?? 0,
    line_text: location?.lineText ?? "",
    notes: notes.map(({ text, location }) => {
      const sentence = text.replace(/:$/, "");
      return location && isProjectFile(location.file)
        ? `${sentence} (${location.file}:${location.line})`
        : sentence;
    }),
  };
}

function reply(content: Partial<Reply>, files: Record<string, Uint8Array> = {}): BuildReply {
  const json: Reply = { messages: [], sources: 0, maps: {}, imports: {}, ...content };
  return { json: JSON.stringify(json), files };
}

function externals(metafile: esbuild.Metafile): string[] {
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  return imports.filter((item) => item.external).map((item) => item.path);
}

function isProjectFile(input: string): boolean {
  return !input.startsWith("inbrowser-") || input.startsWith(INLINE);
}

type Told = Pick<esbuild.BuildResult, "errors" | "warnings">;

/** A build that fails for the sources' sake is a result as any other. */
async function settled<T extends Told>(
  build: Promise<T>,
): Promise<T | (Told & { metafile?: undefined; outputFiles?: undefined })> {
  try {
    return await build;
  } catch (error) {
    const { errors, warnings } = error as Partial<esbuild.BuildFailure>;
    if (!errors || !warnings) throw error;
    return { errors, warnings };
  }
}

/** One running esbuild: it may be started once only, however many sandboxes there are. */
interface Service {
  packages: Packages;
}

let starting: Promise<Service> | undefined;
let current: Service | undefined;

function startService(): Promise<Service> {
  starting ??= start();
  starting.catch(() => {
    // Tried again with the next build: the network may be back.
    starting = undefined;
  });
  return starting;
}

async function start(): Promise<Service> {
  const [packages] = await Promise.all([
    Packages.load(new URL(`${__VENDOR__}/`, import.meta.url).href),
    compileWasm().then((wasmModule) => esbuild.initialize({ wasmModule, worker: true })),
  ]);
  current = { packages };
  return current;
}

async function compileWasm(): Promise<WebAssembly.Module> {
  const response = await get(assetUrl(assets.esbuildWasm));
  const streams = response.headers.get("Content-Type")?.startsWith("application/wasm");
  return streams ? WebAssembly.compileStreaming(response) : WebAssembly.compile(await response.arrayBuffer());
}

function stopService(service: Service): void {
  if (service !== current) return;
  starting = current = undefined;
  void esbuild.stop();
}

class DeadlineError extends Error {}

async function beforeDeadline<T>(work: Promise<T>): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<never>((_, reject) => {
    const text = `esbuild did not answer for ${DEADLINE_MS / 1000} s and was started afresh; build again`;
    timer = setTimeout(() => reject(new DeadlineError(text)), DEADLINE_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
