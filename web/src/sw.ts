/** The service worker: keeps the static files for use without a network, and does nothing else. */

declare const __FILES__: string[];
declare const __VERSION__: string;

const worker = self as unknown as ServiceWorkerGlobalScope;

// One origin may hold several copies of the page under different paths.
const CACHES = `inbrowser ${worker.registration.scope} `;
const CACHE = CACHES + __VERSION__;
const HASHED = /-[0-9a-zA-Z]{8,10}(\.\w+$|\/)/;
const files = new Set(__FILES__.map((file) => new URL(file, worker.registration.scope).href));

worker.addEventListener("install", (event) => event.waitUntil(fill().then(() => worker.skipWaiting())));
worker.addEventListener("activate", (event) => event.waitUntil(drop().then(() => worker.clients.claim())));
worker.addEventListener("fetch", (event) => {
  const url = address(event.request);
  if (event.request.method === "GET" && files.has(url)) event.respondWith(answer(event.request, url));
});

function address(request: Request): string {
  const url = new URL(request.url);
  url.search = url.hash = "";
  return url.pathname.endsWith("/") ? new URL("index.html", url).href : url.href;
}

/** Names with a hash never change their content; the others are asked for anew while there is a network. */
async function answer(request: Request, url: string): Promise<Response> {
  const kept = () => caches.match(url);
  if (HASHED.test(url)) return (await kept()) ?? fetch(request);
  try {
    return await fetch(request);
  } catch (error) {
    const copy = await kept();
    if (copy) return copy;
    throw error;
  }
}

async function fill(): Promise<void> {
  const cache = await caches.open(CACHE);
  for (const url of files) {
    const known = HASHED.test(url) ? await caches.match(url) : undefined;
    const response = known ?? (await fetch(url, { cache: HASHED.test(url) ? "default" : "reload" }));
    if (!response.ok) throw new Error(`${url}: ${response.status}`);
    await cache.put(url, response);
  }
}

async function drop(): Promise<void> {
  for (const name of await caches.keys())
    if (name.startsWith(CACHES) && name !== CACHE) await caches.delete(name);
}
