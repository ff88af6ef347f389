/** The headers that say how much of a limit is left, and when to try again. */

import { ANTHROPIC_LIMIT_HEADERS, OPENAI_LIMIT_HEADERS } from '../../../access/limits/limit-headers.ts';
import type { JsonObject } from '../../../lib/json.ts';

const NAMES = [...OPENAI_LIMIT_HEADERS, ...ANTHROPIC_LIMIT_HEADERS];

const COUNT = { type: 'integer', minimum: 0 };

const OF_LIMIT =
  "The limit per minute of the key or of its group, or of one of them for the model, whichever has least left; if there is none, the vendor's own limit, if the vendor reports it.";
const OF_REMAINING = 'How much of the limit is left.';

function described(name: string): JsonObject {
  if (/-limit(?:-|$)/.test(name)) return { description: OF_LIMIT, schema: COUNT };
  if (/-remaining(?:-|$)/.test(name)) return { description: OF_REMAINING, schema: COUNT };
  if (name.startsWith('anthropic-'))
    return { description: 'When the limit resets.', schema: { type: 'string', format: 'date-time' } };
  return {
    description: 'Time until the limit resets, such as `6s` or `6m0s`.',
    schema: { type: 'string', pattern: '^([0-9]+([.][0-9]+)?(ms|s|m|h|d))+$' },
  };
}

/** The OpenAPI header components by name. */
export const limitHeaderComponents: JsonObject = {
  ...Object.fromEntries(NAMES.map((name) => [name, described(name)])),
  RetryAfter: {
    description: 'Seconds to wait before trying again, if known.',
    schema: COUNT,
  },
};

/** The limit headers that an answer may have, under the names of either vendor. */
export const limitHeaders: JsonObject = Object.fromEntries(
  NAMES.map((name) => [name, { $ref: `#/components/headers/${name}` }]),
);

/** The header of an answer that asks the caller to try again later. */
export const retryAfter: JsonObject = { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };
