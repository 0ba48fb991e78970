/** Requests of the shell's curl, made where the sandbox's network policy holds and where there are no cookies. */

import type { FetchAnswer, FetchRequest } from "./messages";

export async function fetchForShell({ request, port }: { request: FetchRequest; port: MessagePort }): Promise<void> {
  const { url, method, headers, body, redirect } = request;
  let answer: FetchAnswer;
  try {
    const response = await fetch(url, { method, headers, redirect, credentials: "omit", ...(body && { body: body as BodyInit }) });
    answer = {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
      url: response.url,
    };
  } catch (error) {
    answer = { failure: error instanceof Error ? error.message : String(error) };
  }
  port.postMessage(answer);
  port.close();
}
