/** OpenAI's `POST /v1/chat/completions`, and the many services that speak the same format. */

import type { Format } from '../format.ts';
import { renderError } from '../openai/errors.ts';
import { unknownField } from '../openai/fields.ts';
import { COMMENT_LINE } from '../openai/ping.ts';
import { findDialect } from './dialects.ts';
import { parseRequest } from './inbound/parse-request.ts';
import { refuseUnknown, unknownTool } from './inbound/refuse-unknown.ts';
import { renderEvents, renderLateError } from './inbound/render-events.ts';
import { renderReply } from './inbound/render-reply.ts';
import { parseError, parseFailure, recognizeRefusal } from './outbound/parse-error.ts';
import { parseEvents } from './outbound/parse-events.ts';
import { renderRequest } from './outbound/render-request.ts';

export const chatCompletions: Format = {
  name: 'chat-completions',
  inbound: {
    parseRequest,
    refuseUnknown,
    unknownField,
    unknownTool,
    renderEvents,
    renderReply,
    renderLateError,
    ping: COMMENT_LINE,
  },
  outbound: {
    renderRequest,
    thinkingFormat: (dialect) => (findDialect(dialect).reasonsViaResponses ? 'responses' : undefined),
    recognizeRefusal,
    parseEvents,
    parseError,
    parseFailure,
    // Some services never send [DONE], but all send a finish reason. The usage has an event of its own after all choices
    // (API reference, `stream_options.include_usage`).
    marks: {
      opening: /"choices"/,
      ending: /\[DONE\]|"finish_reason": ?"|"error": ?[{"]|event: ?error/,
      closing: /(?:^|[\r\n])data: ?(?:\[DONE\]|\{(?=[^\r\n]*"choices": ?\[\])[^\r\n]*"usage": ?\{)/,
      failing: /(?<=event: ?|")(?:error(?:_finish)?|detail)\b/,
      // The role alone, or what Azure's filters say of the prompt.
      preamble: /"choices": ?\[\]|"delta": ?\{(?:"role": ?"assistant"|"\w+": ?(?:""|null)|, ?)+\}/,
    },
  },
  renderError,
};
