/** The word JSON, which OpenAI requires in a message if the answer is to be JSON. */

import type { Turn } from '../../conversation/prompt.ts';

/**
 * Whether a message contains the word: "'messages' must contain the word 'json' in some form, to use 'response_format' of
 * type 'json_object'." Thoughts of earlier turns do not count, and most of them are not even sent.
 */
export function mentionsJson(turns: readonly Turn[]): boolean {
  return turns.some(({ parts }) => parts.some((part) => part.kind === 'text' && /json/i.test(part.text)));
}
