// Ways out of a place where untrusted code runs: to the page's data, or to a server. Each probe resolves to "reached"
// or to "denied: why"; whether a request arrived is for the servers to say. The same list runs in a page, where
// everything has to be reached, and in what has to hold it back.

const WAIT_MS = 1500;

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const sees = (value) => (String(value).includes("planted") ? "reached" : "denied: nothing of the page's is there");
const event = (target, ...names) =>
  new Promise((resolve) => {
    for (const name of names) target.addEventListener(name, () => resolve(name));
  });
const outcome = async (target, good, ...bad) => {
  const name = await event(target, good, ...bad);
  return name === good ? "reached" : `denied: ${name}`;
};
const element = (name, attributes) => {
  const made = Object.assign(document.createElement(name), attributes);
  document.body.append(made);
  return made;
};
const hint = (rel, href, more) => outcome(element("link", { rel, href, ...more }), "load", "error");
const blob = (text) => URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
const webRtc = (stun) => `
  const peer = new RTCPeerConnection({ iceServers: [{ urls: "${stun}" }] });
  peer.createDataChannel("probe");
  peer.createOffer().then((offer) => peer.setLocalDescription(offer));
`;

// What the page has: see plant().
export const data = {
  async indexedDb() {
    const request = indexedDB.open("planted");
    await event(request, "success", "error");
    if (request.error) throw request.error;
    const names = [...request.result.objectStoreNames];
    request.result.close();
    return sees(names);
  },
  async cacheStorage() {
    return sees(await caches.keys());
  },
  async originPrivateFiles() {
    const root = await navigator.storage.getDirectory();
    await root.getFileHandle("planted");
    return "reached";
  },
  async broadcastChannel() {
    const channel = new BroadcastChannel("planted");
    channel.postMessage("who is there?");
    const [message] = await Promise.all([new Promise((resolve) => channel.addEventListener("message", resolve))]);
    return sees(message.data);
  },
  async webLocks() {
    return sees((await navigator.locks.query()).held.map((lock) => lock.name));
  },
};

export const dataWithDom = {
  async localStorage() {
    return sees(Object.keys(localStorage));
  },
  async localStorageBehindStandIns() {
    const getter = Object.getOwnPropertyDescriptor(Window.prototype, "localStorage") ?? lookUp(window, "localStorage");
    return sees(Object.keys(getter.get.call(window)));
  },
  async cookie() {
    return sees(document.cookie);
  },
  async cookieBehindStandIns() {
    return sees(Object.getOwnPropertyDescriptor(Document.prototype, "cookie").get.call(document));
  },
  async parentDocument() {
    return sees(parent.document.documentElement.dataset.planted);
  },
  async topWindow() {
    return sees(top.planted);
  },
};

function lookUp(object, name) {
  const own = Object.getOwnPropertyDescriptor(object, name);
  return own?.get ? own : lookUp(Object.getPrototypeOf(object), name);
}

// `to.page` and `to.other` are servers' addresses, the page's own and another; they end in "/probe-".
export const network = {
  async fetchFromPage(to) {
    return `reached: ${(await fetch(`${to.page}fetchFromPage`)).status}`;
  },
  async fetchFromOther(to) {
    return `reached: ${(await fetch(`${to.other}fetchFromOther`)).status}`;
  },
  async fetchNoCors(to) {
    return `reached: ${(await fetch(`${to.other}fetchNoCors`, { mode: "no-cors" })).type}`;
  },
  async fetchWithCookies(to) {
    const plain = globalThis.WorkerGlobalScope?.prototype.fetch ?? fetch;
    await plain.call(globalThis, `${to.page}fetchWithCookies`, { mode: "no-cors", credentials: "include" });
    return "reached";
  },
  async xhrWithCookies(to) {
    const request = new XMLHttpRequest();
    request.open("GET", `${to.page}xhrWithCookies`);
    request.withCredentials = true;
    request.send();
    return outcome(request, "load", "error");
  },
  async eventSourceWithCookies(to) {
    const source = new EventSource(`${to.page}eventSourceWithCookies`, { withCredentials: true });
    const result = await outcome(source, "open", "error");
    source.close();
    return result;
  },
  async cacheWithCookies(to) {
    const cache = await caches.open("probe");
    await cache.add(new Request(`${to.page}cacheWithCookies`, { credentials: "include" }));
    return "reached";
  },
  async fetchKeepAlive(to) {
    return `reached: ${(await fetch(`${to.other}fetchKeepAlive`, { method: "POST", body: "x", keepalive: true })).status}`;
  },
  async xhr(to) {
    const request = new XMLHttpRequest();
    request.open("GET", `${to.other}xhr`);
    request.send();
    return outcome(request, "load", "error");
  },
  async xhrSync(to) {
    const request = new XMLHttpRequest();
    request.open("GET", `${to.other}xhrSync`, false);
    request.send();
    return `reached: ${request.status}`;
  },
  async eventSource(to) {
    const source = new EventSource(`${to.other}eventSource`);
    const result = await outcome(source, "open", "error");
    source.close();
    return result;
  },
  async webSocket(to) {
    return outcome(new WebSocket(`${to.other.replace("http", "ws")}webSocket`), "open", "error");
  },
  async importModule(to) {
    await import(`${to.other}importModule`);
    return "reached";
  },
  async workerFromPage(to) {
    return outcome(new Worker(`${to.page}workerFromPage`), "message", "error");
  },
  async nestedWorker(to) {
    const worker = new Worker(blob(`fetch("${to.other}nestedWorker").then(() => postMessage(1), () => postMessage(0))`));
    return new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data ? "reached" : "denied: fetch failed");
      worker.onerror = () => resolve("denied: no worker");
    });
  },
  async nestedWorkerOfData(to) {
    const code = `fetch("${to.other}nestedWorkerOfData").then(() => postMessage(1), () => postMessage(0))`;
    const worker = new Worker(`data:text/javascript,${encodeURIComponent(code)}`);
    return new Promise((resolve) => {
      worker.onmessage = ({ data }) => resolve(data ? "reached" : "denied: fetch failed");
      worker.onerror = () => resolve("denied: no worker");
    });
  },
  async nestedModuleWorker(to) {
    const code = `import "${to.other}nestedModuleWorker"; postMessage(1)`;
    const worker = new Worker(`data:text/javascript,${encodeURIComponent(code)}`, { type: "module" });
    return outcome(worker, "message", "error");
  },
  async fetchBehindStandIns(to) {
    const plain = globalThis.WorkerGlobalScope?.prototype.fetch ?? fetch;
    return `reached: ${(await plain.call(globalThis, `${to.other}fetchBehindStandIns`)).status}`;
  },
  async nestedImportScripts(to) {
    return outcome(new Worker(blob(`importScripts("${to.other}nestedImportScripts"); postMessage(1)`)), "message", "error");
  },
};

export const networkWithDom = {
  async sendBeacon(to) {
    return `denied: ${navigator.sendBeacon(`${to.other}sendBeacon`, "x")}`;
  },
  async serviceWorker(to) {
    const registration = await navigator.serviceWorker.register(`${to.page}serviceWorker`);
    await registration.unregister();
    return "reached";
  },
  async image(to) {
    return outcome(Object.assign(new Image(), { src: `${to.other}image` }), "load", "error");
  },
  async script(to) {
    return outcome(element("script", { src: `${to.other}script` }), "load", "error");
  },
  async style(to) {
    return hint("stylesheet", `${to.other}style`);
  },
  async styleImage(to) {
    element("div", { textContent: "x", style: `background: url(${to.other}styleImage)` });
    return "denied: never told";
  },
  async font(to) {
    await new FontFace("probe", `url(${to.other}font)`).load();
    return "reached";
  },
  async media(to) {
    return outcome(element("video", { src: `${to.other}media` }), "loadeddata", "error");
  },
  async object(to) {
    return outcome(element("object", { data: `${to.other}object` }), "load", "error");
  },
  async frame(to) {
    element("iframe", { src: `${to.other}frame` });
    return "denied: never told";
  },
  async nestedFrameFetch(to) {
    element("iframe", { srcdoc: `<script>fetch("${to.other}nestedFrameFetch", { mode: "no-cors" })</script>` });
    return "denied: never told";
  },
  async preload(to) {
    return hint("preload", `${to.other}preload`, { as: "image" });
  },
  async modulePreload(to) {
    return hint("modulepreload", `${to.other}modulePreload`);
  },
  async prefetch(to) {
    return hint("prefetch", `${to.other}prefetch`);
  },
  async windowOpen(to) {
    const opened = open(`${to.other}windowOpen`);
    setTimeout(() => opened?.close(), WAIT_MS);
    return `denied: ${opened}`;
  },
};

// Packets and connections rather than requests. `to.stun` and `to.wire` are servers that count those.
export const signals = {
  async webRtc(to) {
    new Function(webRtc(to.stun))();
    return "denied: never told";
  },
  async webTransport(to) {
    await new WebTransport(to.stun.replace("stun:", "https://")).ready;
    return "reached";
  },
  async preconnect(to) {
    element("link", { rel: "dns-prefetch", href: to.wire });
    element("link", { rel: "preconnect", href: to.wire });
    return "denied: never told";
  },
};

const XHTML = "http://www.w3.org/1999/xhtml";
const quoted = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll('"', "&quot;");
const framed = (html) => `<iframe xmlns="${XHTML}" srcdoc="${quoted(html)}"></iframe>`;
const place = () => document.body.appendChild(document.createElement("div"));
const adopt = (from) => place().append(from.querySelector("iframe"));
const parsed = (text, type) => new DOMParser().parseFromString(text, type);
const sheet = (result) =>
  parsed(
    `<x:stylesheet version="1.0" xmlns:x="http://www.w3.org/1999/XSL/Transform"><x:template match="/">${result}</x:template></x:stylesheet>`,
    "text/xml",
  );
const otherDocuments = {
  Bare: () => new Document(),
  Xml: () => document.implementation.createDocument(XHTML, "html"),
  Html: () => document.implementation.createHTMLDocument(),
  Parsed: () => parsed("<p>", "text/html"),
  Unsafe: () => Document.parseHTMLUnsafe("<p>"),
  Template: () => document.createElement("template").content.ownerDocument,
};

/** Ways to have a document with a global object of its own, which begins with `html`; `code` is the script in it. */
const waysToFrames = {
  property: (html) => element("iframe", { srcdoc: html }),
  propertyBehindStandIns(html) {
    const frame = element("iframe", {});
    lookUp(frame, "srcdoc").set.call(frame, html);
  },
  attribute: (html) => element("iframe", {}).setAttribute("SrcDoc", html),
  attributeOfNoNamespace: (html) => element("iframe", {}).setAttributeNS(null, "srcdoc", html),
  attributeNode(html) {
    const attribute = document.createAttribute("srcdoc");
    attribute.value = html;
    element("iframe", {}).setAttributeNode(attribute);
  },
  attributeItem(html) {
    const attribute = document.createAttributeNS(null, "srcdoc");
    element("iframe", {}).attributes.setNamedItem(attribute);
    attribute.nodeValue = html;
  },
  attributeOfAnother(html) {
    const other = document.createElement("p");
    other.setAttribute("srcdoc", html);
    element("iframe", {}).setAttributeNode(other.removeAttributeNode(other.attributes[0]));
  },
  attributeToggled(html) {
    const frame = document.createElement("iframe");
    frame.toggleAttribute("srcdoc");
    frame.attributes[0].value = html;
    place().append(frame);
  },
  attributeParsed(html) {
    const other = parsed("<p srcdoc>", "text/html").querySelector("p");
    other.attributes[0].value = html;
    element("iframe", {}).setAttributeNode(other.removeAttributeNode(other.attributes[0]));
  },
  innerHtml(html) {
    place().innerHTML = framed(html);
  },
  outerHtml(html) {
    place().appendChild(document.createElement("p")).outerHTML = framed(html);
  },
  adjacentHtml: (html) => place().insertAdjacentHTML("beforeend", framed(html)),
  htmlUnsafe: (html) => place().setHTMLUnsafe(framed(html)),
  shadow(html) {
    place().attachShadow({ mode: "closed" }).innerHTML = framed(html);
  },
  declaredShadow: (html) =>
    place().setHTMLUnsafe(`<p><template shadowrootmode="closed">${framed(html)}</template></p>`),
  fragment: (html) => place().append(document.createRange().createContextualFragment(framed(html))),
  template(html) {
    const template = document.createElement("template");
    template.innerHTML = framed(html);
    place().append(document.importNode(template.content, true));
  },
  parser: (html) => adopt(parsed(framed(html), "text/html")),
  parserOfXml: (html) => adopt(parsed(framed(html), "application/xhtml+xml")),
  entity: (html) =>
    adopt(
      parsed(
        `<!DOCTYPE a [<!ENTITY x '${framed(html).replaceAll("&", "&#38;").replace("srcdoc", "&#115;rcdoc")}'>]><a>&x;</a>`,
        "text/xml",
      ),
    ),
  unsafeParser: (html) => adopt(Document.parseHTMLUnsafe(framed(html))),
  transformation(html) {
    const processor = new XSLTProcessor();
    processor.importStylesheet(sheet(framed(html).replace(/[{}]/g, "$&$&")));
    place().append(processor.transformToFragment(parsed("<a/>", "text/xml"), document));
  },
  computedTransformation(html) {
    const attribute = `<x:attribute name="{concat('src', 'doc')}">${quoted(html)}</x:attribute>`;
    const processor = new XSLTProcessor();
    processor.importStylesheet(sheet(`<iframe xmlns="${XHTML}">${attribute}</iframe>`));
    place().append(processor.transformToFragment(parsed("<a/>", "text/xml"), document));
  },
  async response(html) {
    const request = new XMLHttpRequest();
    request.open("GET", URL.createObjectURL(new Blob([framed(html)], { type: "text/html" })));
    request.responseType = "document";
    request.send();
    await event(request, "load");
    adopt(request.response);
  },
  async responseXml(html) {
    const request = new XMLHttpRequest();
    request.open("GET", URL.createObjectURL(new Blob([framed(html)], { type: "application/xhtml+xml" })));
    request.send();
    await event(request, "load");
    adopt(request.responseXML);
  },
  editing(html) {
    const editor = place();
    editor.contentEditable = "true";
    getSelection().selectAllChildren(editor);
    if (!document.execCommand("insertHTML", false, framed(html)) || !editor.querySelector("iframe"))
      throw new Error("no editor here");
  },
  otherWrite(html) {
    const other = document.implementation.createHTMLDocument();
    other.write(framed(html));
    adopt(other);
  },
  otherWriteInPieces(html) {
    const other = document.implementation.createHTMLDocument();
    for (const piece of framed(html)) other.write(piece);
    other.close();
    adopt(other);
  },
  ownPolicy(html) {
    const frame = element("iframe", {});
    frame.setAttribute("srcdoc", trustedTypes.createPolicy("own", { createHTML: (text) => text }).createHTML(html));
  },
  defaultPolicy(html) {
    const frame = element("iframe", {});
    frame.setAttribute("srcdoc", trustedTypes.defaultPolicy?.createHTML(html, "TrustedHTML", "") ?? html);
  },
  replacedMethods(html) {
    const prototypes = [RegExp.prototype, String.prototype];
    const before = prototypes.map((prototype) => Object.getOwnPropertyDescriptors(prototype));
    const text = framed(html);
    const frame = place();
    RegExp.prototype.exec = () => null;
    for (const name of ["global", "flags"]) Object.defineProperty(RegExp.prototype, name, { value: "" });
    RegExp.prototype[Symbol.replace] = String.prototype.replace = String.prototype.replaceAll = (value) => value;
    try {
      frame.innerHTML = text;
    } finally {
      for (const [index, prototype] of prototypes.entries()) Object.defineProperties(prototype, before[index]);
    }
  },
  blank: (_, code) => element("iframe", {}).contentWindow.eval(code),
  script: (_, code) => element("iframe", { src: `javascript:${code}` }),
  scriptByName(_, code) {
    element("iframe", { name: "blank" });
    element("a", { href: `javascript:${code}`, target: "blank" }).click();
  },
  ...Object.fromEntries(
    Object.entries(otherDocuments).flatMap(([name, open]) => [
      [
        `attributeIn${name}`,
        (html) => {
          const frame = open().createElementNS(XHTML, "iframe");
          frame.setAttribute("srcdoc", html);
          place().append(frame);
        },
      ],
      [
        `innerHtmlIn${name}`,
        (html) => {
          const other = open().createElementNS(XHTML, "div");
          other.innerHTML = framed(html);
          adopt(other);
        },
      ],
    ]),
  ),
};

export const frames = Object.fromEntries(
  Object.entries(waysToFrames).map(([name, make]) => [
    name,
    async (to) => {
      const ran = new Promise((resolve) =>
        addEventListener("message", ({ data }) => data === `${name} ran` && resolve("reached")),
      );
      const code = `parent.postMessage("${name} ran", "*"); if (self.RTCPeerConnection) { ${webRtc(to.stun)} }`;
      await make(`<script>${code}</script>`, code);
      return ran;
    },
  ]),
);

// These replace the document that runs them.
export const rewriting = {
  async write(to) {
    document.write(framed(`<script>${webRtc(to.stun)}</script>`));
  },
  async writePieces(to) {
    const html = framed(`<script>${webRtc(to.stun)}</script>`);
    document.write("<p>", html.slice(0, html.indexOf("doc=")));
    document.write(html.slice(html.indexOf("doc=")));
  },
  async writeScripts(to) {
    const html = framed(`<script>${webRtc(to.stun)}</script>`);
    const at = html.indexOf("doc=");
    document.write(`<script>document.write(${JSON.stringify(html.slice(0, at))})</script>${html.slice(at)}`);
    document.close();
  },
  async scriptAddress(to) {
    location.href = `javascript:${JSON.stringify(`<script>${webRtc(to.stun)}</script>`)}`;
  },
};

// These leave the page that runs them.
export const leaving = {
  async formSubmit(to) {
    element("form", { action: `${to.other}formSubmit`, method: "POST" }).submit();
    return "denied: never told";
  },
  async topNavigation(to) {
    top.location.href = `${to.other}topNavigation`;
    return "denied: never told";
  },
  async refresh(to) {
    element("meta", { httpEquiv: "refresh", content: `0; url=${to.other}refresh` });
    return "denied: never told";
  },
  async selfNavigation(to) {
    location.href = `${to.other}selfNavigation`;
    return "denied: never told";
  },
};

/** Give the page something to be found, and an answer to those who ask. */
export async function plant() {
  localStorage.setItem("planted", "planted");
  document.cookie = "planted=planted";
  document.documentElement.dataset.planted = "planted";
  globalThis.planted = "planted";
  const request = indexedDB.open("planted", 1);
  request.onupgradeneeded = () => request.result.createObjectStore("planted");
  await event(request, "success");
  request.result.close();
  await caches.open("planted");
  const root = await navigator.storage?.getDirectory(); // WebKitGTK has none.
  await root?.getFileHandle("planted", { create: true });
  const channel = new BroadcastChannel("planted");
  channel.onmessage = () => channel.postMessage("planted");
  await new Promise((resolve) => {
    navigator.locks.request("planted", { mode: "shared" }, () => {
      resolve();
      return new Promise(() => {});
    });
  });
}

/** Run probes side by side; returns their results by name. */
export async function run(probes, to) {
  const names = Object.keys(probes);
  const results = names.map(async (name) => {
    try {
      return await Promise.race([probes[name](to), sleep(WAIT_MS).then(() => "denied: no answer")]);
    } catch (error) {
      return `denied: ${error.name}: ${error.message}`;
    }
  });
  return Object.fromEntries((await Promise.all(results)).map((result, index) => [names[index], result]));
}
