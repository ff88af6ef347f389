/** OpenAI's `POST /v1/chat/completions`, and the services that speak it. */

import type { Format } from '../format.ts';
import { refusesStreams } from '../openai-errors.ts';
import { COMMENT_LINE } from '../openai-ping.ts';
import { askUsage } from './ask-usage.ts';
import { dialectOf } from './dialects.ts';
import {
  parseError,
  parseFailure,
  renderError,
  renderLateError,
  thinkingTold,
  wantedFormat,
} from './errors.ts';
import { hideUsage } from './hide-usage.ts';
import { parseEvents } from './parse-events.ts';
import { parseRequest } from './parse-request.ts';
import { renderEvents } from './render-events.ts';
import { renderReply } from './render-reply.ts';
import { renderRequest } from './render-request.ts';
import { withoutOthers } from './without-others.ts';

export const chatCompletions: Format = {
  name: 'chat-completions',
  inbound: { parseRequest, renderEvents, renderReply, renderLateError, ping: COMMENT_LINE },
  outbound: {
    renderRequest,
    withoutOthers,
    wantedFormat,
    thinkingFormat: (dialect) => (dialectOf(dialect).thinksByResponses ? 'responses' : undefined),
    refusesStreams,
    thinkingTold,
    parseEvents,
    parseError,
    parseFailure,
    // Services that never say [DONE] do say why they stopped.
    marks: {
      opening: /"choices"/,
      ending: /\[DONE\]|"finish_reason": ?"|"error": ?[{"]|event: ?error/,
      closing: /\[DONE\]/,
      failing: /event: ?error|"error"|"detail"/,
    },
    usageOnRequest: { ask: askUsage, hide: hideUsage },
  },
  renderError,
};
