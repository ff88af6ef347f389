/** The format of a translated request, which what it asks for may decide. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { ModelTraits } from '../formats/format.ts';
import { findOnlyFormat } from '../formats/openai/one-format-only.ts';
import type { FormatSpeaker } from './vendor-format.ts';

/**
 * Picks the format: another one that the vendor speaks, if only that one can express the prompt.
 * @param usual the format of other translated requests to this model.
 */
export function formatForPrompt(
  usual: FormatName,
  { formats }: FormatSpeaker,
  prompt: Prompt,
  target: ModelTraits,
): FormatName {
  if (!formats.includes('chat-completions') || !formats.includes('responses')) return usual;
  return findOnlyFormat(prompt, target) ?? usual;
}
