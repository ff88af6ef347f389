/** The word that OpenAI wants to hear of who asks for JSON. */

import type { Turn } from '../../conversation/prompt.ts';

/**
 * Whether a message has it: "'messages' must contain the word 'json' in some form, to use 'response_format' of type
 * 'json_object'." Thoughts of earlier turns are no messages, and most do not even go along.
 */
export function saysJson(turns: readonly Turn[]): boolean {
  return turns.some(({ parts }) => parts.some((part) => part.kind === 'text' && /json/i.test(part.text)));
}
