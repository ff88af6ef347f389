/** The rates of requests and output tokens, as the growth of today's totals between two reports. */

import { count } from './measures.js';

/** @import { Figures } from './measures.js' */

/** The most rates that are kept: five minutes, at one report every three seconds. */
export const MOST_RATES = 100;

/** @typedef {ReturnType<typeof createLiveRates>} LiveRates */

export function createLiveRates() {
  /** The latest report. @type {{ at: number, day: string, total: Figures } | undefined} */
  let latest;
  /** @type {number[]} */
  let rates = [];
  return {
    /** @returns {readonly number[]} requests per second, the newest last */
    get: () => rates,
    /**
     * @param {string} day the current UTC day; the first report of a day gives no rate, since the totals start again
     * @param {Figures} total the totals of that day
     * @returns {string | undefined} the newest rates in words
     */
    add(day, total) {
      const at = performance.now();
      const before = latest;
      latest = { at, day, total };
      if (before === undefined || before.day !== day) return undefined;
      const seconds = (at - before.at) / 1_000;
      const requests = Math.max(0, total.requests - before.total.requests) / seconds;
      const tokens = Math.max(0, total.output_tokens - before.total.output_tokens) / seconds;
      rates = [...rates, requests].slice(-MOST_RATES);
      return `${writeRate(requests)} requests per second, ${writeRate(tokens)} output tokens per second`;
    },
    clear() {
      latest = undefined;
      rates = [];
    },
  };
}

/** @param {number} value */
function writeRate(value) {
  return value >= 10 ? count(value) : String(Number(value.toPrecision(2)));
}
