/** `POST /v1/responses/input_tokens`. */

import { countingOf } from '../../counting.ts';
import type { InboundCounting } from '../../format.ts';
import { parseRequest } from '../inbound/parse-request.ts';

export const inboundCounting: InboundCounting = {
  parseRequest,
  renderCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
};

/** Of what the gateway writes (InputTokenCountParams of `openai`). */
const COUNTED = new Set([
  'model',
  'input',
  'instructions',
  'parallel_tool_calls',
  'reasoning',
  'text',
  'tool_choice',
  'tools',
]);

export const outboundCounting = countingOf(COUNTED);
