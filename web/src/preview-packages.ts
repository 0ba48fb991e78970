/** The packages that previews can import without a network; build/vendor.mjs makes them. */

interface Manifest {
  modules: Record<string, { file: string; exports: string[] }>;
  /** By file: the names it imports. */
  files: Record<string, string[]>;
}

const CHUNK = "inbrowser-chunk/";

export class Packages {
  private readonly bytes = new Map<string, Uint8Array>();

  private constructor(
    private readonly folder: string,
    private readonly manifest: Manifest,
  ) {}

  /** Load the list of packages; the packages themselves are loaded when they are used. */
  static async load(folder: string): Promise<Packages> {
    return new Packages(folder, (await (await get(`${folder}manifest.json`)).json()) as Manifest);
  }

  has(name: string): boolean {
    return !name.startsWith(CHUNK) && Object.hasOwn(this.manifest.modules, name);
  }

  names(): string[] {
    return Object.keys(this.manifest.modules).filter((name) => this.has(name));
  }

  exports(name: string): string[] {
    return this.manifest.modules[name]?.exports ?? [];
  }

  /** A module that hands a package's names on, so that an import of any other name is an error of the build. */
  stub(name: string): string {
    return `export { ${this.exports(name).join(", ")} } from ${JSON.stringify(name)};\n`;
  }

  /** What a page needs that imports `names`: the file in `folder` of each name, and the bytes of each file. */
  async needed(
    names: Iterable<string>,
    folder: string,
  ): Promise<{ imports: Record<string, string>; files: Record<string, Uint8Array> }> {
    const imports: Record<string, string> = {};
    const files: Record<string, Uint8Array> = {};
    const pending = [...names];
    for (let name = pending.pop(); name !== undefined; name = pending.pop()) {
      const file = this.manifest.modules[name]?.file;
      if (!file || imports[name]) continue;
      const path = `${folder}/package/${file}`;
      imports[name] = path;
      files[path] = await this.file(file);
      pending.push(...(this.manifest.files[file] ?? []));
    }
    return { imports, files };
  }

  private async file(name: string): Promise<Uint8Array> {
    const known = this.bytes.get(name) ?? (await (await get(this.folder + name)).bytes());
    this.bytes.set(name, known);
    return known;
  }
}

/** Fetch, or fail with a message that says what could not be loaded. */
export async function get(url: string): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url);
  } catch {
    throw new Error(`could not load ${url}: no connection, and no copy is kept offline`);
  }
  if (!response.ok) throw new Error(`could not load ${url}: the server answered ${response.status}`);
  return response;
}
