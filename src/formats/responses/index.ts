/** OpenAI's responses (`POST /v1/responses`), both halves. */

import type { Format } from '../format.ts';
import { refusesStreams } from '../openai/errors.ts';
import { COMMENT_LINE } from '../openai/ping.ts';
import { parseRequest } from './inbound/parse-request.ts';
import { renderEvents } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { parseEvents } from './outbound/parse-events.ts';
import { renderRequest } from './outbound/render-request.ts';
import { withoutOthers } from './outbound/strip-foreign-content.ts';
import { isKnownElsewhere } from './outbound/supported-elsewhere.ts';
import { inboundCounting, outboundCounting } from './wire/counting.ts';
import {
  parseError,
  parseFailure,
  refusesThoughts,
  renderError,
  renderLateError,
  thinkingTold,
} from './wire/errors.ts';

export const responses: Format = {
  name: 'responses',
  inbound: {
    parseRequest,
    renderEvents,
    renderReply,
    renderLateError,
    // Before there is an answer to go on with: no event at all, for the numbers of events have no gaps.
    ping: COMMENT_LINE,
    counting: inboundCounting,
  },
  outbound: {
    renderRequest,
    stripForeignContent: withoutOthers,
    isKnownElsewhere,
    refusesThoughts,
    refusesStreams,
    thinkingObserved: thinkingTold,
    parseEvents,
    parseError,
    parseFailure,
    counting: outboundCounting,
    marks: {
      opening: /"type": ?"response\.created"/,
      ending: /"type": ?"(?:response\.(?:completed|incomplete|failed|cancelled)|error)"/,
      closing: /"type": ?"(?:response\.(?:completed|incomplete|failed|cancelled)|error)"/,
      failing: /"type": ?"(?:response\.failed|error)"/,
      preamble: /"type": ?"response\.(?:created|queued|in_progress)"/,
    },
  },
  renderError,
};
