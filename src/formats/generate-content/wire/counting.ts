/** `models/{model}:countTokens`, which takes a whole request inside of its own; Vertex AI's takes some of its fields. */

import { asNumber, asObject, compact } from '../../../lib/json.ts';
import type { InboundCounting, OutboundCounting } from '../../format.ts';
import { parseRequest } from '../inbound/parse-request.ts';
import { isAtVertex } from './vertex.ts';
import { sortFields } from './wire.ts';

export const inboundCounting: InboundCounting = {
  parseRequest(body, report) {
    const { generateContentRequest } = sortFields(body, ['generateContentRequest']).known;
    return parseRequest(asObject(generateContentRequest) ?? body, report);
  },
  renderCount: (tokens) => ({ totalTokens: tokens }),
};

export const outboundCounting: OutboundCounting = {
  countedRequest(request, target) {
    if (!isAtVertex(target))
      return { generateContentRequest: { model: `models/${target.model}`, ...request } };
    const { contents, systemInstruction, tools, generationConfig } = request;
    return compact({ contents, systemInstruction, tools, generationConfig });
  },
  parseCount: (answer) => asNumber(answer['totalTokens']),
};
