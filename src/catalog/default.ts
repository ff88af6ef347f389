/** The catalog that comes with the gateway. */

import type { Model } from './model.ts';
import data from './models.json' with { type: 'json' };

/**
 * Its models. The file is part of the program, so a test parses it by its schema, and no start does: that would take
 * zod along wherever a model is looked up.
 */
export function defaultModels(): readonly Model[] {
  return data as readonly Model[];
}
