/** The error for a model that is not served, with advice. */

import { type Catalog, vendorName } from '../../catalog/catalog.ts';
import { DEFAULT_VENDOR } from '../../catalog/default-vendor.ts';
import type { Model } from '../../catalog/model.ts';
import { nearestModel } from '../../catalog/nearest-model.ts';
import { GatewayError } from '../../lib/errors.ts';
import type { Admitted } from '../exchange.ts';
import { type ReachOptions, reaches } from './reach.ts';

/** The advice for a model that only the other endpoints serve. */
const OTHER_ENDPOINTS =
  "The Gemini endpoint serves Google's models only. Use another endpoint, or set generateContent: { models: 'all' } in the configuration of the gateway.";

/** The longest name that is taken for a misspelling, in UTF-16 code units. */
const MAX_SLIP = 128;

/**
 * Advises, in one sentence, what to do about an unknown model.
 * @param usable the ids that the caller may use here.
 * @param served all models of the gateway.
 */
function hint(
  asked: string,
  defaultVendor: string,
  usable: readonly Model[],
  served: readonly Model[],
): string | undefined {
  if (asked.length > MAX_SLIP) return undefined;
  const ids = usable.map(({ id }) => id);
  const nearest = nearestModel(asked, ids);
  if (nearest !== undefined) return `Did you mean ${printable(nearest)}?`;
  const vendor = asked.includes('/') ? vendorName(asked.toLowerCase()) : defaultVendor;
  if (vendor === '' || served.some(({ id }) => vendorName(id) === vendor)) return undefined;
  return `No models of ${printable(vendor)} are available: the vendor is unknown, or the gateway has no key for it.`;
}

/**
 * Makes the error for a model that this endpoint does not serve, with advice for this caller.
 * @param elsewhere the model, if it is served at other endpoints.
 */
export function notServedHere(
  asked: string,
  { route: { format }, principal }: Pick<Admitted, 'route' | 'principal'>,
  elsewhere: Model | undefined,
  { models, otherNames }: Catalog,
  reach: ReachOptions,
): GatewayError {
  const defaultVendor = DEFAULT_VENDOR[format];
  const usable = models.filter(({ id }) => principal.allows(id, otherNames));
  const reached = usable.filter((model) => reaches(reach, format, model));
  const isElsewhere = elsewhere !== undefined && usable.some(({ id }) => id === elsewhere.id);
  return notSupported(
    asked,
    defaultVendor,
    isElsewhere ? OTHER_ENDPOINTS : hint(asked, defaultVendor, reached, models),
  );
}

/**
 * Makes the error `Model not supported`, with the id as the gateway understood it, cut and cleaned so that it is safe
 * to show.
 * @param advice what to do about it, as a sentence.
 */
export function notSupported(asked: string, defaultVendor: string, advice?: string): GatewayError {
  const id = asked.includes('/') ? asked : `${defaultVendor}/${asked}`;
  const message = `Model not supported: ${printable(id)}${advice === undefined ? '' : `. ${advice}`}`;
  return new GatewayError('model-not-found', message, { param: 'model' });
}

/** A name of the caller's, cut and cleaned so that it is safe to show. */
export function printable(id: string): string {
  return id.slice(0, 64).replaceAll(/[^\w.:/@-]/g, '?');
}
