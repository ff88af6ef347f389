/** `models/{model}:countTokens` at Google: it takes a whole request; that of Vertex AI takes some of its fields. */

import { asNumber } from '../../../lib/json.ts';
import type { OutboundCounting } from '../../format.ts';
import { findDialect } from '../dialects.ts';

/** @see OutboundCounting */
export const outboundCounting: OutboundCounting = {
  countedRequest(request, target) {
    const { countedFields } = findDialect(target);
    if (countedFields === undefined) {
      return { generateContentRequest: { model: `models/${target.model}`, ...request } };
    }
    return Object.fromEntries(Object.entries(request).filter(([field]) => countedFields.includes(field)));
  },
  parseCount: (answer) => asNumber(answer['totalTokens']),
};
