/** `models/{model}:countTokens`, which takes a whole request inside of its own; Vertex AI's takes some of its fields. */

import { asNumber, compact } from '../../json.ts';
import type { OutboundCounting } from '../format.ts';
import { isAtVertex } from './vertex.ts';

export const outboundCounting: OutboundCounting = {
  countedRequest(request, target) {
    if (!isAtVertex(target))
      return { generateContentRequest: { model: `models/${target.model}`, ...request } };
    const { contents, systemInstruction, tools, generationConfig } = request;
    return compact({ contents, systemInstruction, tools, generationConfig });
  },
  parseCount: (answer) => asNumber(answer['totalTokens']),
};
