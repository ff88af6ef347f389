/** Which models an endpoint reaches, and whose a name without a vendor is. */

import { vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName } from '../conversation/prompt.ts';

/** Whose model a name without a vendor means, by endpoint. */
export const DEFAULT_VENDOR: Readonly<Record<FormatName, string>> = {
  'chat-completions': 'openai',
  responses: 'openai',
  messages: 'anthropic',
  'generate-content': 'google',
};

export interface ReachOptions {
  /** Whose models generate-content reaches: Google's, as at Google, or all that there are. */
  readonly generateContent: 'google' | 'all';
}

/** Whether a model can be asked in a format. */
export function reaches(
  { generateContent }: ReachOptions,
  format: FormatName,
  { id }: Pick<Model, 'id'>,
): boolean {
  return (
    format !== 'generate-content' || generateContent === 'all' || vendorName(id) === DEFAULT_VENDOR[format]
  );
}
