/** Which models an endpoint can reach, and which vendor a name without one means. */

import { vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';

/** The vendor of a name without one, by endpoint. */
export const DEFAULT_VENDOR: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'openai',
  responses: 'openai',
  messages: 'anthropic',
  'generate-content': 'google',
};

export interface ReachOptions {
  /** Whose models generate-content can reach: Google's, as at Google itself, or all. */
  readonly generateContent: 'google' | 'all';
  /** For which models tokens are counted: those whose service speaks the caller's format, or all that any can count. */
  readonly countTokens: 'native' | 'all';
}

/** Whether a model can be asked through the endpoint of a format. */
export function reaches(
  { generateContent }: ReachOptions,
  format: FormatName,
  { id }: Pick<Model, 'id'>,
): boolean {
  return (
    format !== 'generate-content' || generateContent === 'all' || vendorName(id) === DEFAULT_VENDOR[format]
  );
}
