/** Compares a vendor's list with the catalog: what each has that the other lacks. */

import { modelName } from '../../catalog/catalog.ts';
import { type Model, modelSchema } from '../../catalog/model.ts';
import { upstreamName, type Vendor, type Vendors } from '../../upstream/vendor.ts';
import type { Listed } from './listed.ts';
import { otherKind } from './other-kinds.ts';

/** The differences between a vendor's list and the catalog. */
export interface Comparison {
  /** The number of listed models. */
  readonly listed: number;
  /** Models of the catalog that the vendor lists. */
  readonly known: readonly Model[];
  readonly fresh: readonly Fresh[];
  readonly gone: readonly Gone[];
  /** Those of the known models that have an end or are deprecated. */
  readonly ending: readonly Ending[];
  /** What was left out, since it is not a model for text or cannot be asked for by an id of the catalog. */
  readonly apart: readonly { readonly name: string; readonly kind: string }[];
}

/** A model that the catalog does not have. */
export interface Fresh {
  /** The id that the catalog would give it. */
  readonly id: string;
  readonly listed: Listed;
  /** The model that has this name without the date at its end. It is often, but not always, the same model. */
  readonly undated?: Model | undefined;
}

/** A model that the vendor no longer has. */
export interface Gone {
  readonly model: Model;
  readonly listed?: Listed | undefined;
}

/** A model that will end, and the entry that says so. */
export interface Ending {
  readonly model: Model;
  readonly listed: Listed;
}

/**
 * Compares the list of one vendor with the models of the catalog that it serves.
 * @param models all models of the catalog
 * @param listed what the vendor listed
 * @param ignored whether a model of this id is left out of the comparison
 * @returns the models that either lacks, those that will end, and those that were left out
 */
export function compare(
  vendor: Vendor,
  vendors: Vendors,
  models: readonly Model[],
  listed: readonly Listed[],
  ignored: (id: string) => boolean = () => false,
): Comparison {
  const served = models.filter((model) => vendors.serving(model) === vendor && !ignored(model.id));
  const names = new Map(
    served.flatMap((model) => listNames(vendor, model).map((name) => [name, model] as const)),
  );
  const find = (name: string): Model | undefined => names.get(name.toLowerCase());
  const known = new Map<Model, Listed>();
  const fresh: Fresh[] = [];
  const apart: { name: string; kind: string }[] = [];
  for (const entry of listed.filter(({ withdrawn }) => !withdrawn)) {
    const { name } = entry;
    const model = find(name);
    const undated = model ?? find(name.replace(DAY, ''));
    if (undated !== undefined) keepEntry(known, undated, entry, vendor);
    const id = idFor(vendor, name);
    if (model !== undefined || (id !== undefined && ignored(id))) continue;
    const kind = otherReason(entry, id, vendor, vendors);
    if (kind !== undefined) apart.push({ name: shown(name), kind });
    else if (id !== undefined) fresh.push({ id, listed: entry, undated });
  }
  const withdrawn = new Map(
    listed.filter((entry) => entry.withdrawn).map((entry) => [find(entry.name), entry]),
  );
  return {
    listed: listed.length,
    known: served.filter((model) => known.has(model)),
    fresh,
    gone: served
      .filter((model) => !known.has(model))
      .map((model) => ({ model, listed: withdrawn.get(model) })),
    ending: served.flatMap((model) => findEnding(model, known.get(model)) ?? []),
    apart,
  };
}

/** Keeps the entry of a model. That of the name which requests use takes precedence over that of another name. */
function keepEntry(known: Map<Model, Listed>, model: Model, entry: Listed, vendor: Vendor): void {
  if (!known.has(model) || entry.name === upstreamName(vendor, model)) known.set(model, entry);
}

function findEnding(model: Model, listed: Listed | undefined): Ending | undefined {
  if (listed === undefined) return undefined;
  const ends = listed.shutdown !== undefined || listed.deprecated !== undefined;
  return ends ? { model, listed } : undefined;
}

/** Why the catalog need not have a listed model; undefined if it should. @param id what the catalog would call the model. */
function otherReason(
  { name, kind }: Listed,
  id: string | undefined,
  vendor: Vendor,
  vendors: Vendors,
): string | undefined {
  const other = kind ?? otherKind(name);
  if (other !== undefined) return other;
  if (id === undefined) return 'no name for the catalog';
  return vendors.serving({ id }) === vendor ? undefined : 'served by another vendor';
}

/** A date at the end of a name, as OpenAI and Anthropic write it. */
const DAY = /-(?:\d{4}-\d{2}-\d{2}|20\d{6})$/;

/** Every name that the vendor may list a model by, in lower case. */
function listNames(vendor: Vendor, model: Model): readonly string[] {
  const ids = [model.id, ...(model.aliases ?? [])];
  const names = vendor.fullIds ? ids : ids.map(modelName);
  return [upstreamName(vendor, model), ...names].map((name) => name.toLowerCase());
}

const { id: idSchema } = modelSchema.unwrap().shape;

/** The catalog's id for a model of that name; undefined if no valid id can be made from it. */
function idFor(vendor: Vendor, name: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(name)) return undefined;
  const id = vendor.fullIds
    ? name
    : `${vendor.name}/${name.toLowerCase().replaceAll(/[^a-z0-9._:-]+/g, '-')}`;
  return idSchema.safeParse(id).success ? id : undefined;
}

/** A name that is safe to print: ASCII, at most 256 characters. */
function shown(name: string): string {
  return name.replaceAll(/[^\x20-\x7e]/g, '?').slice(0, 256);
}
