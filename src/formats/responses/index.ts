/** OpenAI's responses format (`POST /v1/responses`), both halves. */

import { countByFields } from '../counting.ts';
import type { Format } from '../format.ts';
import { unknownField } from '../openai/fields.ts';
import { COMMENT_LINE } from '../openai/ping.ts';
import { parseRequest } from './inbound/parse-request.ts';
import { withoutState } from './inbound/refuse-state.ts';
import { refuseUnknown } from './inbound/refuse-unknown.ts';
import { renderError, renderLateError } from './inbound/render-error.ts';
import { renderEvents } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { parseError, parseFailure, recognizeRefusal } from './outbound/parse-error.ts';
import { parseEvents } from './outbound/parse-events.ts';
import { renderRequest } from './outbound/render-request.ts';
import { isKnownElsewhere } from './outbound/supported-elsewhere.ts';

export const responses: Format = {
  name: 'responses',
  inbound: {
    parseRequest,
    withoutState,
    refuseUnknown,
    unknownField,
    renderEvents,
    renderReply,
    renderLateError,
    // Only a comment: events are numbered without gaps, so none can be sent before the answer begins.
    ping: COMMENT_LINE,
    counting: {
      parseRequest,
      renderCount: (tokens) => ({ object: 'response.input_tokens', input_tokens: tokens }),
    },
  },
  outbound: {
    renderRequest,
    isKnownElsewhere,
    recognizeRefusal,
    parseEvents,
    parseError,
    parseFailure,
    // Of InputTokenCountParams (`openai`).
    counting: countByFields(
      'model input instructions parallel_tool_calls personality reasoning text tool_choice tools',
    ),
    marks: {
      opening: /"type": ?"response\.created"/,
      ending: /"type": ?"(?:response\.(?:completed|incomplete|failed|cancelled|done)|error)"/,
      // Only the last response has made tokens. Its usage stands near its end, when its beginning has left the kept end.
      closing:
        /"type": ?"(?:response\.(?:completed|incomplete|failed|cancelled|done)|error)"|^[^\r\n]*"output_tokens": ?[1-9]/,
      failing: /"type": ?"(?:response\.failed|error)"|"error": ?\{/,
      preamble: /"type": ?"response\.(?:created|queued|in_progress)"/,
    },
  },
  renderError,
};
