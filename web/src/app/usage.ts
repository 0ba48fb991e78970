/** What turns took: times, tokens and money, added up and shown. */

import { html, type TemplateResult } from "lit";
import { duration, money } from "./format";
import type { Metrics } from "./transcript";

/** Add up what is known: the first turn's time to its first token, the last one's speed; undefined for nothing. */
export function sum(each: (Metrics | undefined)[]): Metrics | undefined {
  return each
    .filter((one) => one !== undefined)
    .reduce<Metrics | undefined>((one, later) => (one ? plus(one, later) : later), undefined);
}

function plus(one: Metrics, later: Metrics): Metrics {
  return {
    durationMs: one.durationMs + later.durationMs,
    timeToFirstTokenMs: one.timeToFirstTokenMs ?? later.timeToFirstTokenMs,
    inputTokens: added(one.inputTokens, later.inputTokens),
    outputTokens: added(one.outputTokens, later.outputTokens),
    cachedTokens: added(one.cachedTokens, later.cachedTokens),
    reasoningTokens: added(one.reasoningTokens, later.reasoningTokens),
    tokensPerSecond: later.tokensPerSecond ?? one.tokensPerSecond,
    cost: added(one.cost, later.cost),
    costEstimated: one.costEstimated || later.costEstimated,
    toolCalls: one.toolCalls + later.toolCalls,
  };
}

/** One line of what is known; what is not is left out. */
export function measures(metrics: Metrics, durationMs = 0): TemplateResult {
  const { timeToFirstTokenMs: first, tokensPerSecond: speed, cost, costEstimated } = metrics;
  const facts = [
    durationMs ? duration(durationMs) : "",
    first == null ? "" : `first token ${duration(first)}`,
    tokens(metrics.inputTokens, "in", metrics.cachedTokens, "cached"),
    tokens(metrics.outputTokens, "out", metrics.reasoningTokens, "reasoning"),
    speed == null ? "" : `${speed.toFixed(speed < 10 ? 1 : 0)} tokens/s`,
    cost == null ? "" : price(cost, costEstimated),
  ].filter((fact) => fact !== "");
  return html`${facts.map((fact, at) => html`${at ? " · " : ""}<span class="fact">${fact}</span>`)}`;
}

function tokens(count: number | null, way: string, part: number | null, kind: string): string {
  if (count == null) return "";
  const shown = `${count.toLocaleString("en")} ${way}`;
  return part ? `${shown} (${part.toLocaleString("en")} ${kind})` : shown;
}

function price(dollars: number, estimated: boolean): TemplateResult | string {
  if (!estimated) return money(dollars);
  return html`<span title="estimated from a price table">≈ ${money(dollars)}</span>`;
}

function added(one: number | null, later: number | null): number | null {
  return one == null || later == null ? (one ?? later) : one + later;
}
