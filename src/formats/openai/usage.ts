/** Figures of usage that services which speak OpenAI's formats report in their own ways: the output and the cost. */

import { asNumber, asObject, type JsonObject } from '../../lib/json.ts';

/**
 * All output tokens, reasoning included. Some services leave reasoning out of their output (xAI, Vercel for Gemini), which
 * their figures show: there is more reasoning than output, or the total is the sum of all three.
 * @param figures the input, the reasoning and the total; undefined if the service does not report them.
 */
export function outputWithReasoning(
  output: number,
  {
    input = 0,
    reasoning = 0,
    total,
  }: { readonly [figure in 'input' | 'reasoning' | 'total']: number | undefined },
): number {
  const isSeparate = reasoning > output || (reasoning > 0 && total === input + output + reasoning);
  return isSeparate ? output + reasoning : output;
}

/**
 * The cost in US dollars by the last usage of an answer; undefined if it reports none. xAI reports ticks (Cost Tracking),
 * Perplexity an object with a total (Sonar API), and OpenRouter a number, together with what the upstream charged to the
 * caller's own account (Usage Accounting).
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
