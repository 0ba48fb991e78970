/** Requests of the shell's curl, made where the sandbox's network policy holds and where there are no cookies. */

import type { FetchAnswer, FetchMessage, FetchRequest } from "./messages";
import { allows, refusal, unreachable } from "./network";

export async function fetchForShell({ network, request, port }: FetchMessage): Promise<void> {
  port.postMessage(await answer(network, request));
  port.close();
}

async function answer(network: string[], request: FetchRequest): Promise<FetchAnswer> {
  const { url, method, headers, body, redirect, timeoutMs } = request;
  if (!URL.canParse(url)) return { failure: `${url} is no address` };
  if (!allows(network, url)) return { failure: refusal(network, url) };
  try {
    const response = await fetch(url, {
      method,
      headers,
      redirect,
      credentials: "omit",
      ...(body && { body: body as BodyInit }),
      ...(timeoutMs && { signal: AbortSignal.timeout(timeoutMs) }),
    });
    return {
      status: response.status,
      statusText: response.statusText,
      headers: Object.fromEntries(response.headers),
      body: new Uint8Array(await response.arrayBuffer()),
      url: response.url,
    };
  } catch (error) {
    const { name } = error as Error;
    return { failure: name === "TimeoutError" ? `${url} did not answer in time` : unreachable(url) };
  }
}
