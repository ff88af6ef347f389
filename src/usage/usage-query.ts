/** What may be asked of usage, in the words of the admin API; the command line asks the same. */

import { z } from 'zod';
import { dayOf } from '../calendar.ts';
import { dimensions, type UsageQuery } from './report.ts';

/** Days that are reported where it is not said which, the present one among them. */
const USUAL_DAYS = 30;

const DAY = 86_400_000;

/** PostgreSQL takes no text with U+0000, not even to look for it. */
const name = z.string().regex(/^[^\0]*$/, 'must not hold U+0000');

export const usageQuery = z
  .strictObject({
    from: z.iso
      .date()
      .exactOptional()
      .meta({ description: 'First day, of UTC. Without it: 30 days, to the last.' }),
    to: z.iso.date().exactOptional().meta({ description: 'Last day, of UTC. Without it: today.' }),
    by: z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(z.array(z.enum(dimensions)).min(1))
      .default(['key', 'model'])
      .meta({
        description: 'What has a line of its own: day, key, model, vendor, or several of them, by commas.',
      }),
    key: name.exactOptional().meta({ description: 'Only of the key of this name.' }),
    model: name.exactOptional().meta({ description: 'Only of this model, by its full id.' }),
    limit: z.coerce.number().int().min(1).max(10_000).default(1_000).meta({ description: 'Lines, at most.' }),
  })
  .refine(({ from, to = dayOf(Date.now()) }) => from === undefined || from <= to, {
    path: ['from'],
    error: 'is after the last day',
  });

/** @param now milliseconds since 1970. */
export function queryOf(asked: z.output<typeof usageQuery>, now: number): UsageQuery {
  const { from, to = dayOf(now), by, ...rest } = asked;
  const usual = dayOf(Date.parse(to) - (USUAL_DAYS - 1) * DAY);
  return { ...rest, from: from ?? usual, to, by: dimensions.filter((dimension) => by.includes(dimension)) };
}
