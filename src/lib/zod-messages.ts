/** How a field of a configuration or of the admin API is told to be wrong, where Zod's own words leave the reader to guess. */

import { z } from 'zod';

/** For `safeParse`: a field that is missing, one that there is not (and those there are), a name that may not be. */
export const zodMessages: z.core.$ZodErrorMap = (issue) => {
  if (issue.code === 'invalid_type') return issue.input === undefined ? 'is required' : undefined;
  if (issue.code === 'invalid_key') return issue.issues[0]?.message;
  if (issue.code !== 'unrecognized_keys' || !(issue.inst instanceof z.ZodObject)) return undefined;
  const unknown = issue.keys.map((key) => JSON.stringify(key)).join(', ');
  const known = Object.keys(issue.inst.shape).join(', ');
  return `Unrecognized key: ${unknown} (there are ${known})`;
};
