/** Which stored response a request is about, at which vendor, and whether its key may use it. */

import { isConfined } from '../access/principal.ts';
import { bindingTo, type StoredIds } from '../access/stored-ids.ts';
import type { Catalog } from '../catalog/catalog.ts';
import { DEFAULT_VENDOR } from '../catalog/default-vendor.ts';
import type { Model } from '../catalog/model.ts';
import { GatewayError } from '../lib/errors.ts';
import type { Stage } from '../streams/chain.ts';
import type { Vendor, Vendors } from '../upstream/vendor.ts';
import type { Admitted, Stored } from './exchange.ts';
import { notSupported, printable } from './model/not-supported.ts';
import { parseStoredCall } from './request/stored-call.ts';
import { STORED_PARAMETERS } from './restrictions/harmless-fields.ts';
import { requireOwn } from './restrictions/keep-to-own.ts';
import { requireHarmlessQuery } from './restrictions/require-harmless.ts';

/** What a request is held against. */
interface Known {
  readonly catalog: Catalog;
  readonly vendors: Vendors;
  readonly storedIds: StoredIds;
}

/**
 * Makes the stage that finds the response, its vendor and its owner. The vendor is the endpoint's own, unless the query
 * names a model of another one: an id does not tell who has made it.
 * @throws GatewayError `invalid-request` for what cannot be an id; `model-not-found` for a vendor that is not served,
 *   and `endpoint-not-available` for one that keeps no responses; `model-not-allowed` for a vendor of whose models the
 *   key may use none; and what `requireHarmlessQuery` and `requireOwn` throw.
 */
export function findStored({ catalog, vendors, storedIds }: Known): Stage<Admitted, Stored> {
  return (admitted) => {
    const { route, query, principal, message } = admitted;
    const { format } = route;
    const call = parseStoredCall(route, message);
    const vendor = findVendor(query.get('model') ?? `${DEFAULT_VENDOR[format]}/*`, DEFAULT_VENDOR[format]);
    if (principal.restricted && !modelsAt(vendor).some(({ id }) => principal.allows(id, catalog.otherNames)))
      throw new GatewayError(
        'model-not-allowed',
        `This API key may use no model of ${printable(vendor.name)}.`,
      );
    if (isConfined(principal)) requireHarmlessQuery(STORED_PARAMETERS, query);
    const stored: Stored = {
      ...admitted,
      stored: call,
      vendor,
      upstreamFormat: format,
      ...bindingTo(principal, storedIds),
    };
    const own = requireOwn(principal, [{ id: call.id, field: 'response_id' }], storedIds);
    return own instanceof Promise ? own.then(() => stored) : stored;
  };

  function modelsAt(vendor: Vendor): readonly Model[] {
    return catalog.models.filter((model) => vendors.serving(model) === vendor);
  }

  function findVendor(asked: string, defaultVendor: string): Vendor {
    const named = asked.includes('/') ? asked : `${defaultVendor}/${asked}`;
    const id = catalog.resolve(asked, defaultVendor)?.id ?? named.toLowerCase();
    const vendor = vendors.serving({ id });
    if (vendor === undefined) throw notSupported(asked, defaultVendor);
    const offers = ({ endpoints }: Model): boolean => endpoints?.includes('responses') === true;
    if (vendor.formats.includes('responses') || modelsAt(vendor).some(offers)) return vendor;
    throw new GatewayError(
      'endpoint-not-available',
      `The service of ${printable(id)} keeps no responses, since it does not offer this API itself.`,
      { param: 'model' },
    );
  }
}
