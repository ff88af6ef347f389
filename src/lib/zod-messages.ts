/** Messages for fields of a configuration or of the admin API, where Zod's own would leave the reader to guess. */

import { z } from 'zod';

/** What Zod calls a number whose size is wrong. Texts and lists have a size too. */
const NUMBERS: ReadonlySet<string> = new Set(['number', 'int']);

/** For `safeParse`: a missing field, an unknown field (with the known ones), a name that is not allowed, and a number. */
export const zodMessages: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'is required' : undefined;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message;
  if (issue.code === 'too_small' && NUMBERS.has(issue.origin))
    return `must be ${issue.inclusive ? 'at least' : 'above'} ${issue.minimum}`;
  if (issue.code === 'too_big' && NUMBERS.has(issue.origin))
    return `must be ${issue.inclusive ? 'at most' : 'below'} ${issue.maximum}`;
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined;
  const unknown = issue.keys.map((key) => JSON.stringify(key)).join(', ');
  const known = Object.keys(issue.inst.shape).join(', ');
  return `Unrecognized key: ${unknown} (there are ${known})`;
};
