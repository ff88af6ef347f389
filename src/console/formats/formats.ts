/** The four wire formats, by name. */

import { chatCompletions } from './chat-completions.ts';
import type { FormatName, WireFormat } from './dialogue.ts';
import { generateContent } from './generate-content.ts';
import { messages } from './messages.ts';
import { responses } from './responses.ts';

export const FORMATS: readonly WireFormat[] = [chatCompletions, responses, messages, generateContent];

/** The format of a name. */
export function getFormat(name: FormatName): WireFormat {
  return FORMATS.find((format) => format.name === name) ?? chatCompletions;
}
