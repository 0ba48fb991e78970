/**
 * Keeps WebRTC, the one way to the network that no policy governs, from previewed code. It is taken out of the window;
 * but a document in a frame has it anew, and no policy forbids `srcdoc`. So no attribute of that name is ever made:
 * Trusted Types, which the preview's policy demands, bring all HTML here before it is parsed, and what does not come
 * through them is closed one by one. Nothing here relies on what previewed code can replace.
 */

/** Unseen in text, and part of a name in scripts and in HTML: with it, a name is another one. */
const JOINER = "\u200c";
const NO_FRAMES = "A preview shows no frames: what is put into the srcdoc of an iframe is left out";

/** A global object, in a browser that knows Trusted Types. */
export interface Trusting {
  trustedTypes?: { createPolicy(name: string, rules: Record<string, Rule>): unknown };
}
/** Returns what to take in the place of a text, for `sink`; null refuses it. */
type Rule = (text: string, type: string, sink: string) => string | null;

const { apply, defineProperty, deleteProperty } = Reflect;
const { exec, [Symbol.replace]: replaceAll } = RegExp.prototype;

const NAME = own(/srcdoc/gi);
/** What pieces of HTML, as `document.write` takes them, may end with for the next to go on. */
const BEGUN_NAME = own(/(?:^|[\s"'/])(?:s|sr|src|srcd|srcdo)$/gi);
/** XML's entities can spell a name in numbers. */
const ENTITY = own(/<!ENTITY/gi);

export function forbidFrames(): void {
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection"]) deleteProperty(window, name);
  checkHtml((html, sink) => {
    const whole = lengthen(ENTITY, lengthen(NAME, html));
    return sink === "Document write" || sink === "Document writeln" ? lengthen(BEGUN_NAME, whole) : whole;
  });
  // With it, previewed code could have HTML trusted that was not checked. Libraries do without it.
  deleteProperty(window, "trustedTypes");

  // WebKit checks no attributes in documents without a window.
  for (const name of ["setAttribute", "toggleAttribute"] as const)
    renameAttribute(Element.prototype, name, 0);
  renameAttribute(Element.prototype, "setAttributeNS", 1);
  renameAttribute(Document.prototype, "createAttribute", 0);
  renameAttribute(Document.prototype, "createAttributeNS", 1);
  replaceAccessor(HTMLIFrameElement.prototype, "srcdoc", {
    get: () => "",
    set: () => console.warn(NO_FRAMES),
  });

  // Parsers whose documents were not checked.
  deleteProperty(window, "XSLTProcessor");
  deleteProperty(Document, "parseHTMLUnsafe");
  const { prototype } = XMLHttpRequest;
  deleteProperty(prototype, "responseXML");
  const { get, set } = Object.getOwnPropertyDescriptor(prototype, "responseType") as PropertyDescriptor;
  replaceAccessor(prototype, "responseType", {
    get: get as () => string,
    set(type: unknown) {
      const name = `${type}`;
      // It is ignored, as what a browser does not know.
      if (name !== "document") apply(set as () => void, this, [name]);
    },
  });
}

/** Have all HTML checked where Trusted Types are demanded; scripts pass. */
export function checkHtml(check: (html: string, sink: string) => string): void {
  (globalThis as Trusting).trustedTypes?.createPolicy("default", {
    createHTML: (html, _type, sink) => check(html, sink),
    // What `javascript:` addresses result in may be a new document.
    createScript: (script, _type, sink) => (sink === "Location href" ? null : script),
    createScriptURL: (url) => url,
  });
}

function renameAttribute<T extends object>(prototype: T, method: keyof T & string, index: number): void {
  const original = prototype[method] as (...values: unknown[]) => unknown;
  const value = function (this: unknown, ...values: unknown[]) {
    if (values.length > index) {
      const name = `${values[index]}`;
      values[index] = lengthen(NAME, name);
      if (values[index] !== name) console.warn(NO_FRAMES);
    }
    return apply(original, this, values);
  };
  defineProperty(prototype, method, { configurable: true, enumerable: true, writable: true, value });
}

function replaceAccessor(prototype: object, name: string, accessor: PropertyDescriptor): void {
  defineProperty(prototype, name, { configurable: true, enumerable: true, ...accessor });
}

/** Add to whatever matches. */
function lengthen(pattern: RegExp, text: string): string {
  return apply(replaceAll, pattern, [text, `$&${JOINER}`]);
}

/** Return the pattern with all that is looked up in it when it replaces. */
function own(pattern: RegExp): RegExp {
  for (const [name, value] of Object.entries({ exec, flags: "gi", global: true, unicode: false }))
    defineProperty(pattern, name, { value });
  return pattern;
}
