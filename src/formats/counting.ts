/** What the two vendors have in common that count a request by fields of it. */

import { asNumber } from '../lib/json.ts';
import type { OutboundCounting } from './format.ts';

/** @param counted the fields that a request for a count may have: vendors refuse the others there. */
export function countingOf(counted: ReadonlySet<string>): OutboundCounting {
  return {
    countedRequest: (request) =>
      Object.fromEntries(Object.entries(request).filter(([field]) => counted.has(field))),
    parseCount: (answer) => asNumber(answer['input_tokens']),
  };
}
