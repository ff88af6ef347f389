/** Which models an endpoint can reach. */

import { vendorName } from '../../catalog/catalog.ts';
import { DEFAULT_VENDOR } from '../../catalog/default-vendor.ts';
import type { Model } from '../../catalog/model.ts';
import type { FormatName } from '../../conversation/prompt.ts';

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
