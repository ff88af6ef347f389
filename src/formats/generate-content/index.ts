/** Google's Gemini API: `models/{model}:generateContent` and `:streamGenerateContent` (v1beta). */

import type { Format } from '../format.ts';
import { inboundCounting, outboundCounting } from './counting.ts';
import { parseError, parseFailure, renderError, renderLateError } from './errors.ts';
import { parseEvents } from './parse-events.ts';
import { parseRequest } from './parse-request.ts';
import { PING, renderEvents } from './render-events.ts';
import { renderReply } from './render-reply.ts';
import { renderRequest } from './render-request.ts';
import { renderHeaders } from './vertex.ts';
import { FORMAT } from './wire.ts';

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
