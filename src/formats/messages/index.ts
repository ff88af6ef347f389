/** Anthropic's messages: `POST /v1/messages`. */

import type { Format } from '../format.ts';
import { inboundCounting, outboundCounting } from './counting.ts';
import { parseError, parseFailure, refusesThoughts, renderError, renderLateError } from './errors.ts';
import { extras } from './extras.ts';
import { parseEvents } from './parse-events.ts';
import { parseRequest } from './parse-request.ts';
import { PING, renderEvents } from './render-events.ts';
import { renderReply } from './render-reply.ts';
import { renderRequest } from './render-request.ts';
import { FORMAT } from './wire.ts';
import { withoutOthers } from './without-others.ts';

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
    withoutOthers,
    extras,
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
