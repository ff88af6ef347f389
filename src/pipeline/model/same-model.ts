/** Requests whose path and body both name a model. */

import { type Catalog, modelName, vendorName } from '../../catalog/catalog.ts';
import { COUNTED } from '../../formats/generate-content/wire/counted-requests.ts';
import { invalid } from '../../lib/errors.ts';
import { asText, isObject } from '../../lib/json.ts';
import type { Scanned } from '../body/scanned.ts';

/**
 * If the path names the model, the body may name it too (`model`, and `generateContentRequest.model` in a token count),
 * in any way in which the path may. It must be the same one; otherwise a key's restriction would depend on which of them
 * the vendor reads.
 */
export function requireSameModel(
  { scan, tree }: Scanned,
  catalog: Catalog,
  modelId: string,
  defaultVendor: string,
): void {
  for (const key of ['model', ...COUNTED]) {
    if (!scan.fields.has(key)) continue;
    const value = tree()[key];
    const also = isObject(value) ? value['model'] : value;
    if (also === undefined || also === null) continue;
    const name = asText(also)?.replace(/^models\//, '');
    const isSame = (vendor: string): boolean =>
      name !== undefined && catalog.resolve(name, vendor)?.id === modelId;
    if (!isSame(defaultVendor) && !isSame(vendorName(modelId))) {
      throw invalid(
        `The body names a different model from the path, which names ${modelName(modelId)}.`,
        'model',
      );
    }
  }
}
