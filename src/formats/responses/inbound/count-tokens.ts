/** How callers ask for the number of tokens of a prompt: `POST /v1/responses/input_tokens`. */

import type { InboundCounting } from '../../format.ts';
import { parseRequest } from './parse-request.ts';

export const inboundCounting: InboundCounting = {
  parseRequest,
  renderCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
};
