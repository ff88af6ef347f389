/** How each format reports usage. Accounting needs this of a format, but not its translators. */

import type { FormatName } from '../conversation/prompt.ts';
import type { UsageReader } from '../conversation/tokens.ts';
import { usageReader as chatCompletions } from './chat-completions/wire/usage.ts';
import { usageReader as generateContent } from './generate-content/wire/usage.ts';
import { usageReader as messages } from './messages/wire/usage.ts';
import { usageReader as responses } from './responses/wire/usage.ts';

/** The reader of each format. */
export const usageReaders: Readonly<Record<FormatName, UsageReader>> = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  'generate-content': generateContent,
};
