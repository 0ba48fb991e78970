// The baseline of a shell: just-bash alone over its own file system, behind one message there and one back.
import { Bash, InMemoryFs } from "just-bash/browser";
const bash = new Bash({ fs: new InMemoryFs(), cwd: "/" });
self.onmessage = async ({ data }) => {
  const started = performance.now();
  for (const [path, content] of Object.entries(data.files ?? {})) await bash.fs.writeFile(path, content);
  const run = performance.now();
  const result = await bash.exec(data.command, { rawScript: true });
  self.postMessage({ stdout: result.stdout, ms: performance.now() - (data.files ? run : started) });
};
