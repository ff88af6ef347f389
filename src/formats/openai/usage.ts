/** What services that speak OpenAI's formats say of an answer's usage in ways of their own: its cost, and its output. */

import { asNumber, asObject, type JsonObject } from '../../lib/json.ts';

/**
 * All output. Some services leave reasoning out of it (xAI, Vercel for Gemini), which their figures tell: more reasoning
 * than output, or a total that has all three.
 * @param input undefined, as `reasoning` and `total`, where the service does not say.
 */
export function outputWithReasoning(
  output: number,
  {
    input = 0,
    reasoning = 0,
    total,
  }: { readonly [figure in 'input' | 'reasoning' | 'total']: number | undefined },
): number {
  const isApart = reasoning > output || (reasoning > 0 && total === input + output + reasoning);
  return isApart ? output + reasoning : output;
}

/**
 * US dollars by the last usage of an answer; undefined where it says none.
 * xAI says ticks (Cost Tracking), Perplexity an object with a total (Sonar API), OpenRouter a number, beside which stands
 * what the upstream has charged an account of the caller's own (Usage Accounting).
 */
export function dollarsTold(figures: readonly JsonObject[]): number | undefined {
  const { cost, cost_in_usd_ticks, cost_details, is_byok } = figures.at(-1) ?? {};
  const ticks = asNumber(cost_in_usd_ticks);
  // Ten thousand million of them are a dollar.
  if (ticks !== undefined) return ticks / 1e10;
  const total = asNumber(cost) ?? asNumber(asObject(cost)?.['total_cost']);
  const upstream =
    is_byok === true ? asNumber(asObject(cost_details)?.['upstream_inference_cost']) : undefined;
  return upstream === undefined ? total : upstream + (total ?? 0);
}
