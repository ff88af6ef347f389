/** Every format, by name. */

import type { FormatName } from '../conversation/prompt.ts';
import { chatCompletions } from './chat-completions/index.ts';
import type { Format } from './format.ts';
import { generateContent } from './generate-content/index.ts';
import { messages } from './messages/index.ts';
import { responses } from './responses/index.ts';

/** The table of formats. */
export const formats: Readonly<Record<FormatName, Format>> = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  'generate-content': generateContent,
};
