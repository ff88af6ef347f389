/** The rates of requests and output tokens, as the growth of the totals between two reports. */

import { count, type Figures } from './figures.ts';

/** The most rates that are kept: five minutes, at one report every three seconds. */
const MAX_RATES = 100;

export interface LiveRates {
  /** Requests per second, the newest last. */
  readonly requests: readonly number[];
  /** Output tokens per second, newest only; undefined before there are two reports. */
  readonly tokens: number | undefined;
  readonly latest: { readonly at: number; readonly of: string; readonly total: Figures } | undefined;
}

export const NO_RATES: LiveRates = { requests: [], tokens: undefined, latest: undefined };

/**
 * Adds a report.
 * @param of what is reported: the first report of a day gives no rate, since the totals lose their oldest day
 * @param at milliseconds
 */
export function addRate(before: LiveRates, of: string, total: Figures, at = performance.now()): LiveRates {
  const latest = { at, of, total };
  const last = before.latest;
  if (last === undefined || last.of !== of) return { ...NO_RATES, latest };
  const seconds = Math.max(0.001, (at - last.at) / 1_000);
  const rate = (now: number, then: number): number => Math.max(0, now - then) / seconds;
  const requests = rate(total.requests, last.total.requests);
  return {
    requests: [...before.requests, requests].slice(-MAX_RATES),
    tokens: rate(total.output_tokens, last.total.output_tokens),
    latest,
  };
}

/** The newest rates in words; empty before there are any. */
export function writeRate({ requests, tokens }: LiveRates): string {
  const latest = requests.at(-1);
  if (latest === undefined || tokens === undefined) return '';
  const write = (value: number): string =>
    value >= 10 ? count(value) : String(Number(value.toPrecision(2)));
  return `${write(latest)} requests per second, ${write(tokens)} output tokens per second`;
}
