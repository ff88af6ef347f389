/** Which models a caller may use for a request, whose body may name others besides the one that it asks for. */

import type { Principal } from '../../access/principal.ts';
import { type Catalog, modelName, vendorName } from '../../catalog/catalog.ts';
import type { Model } from '../../catalog/model.ts';
import { GatewayError } from '../../lib/errors.ts';
import { printable } from '../model/not-supported.ts';

export class ModelPermission {
  readonly #principal: Principal;
  readonly #otherModels: readonly string[];
  readonly #catalog: Catalog;

  /** @param otherModels the other models as the body names them. */
  constructor(principal: Principal, otherModels: readonly string[], catalog: Catalog) {
    this.#principal = principal;
    this.#otherModels = otherModels;
    this.#catalog = catalog;
  }

  /** The ids of the other models, if the request goes to the vendor of `model`. */
  findOthers({ id }: Model): string[] {
    return this.#otherModels.map((name) => resolveId(name, vendorName(id), this.#catalog));
  }

  /** The model that the caller may not use if the request goes to `model`; undefined if it may use all of them. */
  findRefused(model: Model): string | undefined {
    if (this.#isRefused(model.id)) return model.id;
    return this.findOthers(model).find((id) => this.#isRefused(id));
  }

  /** @throws GatewayError `model-not-allowed` that names what `findRefused` finds. */
  require(model: Model): void {
    const refused = this.findRefused(model);
    if (refused === undefined) return;
    throw new GatewayError('model-not-allowed', `This API key may not use the model ${printable(refused)}.`);
  }

  #isRefused(id: string): boolean {
    return !this.#principal.allows(id, this.#catalog.otherNames);
  }
}

/**
 * The canonical id of a model that a body names besides its own; without a vendor it is one of the same vendor's. Such
 * a name is sent as written, so of the gateway's aliases only the vendor's own dated names count.
 */
function resolveId(name: string, vendor: string, catalog: Catalog): string {
  const id = (name.includes('/') ? name : `${vendor}/${name}`).toLowerCase();
  const found = catalog.resolve(id, vendor);
  if (found === undefined) return id;
  const sent = `${vendorName(found.id)}/${found.upstream ?? modelName(found.id)}`;
  return sent.toLowerCase() === id ? found.id : id;
}
