/** What a prompt that was written in this format means for its rendering. */

import type { Prompt } from '../../../conversation/prompt.ts';
import type { ModelTraits } from '../../format.ts';

/** Tells whether the prompt's caller speaks this format. It is then up to the vendor to judge what the caller wrote. */
export function speaksMessages({ formatSpecific }: Prompt): boolean {
  return formatSpecific?.format === 'messages';
}

/**
 * Tells whether everything that the caller wrote is rendered unchanged. That is so for the plain format, which no particular
 * vendor reads. For a vendor, a request of this format is rendered only as a fallback, because another model has refused the
 * original. What this model would refuse is then adapted.
 */
export function keepsAll(prompt: Prompt, { dialect }: ModelTraits): boolean {
  return speaksMessages(prompt) && dialect === '';
}
