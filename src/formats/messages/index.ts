/** Anthropic's messages: `POST /v1/messages`. */

import type { Format } from '../format.ts';
import { serviceTraits } from './dialects.ts';
import { inboundCounting } from './inbound/count-tokens.ts';
import { parseRequest } from './inbound/parse-request.ts';
import { withoutState } from './inbound/refuse-state.ts';
import { refuseUnknown, unknownField, unknownTool } from './inbound/refuse-unknown.ts';
import { renderError, renderLateError } from './inbound/render-error.ts';
import { PING, renderEvents } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { requireFields } from './inbound/required-fields.ts';
import { optionalFields } from './outbound/beta-features.ts';
import { outboundCounting } from './outbound/count-tokens.ts';
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
    counting: inboundCounting,
  },
  outbound: {
    serviceTraits,
    renderRequest,
    renderHeaders,
    optionalFields,
    recognizeRefusal,
    parseEvents,
    parseError,
    parseFailure,
    counting: outboundCounting,
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
