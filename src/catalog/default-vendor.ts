/** Which vendor a name without one means. */

import type { FormatName } from '../conversation/prompt.ts';

/** The vendor of a name without one, by endpoint. */
export const DEFAULT_VENDOR: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'openai',
  responses: 'openai',
  messages: 'anthropic',
  'generate-content': 'google',
};
