/** Fields that configurations, the admin API and commands share, with messages that show a right value. */

import { z } from 'zod';

/** A time with its zone. */
export const isoTime = z.iso.datetime({
  offset: true,
  error: 'must be a time such as 2027-01-31T12:00:00Z',
});

/** A text to look for. PostgreSQL does not accept U+0000, not even in a query. */
export const wantedText = z.string().regex(/^[^\0]*$/, 'must not contain U+0000');

/** How many entries of a list to return, given as text: from 1 to `max`. */
export function listLimit(max: number): z.ZodCoercedNumber {
  const error = `must be a whole number from 1 to ${max}`;
  return z.coerce.number({ error }).int({ error }).min(1, { error }).max(max, { error });
}
