/** What an opaque origin lacks, for as long as the preview is open: storage, cookies, dialogs, history. */

export type Area = "localStorage" | "sessionStorage";
export type Stored = Record<Area, Record<string, string>>;

/** Characters; what browsers allow. */
const QUOTA = 5_000_000;

/** Give the window storage areas that begin with `stored`; `onChange` is told an area's entries. */
export function installStorage(
  stored: Stored,
  onChange: (area: Area, entries: Record<string, string>) => void,
): void {
  for (const area of ["localStorage", "sessionStorage"] as const) {
    const storage = createStorage(new Map(Object.entries(stored[area])), (entries) =>
      onChange(area, entries),
    );
    Object.defineProperty(window, area, { configurable: true, enumerable: true, value: storage });
  }
}

/** Let code go on that would stop at what a sandboxed frame forbids. */
export function installStandIns(): void {
  const note = (text: string) => console.info(`${text} (a preview shows no dialogs)`);
  window.alert = (message = "") => note(`alert: ${message}`);
  window.confirm = (message = "") => {
    note(`confirm, answered with OK: ${message}`);
    return true;
  };
  window.prompt = (message = "", preset = "") => {
    note(`prompt, answered with ${JSON.stringify(preset)}: ${message}`);
    return preset;
  };
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (this: History, state: unknown, title: string, url?: string | URL | null) {
      try {
        original.call(this, state, title, url);
      } catch {
        // The address of a preview is fixed; keep the state alone.
        original.call(this, state, title);
      }
    };
  }
}

/** Cookies live on the document, which is new once the page is written. */
export function installCookies(): void {
  const jar = new Map<string, string>();
  Object.defineProperty(document, "cookie", {
    configurable: true,
    get: () => [...jar].map(([name, value]) => `${name}=${value}`).join("; "),
    set(text: string) {
      const [pair = "", ...attributes] = String(text).split(";");
      const [name = "", ...value] = pair.split("=");
      const ends = attributes.some((each) => /^\s*max-age\s*=\s*(0|-)/i.test(each) || isPast(each));
      if (ends) jar.delete(name.trim());
      else jar.set(name.trim(), value.join("=").trim());
    },
  });
}

function isPast(attribute: string): boolean {
  const expires = /^\s*expires\s*=(.*)$/i.exec(attribute)?.[1];
  return expires !== undefined && Date.parse(expires) < Date.now();
}

function createStorage(
  entries: Map<string, string>,
  onChange: (entries: Record<string, string>) => void,
): Storage {
  const changed = () => onChange(Object.fromEntries(entries));
  const set = (key: string, value: string) => {
    let size = key.length + value.length;
    for (const [other, text] of entries) if (other !== key) size += other.length + text.length;
    if (size > QUOTA)
      throw new DOMException(`Setting the value of '${key}' exceeded the quota.`, "QuotaExceededError");
    entries.set(key, value);
    changed();
  };
  const methods = {
    getItem: (key: unknown) => entries.get(String(key)) ?? null,
    setItem: (key: unknown, value: unknown) => set(String(key), String(value)),
    removeItem(key: unknown) {
      if (entries.delete(String(key))) changed();
    },
    clear() {
      entries.clear();
      changed();
    },
    key: (index: number) => [...entries.keys()][index] ?? null,
  };
  // Entries are properties too: `localStorage.theme = "dark"`, `Object.keys(localStorage)`.
  return new Proxy(Object.create(methods) as Storage, {
    get: (target, key) =>
      key === "length"
        ? entries.size
        : typeof key === "string" && entries.has(key) && !(key in methods)
          ? entries.get(key)
          : Reflect.get(target, key),
    set(_, key, value) {
      set(String(key), String(value));
      return true;
    },
    has: (target, key) => entries.has(String(key)) || Reflect.has(target, key),
    deleteProperty(_, key) {
      methods.removeItem(key);
      return true;
    },
    ownKeys: () => [...entries.keys()],
    getOwnPropertyDescriptor: (_, key) =>
      entries.has(String(key))
        ? { value: entries.get(String(key)), writable: true, enumerable: true, configurable: true }
        : undefined,
  });
}
