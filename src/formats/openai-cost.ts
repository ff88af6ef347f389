/** What services that speak OpenAI's formats say an answer cost, within its usage: fees of theirs that no token tells. */

import { asNumber, asObject, type JsonObject } from '../json.ts';

/** xAI's unit (Cost Tracking). */
const TICKS = 1e10;

/**
 * US dollars by the last usage of an answer; undefined where it says none.
 * xAI says ticks (Cost Tracking), Perplexity an object with a total (Sonar API), OpenRouter a number, beside which stands
 * what the upstream has charged an account of the caller's own (Usage Accounting).
 */
export function dollarsTold(figures: readonly JsonObject[]): number | undefined {
  const { cost, cost_in_usd_ticks, cost_details, is_byok } = figures.at(-1) ?? {};
  const ticks = asNumber(cost_in_usd_ticks);
  if (ticks !== undefined) return ticks / TICKS;
  const total = asNumber(cost) ?? asNumber(asObject(cost)?.['total_cost']);
  const upstream =
    is_byok === true ? asNumber(asObject(cost_details)?.['upstream_inference_cost']) : undefined;
  return upstream === undefined ? total : upstream + (total ?? 0);
}
