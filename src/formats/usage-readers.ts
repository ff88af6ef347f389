/** How the formats tell what an answer took: all of a format that its books need, without its translators. */

import type { FormatName } from '../conversation/prompt.ts';
import type { UsageReader } from '../conversation/tokens.ts';
import { usageReader as chatCompletions } from './chat-completions/wire/usage.ts';
import { usageReader as generateContent } from './generate-content/wire/usage.ts';
import { usageReader as messages } from './messages/wire/usage.ts';
import { usageReader as responses } from './responses/wire/usage.ts';

export const usageReaders: Readonly<Record<FormatName, UsageReader>> = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  'generate-content': generateContent,
};
