/** Google's Gemini API: `models/{model}:generateContent` and `:streamGenerateContent` (v1beta). */

import type { Format } from '../format.ts';
import { parseRequest } from './inbound/parse-request.ts';
import { PING, renderEvents } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { parseEvents } from './outbound/parse-events.ts';
import { renderRequest } from './outbound/render-request.ts';
import { inboundCounting, outboundCounting } from './wire/counting.ts';
import { parseError, parseFailure, renderError, renderLateError } from './wire/errors.ts';
import { renderHeaders } from './wire/vertex.ts';
import { FORMAT } from './wire/wire.ts';

export const generateContent: Format = {
  name: FORMAT,
  inbound: {
    parseRequest,
    renderEvents,
    renderReply,
    renderLateError,
    ping: PING,
    counting: inboundCounting,
  },
  outbound: {
    renderRequest,
    renderHeaders,
    parseEvents,
    parseError,
    parseFailure,
    counting: outboundCounting,
    marks: {
      opening: /"candidates"/,
      ending: /"finishReason"|"blockReason"|"error": ?[{"]/,
      failing: /"error"/,
    },
  },
  renderError,
};
