/** OpenAI's `POST /v1/chat/completions`, and the services that speak it. */

import type { Format } from '../format.ts';
import { refusesStreams } from '../openai/errors.ts';
import { COMMENT_LINE } from '../openai/ping.ts';
import { dialectOf } from './dialects.ts';
import { parseRequest } from './inbound/parse-request.ts';
import { renderEvents } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { askUsage } from './outbound/inject-usage.ts';
import { parseEvents } from './outbound/parse-events.ts';
import { renderRequest } from './outbound/render-request.ts';
import { withoutOthers } from './outbound/strip-foreign-content.ts';
import { hideUsage } from './outbound/strip-injected-usage.ts';
import {
  parseError,
  parseFailure,
  renderError,
  renderLateError,
  thinkingTold,
  wantedFormat,
} from './wire/errors.ts';

export const chatCompletions: Format = {
  name: 'chat-completions',
  inbound: { parseRequest, renderEvents, renderReply, renderLateError, ping: COMMENT_LINE },
  outbound: {
    renderRequest,
    stripForeignContent: withoutOthers,
    formatDemanded: wantedFormat,
    thinkingFormat: (dialect) => (dialectOf(dialect).thinksByResponses ? 'responses' : undefined),
    refusesStreams,
    thinkingObserved: thinkingTold,
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
    usageOnRequest: { inject: askUsage, strip: hideUsage },
  },
  renderError,
};
