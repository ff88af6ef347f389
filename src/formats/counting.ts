/** Counting of tokens at the vendors that take some fields of a request for it (Anthropic, OpenAI). */

import { asNumber, splitFields } from '../lib/json.ts';
import { wordSet } from '../lib/words.ts';
import type { OutboundCounting } from './format.ts';

/** @param fields the ones that a request for a count may have: the vendor refuses others. */
export function countByFields(fields: string): OutboundCounting {
  const counted = wordSet(fields);
  return {
    countedRequest: (request) => splitFields(request, counted)[0],
    parseCount: (answer) => asNumber(answer['input_tokens']),
  };
}
