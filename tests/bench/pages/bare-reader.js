// The baseline of a stream: fetch, cut at blank lines (or line ends, where it is JSON by lines), parse; nothing kept.
self.onmessage = async ({ data: url }) => {
  const started = performance.now();
  const response = await fetch(url, { method: "POST", body: "{}" });
  const byLines = response.headers.get("content-type").includes("ndjson");
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let events = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).split(byLines ? "\n" : "\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const text = byLines ? block : block.slice(block.indexOf("data: ") + 6);
      if (text !== "[DONE]") JSON.parse(text);
      events++;
    }
  }
  self.postMessage({ events, ms: performance.now() - started });
};
