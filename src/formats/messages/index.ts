/** Anthropic's messages: `POST /v1/messages`. */

import type { Format } from '../format.ts';
import { parseRequest } from './inbound/parse-request.ts';
import { PING, renderEvents } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { extras } from './outbound/beta-features.ts';
import { parseEvents } from './outbound/parse-events.ts';
import { renderRequest } from './outbound/render-request.ts';
import { withoutOthers } from './outbound/strip-foreign-content.ts';
import { inboundCounting, outboundCounting } from './wire/counting.ts';
import { parseError, parseFailure, refusesThoughts, renderError, renderLateError } from './wire/errors.ts';
import { FORMAT } from './wire/wire.ts';

export const messages: Format = {
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
    stripForeignContent: withoutOthers,
    optionalFields: extras,
    refusesThoughts,
    parseEvents,
    parseError,
    parseFailure,
    counting: outboundCounting,
    marks: {
      opening: /"message_start"/,
      ending: /"message_stop"|"error": ?[{"]/,
      closing: /"message_stop"|event: ?error/,
      failing: /event: ?error|"error"/,
      preamble: /"type": ?"ping"/,
    },
  },
  renderError,
};
