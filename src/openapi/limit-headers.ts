/** Headers that tell how much of a limit is left, and when to come again. */

import type { JsonObject } from '../json.ts';
import { ANTHROPIC_LIMIT_HEADERS, OPENAI_LIMIT_HEADERS } from '../limits/limit-headers.ts';

const NAMES = [...OPENAI_LIMIT_HEADERS, ...ANTHROPIC_LIMIT_HEADERS];

const COUNT = { type: 'integer', minimum: 0 };

const OF_LIMIT =
  "What the key may use in a minute; where it has no such limit, the vendor's own, if the vendor tells of it.";
const OF_REMAINING = 'What is left of it.';

function described(name: string): JsonObject {
  if (/-limit(?:-|$)/.test(name)) return { description: OF_LIMIT, schema: COUNT };
  if (/-remaining(?:-|$)/.test(name)) return { description: OF_REMAINING, schema: COUNT };
  if (name.startsWith('anthropic-'))
    return { description: 'When it begins anew.', schema: { type: 'string', format: 'date-time' } };
  return {
    description: 'How long until it begins anew, as `6s` or `6m0s`.',
    schema: { type: 'string', pattern: '^([0-9]+([.][0-9]+)?(ms|s|m|h|d))+$' },
  };
}

/** Each of them, by its name. */
export const limitHeaderComponents: JsonObject = {
  ...Object.fromEntries(NAMES.map((name) => [name, described(name)])),
  RetryAfter: {
    description: 'Seconds to wait before another try, where that is known.',
    schema: COUNT,
  },
};

/** Those that an answer may have, by whichever names its vendor has for them. */
export const limitHeaders: JsonObject = Object.fromEntries(
  NAMES.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** What an answer has that asks to come again later. */
export const retryAfter: JsonObject = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };
