/** What services say in the usage of an answer that they charge for it, in any of the formats. */

import { asNumber, asObject, type JsonObject } from '../lib/json.ts';

/**
 * The cost in US dollars by the last usage of an answer; undefined if it reports none. xAI reports ticks (Cost Tracking),
 * Perplexity an object with a total (Sonar API), and OpenRouter a number, together with what the upstream charged to the
 * caller's own account (Usage Accounting), in messages too (recorded).
 */
export function parseCost(figures: readonly JsonObject[]): number | undefined {
  const { cost, cost_in_usd_ticks, cost_details, is_byok } = figures.at(-1) ?? {};
  const ticks = asNumber(cost_in_usd_ticks);
  // A dollar is 10^10 ticks.
  if (ticks !== undefined) return ticks / 1e10;
  const total = asNumber(cost) ?? asNumber(asObject(cost)?.['total_cost']);
  const upstream =
    is_byok === true ? asNumber(asObject(cost_details)?.['upstream_inference_cost']) : undefined;
  return upstream === undefined ? total : upstream + (total ?? 0);
}
