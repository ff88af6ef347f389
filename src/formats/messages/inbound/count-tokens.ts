/** `POST /v1/messages/count_tokens`, as callers use it. */

import type { InboundCounting } from '../../format.ts';
import { parseRequest } from './parse-request.ts';

/** How callers ask for the number of a prompt's tokens, and how the answer is written. */
export const inboundCounting: InboundCounting = {
  parseRequest(body, report) {
    // A message requires `max_tokens`. A request for a count has none, so the placeholder is removed again.
    const { maxTokens: _, ...prompt } = parseRequest({ ...body, max_tokens: 1 }, report);
    return prompt;
  },
  renderCount: (tokens) => ({ input_tokens: tokens }),
};
