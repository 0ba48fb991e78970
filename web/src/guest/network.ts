/**
 * Says in words what the frame's Content-Security-Policy refuses: the browser enforces the policy, and gives code that
 * meets it no reason.
 */

/** Tell whether one of a policy's expressions, such as `https://*.example.com`, allows an address. */
export function allows(network: string[], address: string): boolean {
  const url = new URL(address);
  return network.some((expression) => {
    if (expression === "*") return true;
    if (expression.endsWith(":")) return url.protocol === expression;
    const { groups } = /^(?<scheme>\w+:)\/\/(?<wild>\*\.)?(?<host>[^/]*)(?<path>.*)$/.exec(expression) ?? {};
    if (!groups || url.protocol !== groups.scheme) return false;
    const host = groups.host as string;
    const hostFits = groups.wild ? url.host.endsWith(`.${host}`) : url.host === host;
    return hostFits && fitsPath(url.pathname, groups.path ?? "");
  });
}

function fitsPath(path: string, allowed: string): boolean {
  if (!allowed || allowed === "/") return true;
  return allowed.endsWith("/") ? path.startsWith(allowed) : path === allowed;
}

export function refusal(network: string[], address: string): string {
  const { origin } = new URL(address);
  const allowed = network.length ? `it allows ${network.join(", ")}` : "it allows no host";
  return `the network policy of this sandbox refuses ${origin}: ${allowed}; the app can open the sandbox with network=NetworkPolicy(allow=["${origin}"])`;
}

/** Say what a request may have failed of: browsers tell programs nothing of it. */
export function unreachable(address: string): string {
  const why = navigator.onLine
    ? "either the server cannot be reached, or it does not let browsers read its answers (CORS: it must send Access-Control-Allow-Origin)"
    : "the browser is offline";
  return `${address} could not be fetched: ${why}`;
}

/**
 * Have `fetch` and `XMLHttpRequest` throw what a policy says of an address, before the browser refuses it; say what else
 * they fail of; and leave no way to send cookies, which WebKit would send from here too, to a host that is allowed.
 */
export function keepNetworkPolicy(network: string[]): void {
  const check = (address: string) => {
    if (/^https?:/.test(address) && !allows(network, address)) throw new TypeError(refusal(network, address));
  };
  const plainFetch = self.fetch.bind(self);
  const fetch = async (input: RequestInfo | URL, init?: RequestInit) => {
    const address = input instanceof Request ? input.url : String(input);
    check(address);
    try {
      return await plainFetch(input, { ...init, credentials: "omit" });
    } catch (error) {
      throw error instanceof TypeError ? new TypeError(unreachable(address)) : error;
    }
  };
  for (let scope: object = self; scope; scope = Object.getPrototypeOf(scope))
    if (Object.hasOwn(scope, "fetch")) Object.defineProperty(scope, "fetch", { value: fetch });
  const { open, send } = XMLHttpRequest.prototype;
  const addresses = new WeakMap<XMLHttpRequest, string>();
  XMLHttpRequest.prototype.open = function (
    this: XMLHttpRequest,
    ...args: [string, string | URL, ...unknown[]]
  ) {
    check(String(args[1]));
    addresses.set(this, String(args[1]));
    return open.apply(this, args as unknown as Parameters<typeof open>);
  } as typeof open;
  XMLHttpRequest.prototype.send = function (this: XMLHttpRequest, body?: XMLHttpRequestBodyInit) {
    try {
      send.call(this, body);
    } catch (error) {
      const failed = error instanceof DOMException && error.name === "NetworkError";
      throw failed ? new TypeError(unreachable(addresses.get(this) ?? "")) : error;
    }
  } as typeof send;
  const withCredentials = { get: () => false, set: () => {} };
  Object.defineProperty(XMLHttpRequest.prototype, "withCredentials", withCredentials);
  for (const name of ["EventSource", "caches"]) dropGlobal(name);
}

/** Take a global away, wherever it is defined: many are on a prototype of the worker's global object. */
export function dropGlobal(name: string): void {
  for (let scope: object = self; scope; scope = Object.getPrototypeOf(scope))
    Reflect.deleteProperty(scope, name);
}
