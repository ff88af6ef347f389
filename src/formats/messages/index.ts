/** Anthropic's messages: `POST /v1/messages`. */

import { countByFields } from '../counting.ts';
import type { Format } from '../format.ts';
import { serviceTraits } from './dialects.ts';
import { parseRequest } from './inbound/parse-request.ts';
import { withoutState } from './inbound/refuse-state.ts';
import { refuseUnknown, unknownField, unknownTool } from './inbound/refuse-unknown.ts';
import { renderError, renderLateError } from './inbound/render-error.ts';
import { PING, renderEvents } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { requireFields } from './inbound/required-fields.ts';
import { parseError, parseFailure, recognizeRefusal } from './outbound/parse-error.ts';
import { parseEvents } from './outbound/parse-events.ts';
import { renderHeaders } from './outbound/render-headers.ts';
import { renderRequest } from './outbound/render-request.ts';

export const messages: Format = {
  name: 'messages',
  inbound: {
    parseRequest,
    withoutState,
    requireFields,
    refuseUnknown,
    unknownField,
    unknownTool,
    renderEvents,
    renderReply,
    renderLateError,
    ping: PING,
    counting: {
      parseRequest(body, report) {
        // A message requires `max_tokens`. A request for a count has none, so the placeholder is removed again.
        const { maxTokens: _, ...prompt } = parseRequest({ ...body, max_tokens: 1 }, report);
        return prompt;
      },
      renderCount: (tokens) => ({ input_tokens: tokens }),
    },
  },
  outbound: {
    serviceTraits,
    renderRequest,
    renderHeaders,
    recognizeRefusal,
    parseEvents,
    parseError,
    parseFailure,
    // Of MessageCountTokensParams (`@anthropic-ai/sdk`): the limit and the sampling parameters are refused.
    counting: countByFields('model messages system tools tool_choice thinking output_config cache_control'),
    marks: {
      opening: /"message_start"/,
      ending: /"message_stop"|"error": ?[{"]/,
      closing: /"type": ?"message_stop"|(?:^|[\r\n])event: ?error/,
      failing: /(?<=event: ?|")error\b/,
      preamble: /"type": ?"ping"|^[^{]{0,64}\{"type": ?"message_start"[^\r\n]*"content": ?\[\]/,
    },
  },
  renderError,
};
