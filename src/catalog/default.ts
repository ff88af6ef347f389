/** The catalog that comes with the gateway. */

import { type Model, parseModels } from './model.ts';
import data from './models.json' with { type: 'json' };

/** Its models. @throws where the data file is not what its schema says, which its test makes sure of. */
export function defaultModels(): readonly Model[] {
  return parseModels(data);
}
