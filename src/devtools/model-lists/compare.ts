/** What a vendor's list and the catalog have, and the other has not. */

import { modelName } from '../../catalog/catalog.ts';
import { type Model, modelSchema } from '../../catalog/model.ts';
import { upstreamName, type Vendor, type Vendors } from '../../upstream/vendor.ts';
import type { Listed } from './listed.ts';
import { otherKind } from './other-kinds.ts';

export interface Comparison {
  /** How many models were listed. */
  readonly listed: number;
  /** Models of the catalog that the vendor has. */
  readonly known: readonly Model[];
  readonly fresh: readonly Fresh[];
  readonly gone: readonly Gone[];
  /** Of the known ones, those that are to end. */
  readonly ending: readonly Ending[];
  /** What was left out: no model for text, or none that can be asked for. */
  readonly apart: readonly { readonly name: string; readonly kind: string }[];
}

/** A model that the catalog does not have. */
export interface Fresh {
  /** The id that it would have. */
  readonly id: string;
  readonly listed: Listed;
  /** The model whose name this is, but for a day at its end: often, and not always, the very same model. */
  readonly datedNameOf?: Model | undefined;
}

/** A model that the vendor does not have any more. */
export interface Gone {
  readonly model: Model;
  readonly listed?: Listed | undefined;
}

export interface Ending {
  readonly model: Model;
  readonly listed: Listed;
}

/**
 * @param models the catalog's.
 * @param ignored whether an id is of no interest.
 */
export function compare(
  vendor: Vendor,
  vendors: Vendors,
  models: readonly Model[],
  listed: readonly Listed[],
  ignored: (id: string) => boolean = () => false,
): Comparison {
  const served = models.filter((model) => vendors.serving(model) === vendor && !ignored(model.id));
  const byName = new Map(
    served.flatMap((model) => namesOf(vendor, model).map((name) => [name, model] as const)),
  );
  const ofName = (name: string): Model | undefined => byName.get(name.toLowerCase());
  const known = new Map<Model, Listed>();
  const withdrawn = new Map<Model, Listed>();
  const fresh: Fresh[] = [];
  const apart: { name: string; kind: string }[] = [];
  for (const entry of listed) {
    const { name } = entry;
    const model = ofName(name);
    const datedNameOf = model ?? ofName(name.replace(DAY, ''));
    if (entry.withdrawn) {
      if (model !== undefined) withdrawn.set(model, entry);
      continue;
    }
    // What is said of the name that is asked for counts before what is said of another one.
    if (datedNameOf !== undefined) {
      const better = !known.has(datedNameOf) || name === upstreamName(vendor, datedNameOf);
      if (better) known.set(datedNameOf, entry);
    }
    if (model !== undefined) continue;
    const id = idFor(vendor, name);
    const kind = entry.kind ?? otherKind(name) ?? (id === undefined ? 'no name for the catalog' : undefined);
    if (id !== undefined && ignored(id)) continue;
    if (kind !== undefined || id === undefined) apart.push({ name: shown(name), kind: kind ?? '' });
    else if (vendors.serving({ id }) === vendor) fresh.push({ id, listed: entry, datedNameOf });
    else apart.push({ name, kind: 'served by another vendor' });
  }
  return {
    listed: listed.length,
    known: served.filter((model) => known.has(model)),
    fresh,
    gone: served
      .filter((model) => !known.has(model))
      .map((model) => ({ model, listed: withdrawn.get(model) })),
    ending: served.flatMap((model) => {
      const entry = known.get(model);
      const ends = entry?.shutdown !== undefined || entry?.deprecated !== undefined;
      return entry !== undefined && ends ? [{ model, listed: entry }] : [];
    }),
    apart,
  };
}

/** A day at the end of a name, as OpenAI and Anthropic write it. */
const DAY = /-(?:\d{4}-\d{2}-\d{2}|20\d{6})$/;

/** Every name that a model may be listed by, in lower case. */
function namesOf(vendor: Vendor, model: Model): readonly string[] {
  const ids = [model.id, ...(model.aliases ?? [])];
  const names = vendor.fullIds ? ids : ids.map(modelName);
  return [upstreamName(vendor, model), ...names].map((name) => name.toLowerCase());
}

const { id: idSchema } = modelSchema.unwrap().shape;

/** The id of a model of that name; undefined where it can have none that its vendor would be sent rightly. */
function idFor(vendor: Vendor, name: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(name)) return undefined;
  const id = vendor.fullIds
    ? name
    : `${vendor.name}/${name.toLowerCase().replaceAll(/[^a-z0-9._:-]+/g, '-')}`;
  return idSchema.safeParse(id).success ? id : undefined;
}

/** A name as it may be printed. */
function shown(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 256);
}
