/** Principals: the holder of a key or a token, with the models it may use, its limits and its group. */

import { getModelsId, type KeyLimits, type ModelLimits } from '../store/keys/key-limits.ts';
import type { GroupRecord, KeyRecord } from '../store/keys/key-record.ts';
import { defaultStoredScope, type Stored, stricter } from '../store/stored-scope.ts';
import { type ModelFilter, modelFilter } from './model-filter.ts';

/** The holder of the key or the token that a request brings. */
export interface Principal {
  /** Its name in reports; not secret. */
  readonly name: string;
  /** Whether there are models that it may not use. */
  readonly restricted: boolean;
  /** Whether it may use a model. */
  readonly allows: ModelFilter;
  /** What it may use of the objects stored at vendors. */
  readonly stored: Stored;
  /** When it expires, in milliseconds since 1970; absent means never. */
  readonly expires?: number;
  readonly limits: KeyLimits;
  /** Limits for some models, which apply in addition to `limits`; absent means none. */
  readonly modelLimits?: readonly ModelHolder[];
  /** Limits for each of its tags or end users; absent means none. */
  readonly tagLimits?: KeyLimits;
  /** Its group, whose limits apply too. `allows` covers the models of both. */
  readonly group?: Group;
}

/** Keys that share limits. */
export interface Group {
  /** Its name in reports; not secret. */
  readonly name: string;
  readonly limits: KeyLimits;
  /** As those of a key. */
  readonly modelLimits?: readonly ModelHolder[];
}

/** A key or a group, as far as a limit for some models goes. What it uses of them is counted separately. */
export interface ModelHolder {
  /** The name under which its figures are kept: the name of the key or of the group, and the models. */
  readonly name: string;
  /** The name of the key or of the group. */
  readonly of: string;
  /** The models, as text for people. */
  readonly models: string;
  readonly allows: ModelFilter;
  readonly limits: KeyLimits;
}

/** A group in memory. */
export interface KnownGroup extends Pick<Principal, 'restricted' | 'allows' | 'stored'> {
  readonly group: Group;
}

/** The group of a record. */
export function toKnownGroup(record: GroupRecord): KnownGroup {
  const { name, limits = {}, modelLimits } = record;
  return {
    group: { name, limits, ...modelHolders(name, modelLimits, limits) },
    ...getPermissions(record),
  };
}

/** Groups by name. */
export function groupsByName(records: readonly GroupRecord[]): ReadonlyMap<string, KnownGroup> {
  return new Map(records.map((record) => [record.name, toKnownGroup(record)]));
}

/** A principal as a member of a group: it may use only what both allow. */
export function withGroup(
  principal: Principal,
  { group, restricted, allows, stored: groupStored }: KnownGroup,
): Principal {
  return {
    ...principal,
    stored: stricter(principal.stored, groupStored),
    group,
    ...(restricted && {
      restricted,
      allows: (modelId, otherNames) => principal.allows(modelId, otherNames) && allows(modelId, otherNames),
    }),
  };
}

/** The principal of a key, or of a token whose identity provider has the settings of one. */
export function toPrincipal(
  record: Pick<KeyRecord, 'name' | 'models' | 'stored' | 'expires' | 'limits' | 'modelLimits' | 'tagLimits'>,
): Principal {
  const { name, expires, limits = {}, modelLimits, tagLimits = {} } = record;
  return {
    name,
    ...getPermissions(record),
    ...(expires !== undefined && { expires }),
    limits,
    ...modelHolders(name, modelLimits, limits),
    ...(Object.keys(tagLimits).length > 0 && { tagLimits: reservingAs(limits, tagLimits) }),
  };
}

/** Limits for some models, ready to be enforced. @param limits those for all models of the key or the group. */
function modelHolders(
  of: string,
  all: readonly ModelLimits[] = [],
  limits: KeyLimits,
): { readonly modelLimits?: readonly ModelHolder[] } {
  if (all.length === 0) return {};
  const modelLimits = all.map(({ models, ...own }) => {
    const id = getModelsId(models);
    return {
      name: `${of}\n${id}`,
      of,
      models: id.replaceAll(' ', ', '),
      allows: modelFilter(models),
      limits: reservingAs(limits, own),
    };
  });
  return { modelLimits };
}

/** Further limits, of whose budgets requests hold what they hold of those of the key or the group. */
function reservingAs({ budgetReserve }: KeyLimits, further: KeyLimits): KeyLimits {
  return { ...further, ...(budgetReserve && { budgetReserve }) };
}

/** What a principal may use. @param models as for `modelFilter`. */
function getPermissions({
  models,
  stored = defaultStoredScope(models),
}: Pick<KeyRecord, 'models' | 'stored'>): Pick<Principal, 'restricted' | 'allows' | 'stored'> {
  return { restricted: models !== undefined, allows: modelFilter(models), stored };
}

/**
 * Whether there is anything that a principal may not use. It may then send only fields that are known to reach nothing
 * else.
 */
export function isConfined({ restricted, stored }: Principal): boolean {
  return restricted || stored !== 'all';
}
