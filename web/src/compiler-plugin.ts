/** How imports of a sandbox's files are found and loaded: esbuild sees no file system, it asks here. */

import type { Loader, OnLoadArgs, OnLoadResult, OnResolveArgs, OnResolveResult, Plugin } from "esbuild-wasm";
import type { Packages } from "./preview-packages";
import { folderOf, joinPath, PROJECT, type ProjectFiles } from "./project-files";

/** What one build is about; paths are relative to the sandbox's root. */
export interface BuildRequest {
  /** The folder that a server of the project would serve. */
  root: string;
  modules: ({ path: string } | { page: string; code: string })[];
  styles: { path: string; media: string }[];
  /** Classic scripts: only their syntax is checked. */
  scripts: { file: string; code: string }[];
  tsconfig: { baseUrl: string | null; paths: Record<string, string[]>; options: Record<string, unknown> };
}

// Namespaces show in messages, where they are removed again: hence names that nobody uses.
const PAGE = "inbrowser-page";
export const INLINE = "inbrowser-inline";
export const PACKAGE = "inbrowser-package";
/** Where built files live among the page's own; a name that projects do not use. */
export const BUILD_FOLDER = "_preview";
/** The scheme of URLs that stand for files of the output; the preview's frame knows where they are. */
const OUTPUT_URL = "inbrowser-file:";

const LOADERS: Record<string, Loader> = {
  ...Object.fromEntries(["ts", "mts", "cts"].map((name) => [name, "ts"])),
  ...Object.fromEntries(["js", "jsx", "mjs", "cjs"].map((name) => [name, "jsx"])),
  ...Object.fromEntries(["txt", "md", "html", "csv", "glsl"].map((name) => [name, "text"])),
  tsx: "tsx",
  json: "json",
  css: "css",
  ...Object.fromEntries(
    "svg png jpg jpeg gif webp avif ico bmp woff woff2 ttf otf mp3 wav ogg mp4 webm wasm pdf"
      .split(" ")
      .map((name) => [name, "dataurl"]),
  ),
};
const EXTENSIONS = [".tsx", ".ts", ".jsx", ".js", ".mts", ".mjs", ".css", ".json"];
const SCRIPT = /\.[mc]?[jt]sx?$/;
const NODE_BUILTIN =
  /^(node:.*|fs|path|os|crypto|child_process|http|https|url|util|stream|buffer|events|net|process)$/;
/** Looks like an import alias: no package has such a name. */
const ALIAS = /^(@|~|#)\/|^[~#]/;
const RELATIVE_URL = /new\s+URL\(\s*(["'`])([^"'`\n]+)\1\s*,\s*import\.meta\.url\s*\)/g;

/** Reads one sandbox's files for esbuild. */
export class ProjectSources {
  /** The scripts that the last build starts as workers, by the name of their output. */
  readonly workers = new Map<string, string>();
  private request: BuildRequest | undefined;

  constructor(
    private readonly files: ProjectFiles,
    private readonly packages: Packages,
  ) {}

  /** From now on, builds are about `request`. */
  begin(request: BuildRequest): void {
    this.request = request;
    this.workers.clear();
  }

  plugin(): Plugin {
    return {
      name: "project",
      setup: (build) => {
        build.onResolve({ filter: /.*/ }, (args) => this.resolve(args));
        build.onLoad({ filter: /.*/, namespace: PAGE }, ({ path }) => this.page(path));
        build.onLoad({ filter: /.*/, namespace: INLINE }, (args) => this.inline(args));
        build.onLoad({ filter: /.*/, namespace: PACKAGE }, ({ path }) => ({
          contents: this.packages.stub(path),
        }));
        build.onLoad({ filter: /.*/, namespace: "file" }, (args) => this.load(args));
      },
    };
  }

  /** The module, or the style sheet, that imports all those of the page in their order. */
  private page(path: string): OnLoadResult {
    const { modules, styles } = this.now;
    const rules = styles.map(({ path, media }) => `@import ${cssString(`${PROJECT}/${path}`)} ${media};\n`);
    if (path.endsWith(".css")) return { contents: rules.join(""), loader: "css" };
    const names = modules.map((module, index) =>
      "path" in module ? `${PROJECT}/${module.path}` : `inline:${index}`,
    );
    return { contents: names.map((name) => `import ${JSON.stringify(name)};\n`).join(""), loader: "js" };
  }

  private inline({ path, suffix }: OnLoadArgs): OnLoadResult {
    const module = this.now.modules[Number(suffix.slice(1))];
    const code = module && "code" in module ? module.code : "";
    return { contents: code, loader: "js", resolveDir: folderOf(joinPath(PROJECT, path)) };
  }

  private load({ path, suffix }: OnLoadArgs): OnLoadResult {
    const contents = this.files.read(path);
    const loader = loaderOf(path, suffix);
    const result: OnLoadResult = { contents, loader, resolveDir: folderOf(path) };
    if (SCRIPT.test(path) && loader !== "text") {
      const text = new TextDecoder().decode(contents);
      if (text.includes("import.meta.url")) result.contents = this.replaceUrls(text, folderOf(path));
    }
    return result;
  }

  private resolve(args: OnResolveArgs): OnResolveResult | undefined {
    const { namespace, kind } = args;
    if (kind === "entry-point")
      return args.path.startsWith(PROJECT) ? { path: args.path } : { path: args.path, namespace: PAGE };
    if (namespace === PACKAGE) return { path: args.path, external: true };
    if (namespace === PAGE) {
      const index = /^inline:(\d+)$/.exec(args.path)?.[1];
      const module = this.now.modules[Number(index)];
      if (index && module && "page" in module)
        return { path: module.page, namespace: INLINE, suffix: `?${index}` };
      return { path: args.path };
    }
    const css = kind === "import-rule" || kind === "composes-from" || kind === "url-token";
    if (/^data:|^#/.test(args.path)) return { path: args.path, external: true };
    if (/^(https?:)?\/\//.test(args.path)) return this.remote(args.path, css);
    return this.local(args, css);
  }

  private local({ path, resolveDir }: OnResolveArgs, css: boolean): OnResolveResult {
    const [, name = "", suffix = ""] = /^([^?#]*)(.*)$/.exec(path) ?? [];
    const bare = !/^(\.{0,2}\/|\.{1,2}$)/.test(name);
    const candidates = !bare || css ? this.places(name, resolveDir) : [];
    if (bare) candidates.push(...this.aliased(name));
    for (const candidate of candidates) {
      if (!candidate.startsWith(`${PROJECT}/`)) return failure(`"${path}" leads out of the project`);
      const found = this.file(candidate);
      if (found && (suffix || loaderOf(found) !== "default")) return { path: found, suffix };
      if (found)
        return failure(
          `${relative(found)} is of a kind that cannot be imported; add ?raw for its text or ?url`,
        );
    }
    if (bare && !css && this.packages.has(name)) return { path: name, namespace: PACKAGE };
    if (bare && !css && !candidates.length) {
      const available = this.packages.names().join(", ");
      if (ALIAS.test(name)) return failure(`"${name}" matches none of the paths in tsconfig.json`);
      if (NODE_BUILTIN.test(name))
        return failure(`"${name}" is a module of Node.js; a preview runs in a browser`);
      return failure(`Package "${name}" is not available offline. Available are: ${available}`);
    }
    return failure(`Could not resolve "${path}": ${this.missing(candidates[0] ?? joinPath(PROJECT, name))}`);
  }

  private remote(path: string, css: boolean): OnResolveResult {
    const text = `"${path}" is not loaded: a preview has no network`;
    if (css) return { path, external: true, warnings: [{ text }] };
    return failure(`${text}. Available offline are: ${this.packages.names().join(", ")}`);
  }

  /** Where a path or URL may be, best first; a server's root is the project's folder, or its `public`. */
  private places(name: string, resolveDir: string): string[] {
    if (!name.startsWith("/")) return [joinPath(resolveDir || PROJECT, name)];
    const { root } = this.now;
    return [
      ...new Set([
        joinPath(PROJECT, root, name),
        joinPath(PROJECT, root, "public", name),
        joinPath(PROJECT, name),
      ]),
    ];
  }

  private aliased(name: string): string[] {
    const { paths, baseUrl } = this.now.tsconfig;
    const places: string[] = [];
    // As TypeScript does: the pattern with the longest beginning wins.
    const patterns = Object.entries(paths).sort(
      ([a], [b]) => b.indexOf("*") - a.indexOf("*") || b.length - a.length,
    );
    for (const [pattern, targets] of patterns) {
      const rest = matched(name, pattern);
      if (rest === undefined) continue;
      for (const target of targets)
        places.push(
          joinPath(
            PROJECT,
            target.replace("*", () => rest),
          ),
        );
      break;
    }
    if (baseUrl !== null) {
      const place = joinPath(PROJECT, baseUrl, name);
      if (this.file(place)) places.push(place);
    }
    return places;
  }

  private file(path: string): string | undefined {
    if (this.files.isFile(path)) return path;
    const extension = EXTENSIONS.find((each) => this.files.isFile(path + each));
    if (extension) return path + extension;
    // TypeScript's own convention: a .ts file is imported as .js.
    if (path.endsWith(".js") || path.endsWith(".jsx")) {
      const stem = path.replace(/\.jsx?$/, "");
      const typed = [".ts", ".tsx"].find((each) => this.files.isFile(stem + each));
      if (typed) return stem + typed;
    }
    const index = EXTENSIONS.find((each) => this.files.isFile(`${path}/index${each}`));
    return index && `${path}/index${index}`;
  }

  private missing(path: string): string {
    const folder = folderOf(path);
    const names = this.files
      .list(folder)
      .map((name) => (this.files.isDirectory(`${folder}/${name}`) ? `${name}/` : name));
    if (!names.length) return `there is no folder ${relative(folder)}`;
    const more = names.length > 20 ? ` and ${names.length - 20} more` : "";
    return `no such file; ${relative(folder)}/ has ${names.slice(0, 20).join(", ")}${more}`;
  }

  /** `new URL("./x", import.meta.url)` has no base in a blob: a worker's script becomes an output, others data. */
  private replaceUrls(text: string, folder: string): string {
    return text.replace(RELATIVE_URL, (whole, _quote: string, url: string) => {
      const found = this.places(url, folder)
        .map((place) => this.file(place))
        .find((each) => each !== undefined);
      if (!found) return whole;
      if (!SCRIPT.test(found)) return `new URL(${JSON.stringify(dataUrl(found, this.files.read(found)))})`;
      // No folders in it: a source map names its sources from where it is.
      const name = `worker-${relative(found).replaceAll("/", "-")}.js`;
      this.workers.set(name, found);
      return `new URL(${JSON.stringify(`${OUTPUT_URL}${BUILD_FOLDER}/${encodeURI(name)}`)})`;
    });
  }

  private get now(): BuildRequest {
    if (!this.request) throw new Error("no build is running");
    return this.request;
  }
}

/** What the pattern's `*` stands for in a name, '' when it has none, undefined when the name does not match. */
function matched(name: string, pattern: string): string | undefined {
  const [before = "", after] = pattern.split("*");
  if (after === undefined) return name === pattern ? "" : undefined;
  const fits = name.length >= before.length + after.length && name.startsWith(before) && name.endsWith(after);
  return fits ? name.slice(before.length, name.length - after.length) : undefined;
}

function failure(text: string): OnResolveResult {
  return { errors: [{ text }] };
}

function relative(path: string): string {
  return path.slice(PROJECT.length + 1) || ".";
}

function loaderOf(path: string, suffix = ""): Loader {
  if (/[?&]raw\b/.test(suffix)) return "text";
  if (/[?&](url|inline)\b/.test(suffix) && !path.endsWith(".css")) return "dataurl";
  if (/\.module\.css$/.test(path)) return "local-css";
  return LOADERS[path.slice(path.lastIndexOf(".") + 1).toLowerCase()] ?? (suffix ? "dataurl" : "default");
}

function cssString(text: string): string {
  return `"${text.replace(/["\\\n\r\f]/g, (character) => `\\${character.codePointAt(0)?.toString(16)} `)}"`;
}

const TYPES: Record<string, string> = {
  svg: "image/svg+xml",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
  json: "application/json",
  css: "text/css",
  txt: "text/plain",
  wasm: "application/wasm",
};

function dataUrl(path: string, bytes: Uint8Array): string {
  const extension = path.slice(path.lastIndexOf(".") + 1).toLowerCase();
  let binary = "";
  for (let start = 0; start < bytes.length; start += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000));
  return `data:${TYPES[extension] ?? "application/octet-stream"};base64,${btoa(binary)}`;
}
