/** The models of a configuration: the default catalog, with the configuration's own models added or replacing it. */

import { defaultModels } from '../catalog/default.ts';
import type { Model } from '../catalog/model.ts';
import type { Vendors } from '../upstream/vendor.ts';
import type { Config } from './schema.ts';

/** All models that the configuration knows. Its own models replace those of the default catalog with the same id. */
export function catalogModels(config: Config): readonly Model[] {
  const byId = new Map(defaultModels().map((model) => [model.id, model]));
  for (const model of config.models) byId.set(model.id, model);
  return [...byId.values()];
}

/** The models that one of the vendors serves. */
export function servedModels(config: Config, vendors: Vendors): readonly Model[] {
  return catalogModels(config).filter((model) => vendors.serving(model) !== undefined);
}
