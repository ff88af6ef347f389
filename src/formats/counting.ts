/** Counting of tokens at the vendors that take some fields of a request for it (Anthropic, OpenAI). */

import { asNumber } from '../lib/json.ts';
import type { OutboundCounting } from './format.ts';

/** @param counted the fields that a request for a count may have: the vendor refuses others. */
export function countByFields(counted: ReadonlySet<string>): OutboundCounting {
  return {
    countedRequest: (request) =>
      Object.fromEntries(Object.entries(request).filter(([field]) => counted.has(field))),
    parseCount: (answer) => asNumber(answer['input_tokens']),
  };
}
