/** What a request may cost, before it is sent: budgets hold it until the true cost is known. */

import type { CostEstimate } from '../../access/limits/reserve.ts';
import type { Model } from '../../catalog/model.ts';
import { findPrices } from '../../catalog/prices-at.ts';
import { ratesFor } from './cost.ts';
import { tokensOfRequest } from './output-estimate.ts';

/** What is known of a request before it is sent. */
export interface PricedRequest {
  readonly body: Uint8Array;
  readonly model: Pick<Model, 'prices' | 'contextWindow'>;
  /** The most tokens of all answers together. */
  readonly output: number;
  /** Whether it continues something stored at the vendor, which is input that nobody here sees. */
  readonly continues: boolean;
  /** Whether it asks for a service tier, which may have a price of its own. */
  readonly tiered: boolean;
}

/** The most tokens of an answer of usual length. */
const TYPICAL_OUTPUT = 1_000;

/**
 * How many times its estimate the input may be. English prose has some four bytes a token, Chinese and Japanese some
 * three, and dense code or digits some two.
 */
const MAX_INPUT_FACTOR = 2;

/**
 * Estimates what a request costs, in US dollars.
 * @param time milliseconds since 1970, for prices that change.
 * @returns `typical`, with an answer of usual length; and `longest`, with the longest answer, the input counted amply,
 *   and at the highest price that may apply.
 */
export function estimateCost(
  { body, model, output, continues, tiered }: PricedRequest,
  time: number,
): CostEstimate {
  const prices = findPrices(model.prices, time);
  const input = tokensOfRequest(body);
  const maxInput = continues ? model.contextWindow : Math.min(MAX_INPUT_FACTOR * input, model.contextWindow);
  const rates = ratesFor(prices, input);
  return {
    typical: (input * rates.input + Math.min(TYPICAL_OUTPUT, output) * rates.output) / 1e6,
    longest:
      ((maxInput * dearestInput(prices, maxInput) + output * dearestOutput(prices, maxInput)) / 1e6) *
      dearestTier(prices, tiered),
  };
}

function dearestInput(prices: Model['prices'], tokens: number): number {
  const { input, cacheWrite = 0, cacheWriteHour = 0 } = ratesFor(prices, tokens);
  return Math.max(input, cacheWrite, cacheWriteHour);
}

/** An input of at most `tokens` may be one that is not long, and its answer is then priced as others are. */
function dearestOutput(prices: Model['prices'], tokens: number): number {
  return Math.max(prices.output, ratesFor(prices, tokens).output);
}

/** Of the tiers one applies, and service in one region besides. */
function dearestTier({ tiers: { us = 1, ...others } = {} }: Model['prices'], tiered: boolean): number {
  return tiered ? Math.max(1, ...Object.values(others)) * Math.max(1, us) : 1;
}
