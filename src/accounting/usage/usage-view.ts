/** Usage as the admin API and the command line show it. */

import { z } from 'zod';
import { roundDollars } from '../../lib/round-dollars.ts';
import type { UsageSums } from '../../store/tables.ts';
import type { UsageLine } from './report.ts';

const count = z.int().nonnegative();
const milliseconds = z.number().nonnegative().nullable();

const figures = {
  requests: count,
  errors: count.meta({
    description: 'Requests answered with a status of 400 or more, or cut off by a vendor.',
  }),
  uncounted: count.meta({
    description:
      'Requests whose vendor reported no usage: their tokens and cost are unknown, and in none of the sums.',
  }),
  input_tokens: count.meta({ description: 'All input, cached or not.' }),
  output_tokens: count.meta({ description: 'All output, including reasoning.' }),
  reasoning_tokens: count,
  cache_read_tokens: count,
  cache_write_tokens: count,
  cost: z
    .number()
    .nonnegative()
    .meta({ description: 'US dollars, as the vendor reports or by the prices in the catalog.' }),
  estimated_cost: z.number().nonnegative().meta({
    description:
      'US dollars beyond `cost`: an estimate for text whose usage the vendor did not report. Budgets count it.',
  }),
  mean_duration: milliseconds.meta({
    description: 'Milliseconds to the end of the answer, also of requests that were refused.',
  }),
  mean_first_byte: milliseconds.meta({
    description: "Milliseconds to the first byte of the vendor's answer, of requests that got one.",
  }),
};

export const usageFigures = z.strictObject(figures);

/** A line of a report. null means that the exchanges had none. */
export const usageLine = z.strictObject({
  day: z.iso.date().optional(),
  group: z.string().nullable().optional(),
  key: z.string().nullable().optional(),
  model: z.string().nullable().optional(),
  vendor: z.string().nullable().optional(),
  tag: z.string().nullable().optional(),
  ...figures,
});

export type UsageFigures = z.output<typeof usageFigures>;
export type UsageLineView = z.output<typeof usageLine>;

/** A line of a report as it is shown. */
export function lineView({ of, sums }: UsageLine): UsageLineView {
  const { day, group, key, model, vendor, tag } = of;
  return {
    ...(day !== undefined && { day }),
    ...(group !== undefined && { group: group || null }),
    ...(key !== undefined && { key: key || null }),
    ...(model !== undefined && { model: model || null }),
    ...(vendor !== undefined && { vendor: vendor || null }),
    ...(tag !== undefined && { tag: tag || null }),
    ...renderFigures(sums),
  };
}

/** Sums as they are shown; means are in milliseconds. */
export function renderFigures(sums: UsageSums): UsageFigures {
  return {
    requests: sums.requests,
    errors: sums.errors,
    uncounted: sums.uncounted,
    input_tokens: sums.input,
    output_tokens: sums.output,
    reasoning_tokens: sums.reasoning,
    cache_read_tokens: sums.cache_read,
    cache_write_tokens: sums.cache_write,
    cost: Math.max(0, roundDollars(sums.cost)),
    estimated_cost: Math.max(0, roundDollars(sums.estimated_cost)),
    mean_duration: mean(sums.duration, sums.requests),
    mean_first_byte: mean(sums.first_byte, sums.first_bytes),
  };
}

function mean(sum: number, count: number): number | null {
  return count === 0 ? null : Math.round((sum / count) * 10) / 10;
}
