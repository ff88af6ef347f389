/** The parameters of a report, as the admin API names them; the command line uses the same names. */

import { z } from 'zod';
import { formatDay } from '../../lib/calendar.ts';
import { listLimit, wantedText } from '../../lib/zod-fields.ts';
import { type Dimension, dimensions, type UsageQuery } from './usage-dimensions.ts';

/** Days in a report by default, including the last one. */
const USUAL_DAYS = 30;

const DAY = 86_400_000;

/** It may be tomorrow already in the configured time zone: by so many milliseconds at most. */
const AHEAD = 14 * 3_600_000;

const day = z.iso.date({ error: 'must be a date such as 2027-01-31' });

export const usageQuery = z
  .strictObject({
    from: day
      .exactOptional()
      .meta({ description: 'First day, in the configured time zone. Default: 29 days before the last day.' }),
    to: day.exactOptional().meta({ description: 'Last day. Default: today.' }),
    by: z
      .string()
      .transform((text) => text.split(',').map((part) => part.trim()))
      .pipe(
        z
          .array(
            z.enum(dimensions, {
              error: `must be ${dimensions.join(', ')}, or several of them, comma-separated`,
            }),
          )
          .min(1),
      )
      .default(['key', 'model'])
      .meta({
        listOf: [...dimensions],
        description:
          'What to group by: day, group, key, model, vendor, tag, or several of them, comma-separated; group and tag not together.',
      }),
    group: wantedText
      .exactOptional()
      .meta({ description: 'Only what keys of this group used while they were of it.' }),
    key: wantedText.exactOptional().meta({ description: 'Only the key of this name.' }),
    model: wantedText.exactOptional().meta({ description: 'Only this model, by its full id.' }),
    tag: wantedText
      .exactOptional()
      .meta({ description: 'Only requests with this tag (header `x-gateway-tag`).' }),
    simulated: z
      .enum(['true', 'false'])
      .default('false')
      .transform((said) => said === 'true')
      .meta({
        description:
          'Report what the sandbox answered (`true`), or what vendors did (`false`). The sandbox costs nothing, and is never part of the other report.',
      }),
    limit: listLimit(10_000).default(1_000).meta({ description: 'Most lines to return.' }),
  })
  .refine(({ from, to = formatDay(Date.now() + AHEAD) }) => from === undefined || from <= to, {
    path: ['from'],
    error: 'is after the last day',
  })
  .refine((asked) => !(asks('group', asked) && asks('tag', asked)), {
    path: ['group'],
    error: 'cannot be combined with tag: usage is summed up by group and by tag, but not by both at once',
  });

function asks(
  dimension: 'group' | 'tag',
  asked: { readonly by: readonly Dimension[]; readonly group?: string; readonly tag?: string },
): boolean {
  return asked.by.includes(dimension) || asked[dimension] !== undefined;
}

/**
 * Completes a query with its defaults.
 * @param now milliseconds since 1970.
 * @param timeZone of the days.
 */
export function completeQuery(asked: z.output<typeof usageQuery>, now: number, timeZone = 'UTC'): UsageQuery {
  const { from, to = formatDay(now, timeZone), by, ...rest } = asked;
  const usual = formatDay(Date.parse(to) - (USUAL_DAYS - 1) * DAY);
  return { ...rest, from: from ?? usual, to, by: dimensions.filter((dimension) => by.includes(dimension)) };
}
