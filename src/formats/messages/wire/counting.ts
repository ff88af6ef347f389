/** `POST /v1/messages/count_tokens`, in which a request's limit and sampling have no place. */

import { countingOf } from '../../counting.ts';
import type { InboundCounting } from '../../format.ts';
import { parseRequest } from '../inbound/parse-request.ts';

export const inboundCounting: InboundCounting = {
  parseRequest(body, report) {
    // Required of a message; where tokens are counted there is no limit.
    const { maxTokens: _, ...prompt } = parseRequest({ ...body, max_tokens: 1 }, report);
    return prompt;
  },
  renderCount: (tokens) => ({ input_tokens: tokens }),
};

/** Of what the gateway writes (MessageCountTokensParams of `@anthropic-ai/sdk`). */
const COUNTED = new Set([
  'model',
  'messages',
  'system',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'cache_control',
]);

export const outboundCounting = countingOf(COUNTED);
