/** Every format, by name. */

import type { FormatName } from '../conversation/prompt.ts';
import type { JsonObject } from '../lib/json.ts';
import { cursorInbound, isCursors } from '../pipeline/cursor/index.ts';
import { chatCompletions } from './chat-completions/index.ts';
import type { Format, Inbound } from './format.ts';
import { generateContent } from './generate-content/index.ts';
import { messages } from './messages/index.ts';
import { responses } from './responses/index.ts';

export const formats: Readonly<Record<FormatName, Format>> = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  'generate-content': generateContent,
};

/** The half that faces the caller of a body at a format's path. */
export function inboundOf(format: FormatName, body: JsonObject): Inbound {
  return format === 'chat-completions' && isCursors(body) ? cursorInbound : formats[format].inbound;
}
