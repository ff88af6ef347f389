/** `models/{model}:countTokens`, which takes a whole request inside of its own. */

import { asNumber } from '../../json.ts';
import type { OutboundCounting } from '../format.ts';

export const outboundCounting: OutboundCounting = {
  countedRequest: (request, model) => ({ generateContentRequest: { model: `models/${model}`, ...request } }),
  parseCount: (answer) => asNumber(answer['totalTokens']),
};
