/** The catalog that comes with the gateway. */

import { type Model, parseModels } from './model.ts';
import data from './models.json' with { type: 'json' };

/** Its models. @throws Error if the data file does not match its schema, which a test rules out. */
export function defaultModels(): readonly Model[] {
  return parseModels(data);
}
