/** Models that a key is to open and that nobody knows, as a slip of the pen makes them. */

import { allowance } from '../access/allowance.ts';
import { catalogOf } from '../catalog/catalog.ts';
import type { Config } from '../config/schema.ts';
import { catalogModels } from '../server/open-gateway.ts';

/**
 * What should be known of the models a key is to open: a sentence each. They are no mistake, for the catalog may grow.
 * @param models ids, as keys have them, and `vendor/*`.
 */
export function unknownModels(models: readonly string[], config: Config): readonly string[] {
  const catalog = catalogOf(catalogModels(config), config.aliases);
  const ids = catalog.models.map(({ id }) => id);
  return models
    .filter((model) => {
      const opens = allowance([model]);
      return !ids.some((id) => opens(id, catalog.otherNames));
    })
    .map((model) => `Note: the catalog has no model ${model} (see "gateway models").`);
}
