// The baseline of a stream: fetch, cut at blank lines, parse; nothing kept.
self.onmessage = async ({ data: url }) => {
  const started = performance.now();
  const response = await fetch(url, { method: "POST", body: "{}" });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let events = 0;
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (rest + part.value).split("\n\n");
    rest = blocks.pop();
    for (const block of blocks) {
      const text = block.slice(6);
      if (text !== "[DONE]") JSON.parse(text);
      events++;
    }
  }
  self.postMessage({ events, ms: performance.now() - started });
};
