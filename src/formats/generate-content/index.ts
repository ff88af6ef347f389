/** Google's Gemini API: `models/{model}:generateContent` and `:streamGenerateContent` (v1beta). */

import type { Format, Inbound } from '../format.ts';
import { renderHeaders } from './dialects.ts';
import { numberingEnums } from './inbound/number-enums.ts';
import { inboundCounting, parseRequest } from './inbound/parse-request.ts';
import { refuseUnknown, unknownField } from './inbound/refuse-unknown.ts';
import { renderError, renderLateError } from './inbound/render-error.ts';
import { PING, renderEvents } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { parseError, parseFailure } from './outbound/parse-error.ts';
import { parseEvents } from './outbound/parse-events.ts';
import { outboundCounting, renderRequest } from './outbound/render-request.ts';
import { parseAlt } from './wire/alt.ts';

const inbound: Inbound = {
  parseRequest,
  refuseUnknown,
  unknownField,
  renderEvents,
  renderReply,
  renderLateError,
  ping: PING,
  forQuery: (query) => (parseAlt(query).hasNumbers ? numberingEnums(inbound) : inbound),
  counting: inboundCounting,
};

/** The format of the Gemini API. */
export const generateContent: Format = {
  name: 'generate-content',
  inbound,
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
      failing: /(?<=")error"/,
    },
  },
  renderError,
};
