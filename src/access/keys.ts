/** Gateway keys: who holds one, which models it opens, and which group it is of. Only hashes are kept. */

import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { type Stored, storedUnlessSaid, stricter } from '../store/stored-scope.ts';

/** Who holds the key of a request. */
export interface Principal {
  /** What the key is called in reports; no secret. */
  readonly name: string;
  /** Whether there are models that the key may not use. */
  readonly restricted: boolean;
  /** Whether the key may use a model. */
  readonly allows: Allowance;
  /** What the key may use of what is stored at the vendors'. */
  readonly stored: Stored;
  readonly limits: KeyLimits;
  /** What it may use of some models, beside its limits; absent: nothing is limited by model. */
  readonly modelLimits?: readonly ModelHolder[];
  /** The group it is of, whose limits it keeps beside its own. What the group's models leave out, `allows` does too. */
  readonly group?: Group;
}

/** Keys that have limits in common. */
export interface Group {
  /** What the group is called in reports; no secret. */
  readonly name: string;
  readonly limits: KeyLimits;
  /** As a key's. */
  readonly modelLimits?: readonly ModelHolder[];
}

/** How much a key may use, or all keys of a group together. What is absent is not limited. */
export interface KeyLimits {
  readonly requestsPerMinute?: number;
  readonly tokensPerMinute?: number;
  readonly concurrentRequests?: number;
  /** US dollars, for a day and for a month of UTC. */
  readonly budgetDay?: number;
  readonly budgetMonth?: number;
}

/** How much may be used of some models, beside what may be of all of them. */
export interface ModelLimits extends KeyLimits {
  /** Ids, a model's own or any that leads to it, and `vendor/*`. */
  readonly models: readonly string[];
}

/** A key or a group as far as some models go: what it used of them is counted by itself. */
export interface ModelHolder {
  /** What its figures are kept under: the name of the key or of the group, and the models. */
  readonly name: string;
  /** Name of the key or of the group. */
  readonly of: string;
  /** The models, for people. */
  readonly models: string;
  readonly allows: Allowance;
  readonly limits: KeyLimits;
}

/** A key as it is stored. */
export interface KeyRecord {
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  /** Ids, a model's own or any that leads to it, and `vendor/*`; absent means every model. */
  readonly models?: readonly string[];
  /** What it may use of what is stored at the vendors'; absent: as `storedUnlessSaid`. */
  readonly stored?: Stored;
  /** Milliseconds since 1970, from when on the key is unknown; absent means never. */
  readonly expires?: number;
  readonly limits?: KeyLimits;
  readonly modelLimits?: readonly ModelLimits[];
  /** Name of its group. */
  readonly group?: string;
}

/** A group as it is stored. */
export interface GroupRecord {
  readonly name: string;
  /** What none of its keys goes beyond, as a key's; absent means every model. */
  readonly models?: readonly string[];
  readonly stored?: Stored;
  readonly limits?: KeyLimits;
  readonly modelLimits?: readonly ModelLimits[];
}

export interface Keys {
  /** The holder of a key, or undefined for one that is unknown. */
  find(key: string): Principal | undefined;
}

/** SHA-256, hex. Enough for a key of 256 random bits; a slow hash would only slow the request path. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** A new key: 256 random bits, with a prefix and a checksum so that secret scanners know one when they see it. */
export function makeKey(): string {
  const secret = randomBytes(32).toString('base64url');
  return `gw_${secret}_${crc32(secret).toString(16).padStart(8, '0')}`;
}

/** A key as it is looked up. */
interface Entry {
  readonly holder: string;
  readonly digest: Buffer;
  readonly expires: number;
  readonly principal: Principal;
  /** Name of its group. */
  readonly group: string | undefined;
  /** The principal as one of its group, as that was when somebody asked last. */
  grouped: Principal | undefined;
}

/** A group as its keys are looked up. */
export interface KnownGroup extends Pick<Principal, 'restricted' | 'allows' | 'stored'> {
  readonly group: Group;
}

/** Keys that come and go. */
export interface KeyBook extends Keys {
  /** What opens for a holder from now on, and nothing else does. */
  set(holder: string, records: readonly KeyRecord[]): void;
  /** The groups that there are from now on. A key of any other one opens nothing: nobody knows its limits. */
  setGroups(records: readonly GroupRecord[]): void;
}

/** A book without keys. A record with the hash of an earlier one takes its place. */
export function openKeyBook(): KeyBook {
  const byHash = new Map<string, Entry>();
  const hashes = new Map<string, readonly string[]>();
  let groups: ReadonlyMap<string, KnownGroup> = new Map();

  /** The holder of a key of a group, as the group is now: a group may change that has very many keys. */
  function inGroup(entry: Entry, name: string): Principal | undefined {
    const known = groups.get(name);
    if (known === undefined) return undefined;
    if (entry.grouped?.group !== known.group) entry.grouped = grouped(entry.principal, known);
    return entry.grouped;
  }

  return {
    set(holder, records) {
      for (const hash of hashes.get(holder) ?? [])
        if (byHash.get(hash)?.holder === holder) byHash.delete(hash);
      if (records.length === 0) hashes.delete(holder);
      else
        hashes.set(
          holder,
          records.map(({ hash }) => hash),
        );
      for (const record of records) {
        const { name, hash, expires = Number.POSITIVE_INFINITY, limits = {}, group } = record;
        byHash.set(hash, {
          holder,
          digest: Buffer.from(hash, 'hex'),
          expires,
          principal: { name, ...rightsOf(record), limits, ...modelHolders(name, record.modelLimits) },
          group,
          grouped: undefined,
        });
      }
    },
    setGroups(records) {
      groups = knownGroups(records);
    },
    find(key) {
      const hash = hashKey(key);
      const found = byHash.get(hash);
      // The Map compares by hash of a hash: what it leaks of its timing is nothing one could choose. The comparison
      // that decides is constant in time.
      if (found === undefined || !timingSafeEqual(found.digest, Buffer.from(hash, 'hex'))) return undefined;
      if (Date.now() >= found.expires) return undefined;
      return found.group === undefined ? found.principal : inGroup(found, found.group);
    },
  };
}

/** Groups by their names. */
export function knownGroups(records: readonly GroupRecord[]): ReadonlyMap<string, KnownGroup> {
  return new Map(
    records.map((record) => {
      const { name, limits = {}, modelLimits } = record;
      return [name, { group: { name, limits, ...modelHolders(name, modelLimits) }, ...rightsOf(record) }];
    }),
  );
}

/** A holder who is of a group: what that does not allow, it may not either. */
export function grouped(
  principal: Principal,
  { group, restricted, allows, stored: most }: KnownGroup,
): Principal {
  const stored = stricter(principal.stored, most);
  if (!restricted) return { ...principal, stored, group };
  return {
    ...principal,
    stored,
    group,
    restricted,
    allows: (modelId, otherNames) => principal.allows(modelId, otherNames) && allows(modelId, otherNames),
  };
}

/** Keys to look up, from their records and those of their groups. */
export function keysOf(records: Iterable<KeyRecord>, groups: readonly GroupRecord[] = []): Keys {
  const book = openKeyBook();
  book.setGroups(groups);
  let count = 0;
  for (const record of records) {
    count += 1;
    book.set(`${count}`, [record]);
  }
  return book;
}

/** Keys of several places as one: where two of them know a key, the first one says who holds it. */
export function joinKeys(...places: readonly Keys[]): Keys {
  return {
    find(key) {
      for (const place of places) {
        const principal = place.find(key);
        if (principal !== undefined) return principal;
      }
      return undefined;
    },
  };
}

/** Limits by model as they are kept to. @param of the name of the key or of the group that has them. */
export function modelHolders(
  of: string,
  all: readonly ModelLimits[] = [],
): { readonly modelLimits?: readonly ModelHolder[] } {
  if (all.length === 0) return {};
  const modelLimits = all.map(({ models, ...limits }) => {
    const id = modelsId(models);
    return { name: `${of}\n${id}`, of, models: id.replaceAll(' ', ', '), allows: allowance(models), limits };
  });
  return { modelLimits };
}

/** What is the same for the same models, however they are listed. No name of a model has a space in it. */
function modelsId(models: readonly string[]): string {
  return [...new Set(models.map((model) => model.toLowerCase()))].toSorted().join(' ');
}

/** Whether no two limits are for the same models: their figures are kept under those, and would count twice. */
export function areOfOtherModels(all: readonly Pick<ModelLimits, 'models'>[]): boolean {
  return new Set(all.map(({ models }) => modelsId(models))).size === all.length;
}

/** What a principal may use: `models` as `allowance` has them. */
export function rightsOf({
  models,
  stored = storedUnlessSaid(models),
}: Pick<KeyRecord, 'models' | 'stored'>): Pick<Principal, 'restricted' | 'allows' | 'stored'> {
  return { restricted: models !== undefined, allows: allowance(models), stored };
}

/** Whether there is anything that a principal may not reach: then it may send only what is known to reach nothing else. */
export function isHeld({ restricted, stored }: Principal): boolean {
  return restricted || stored !== 'all';
}

/** Whether a model is one of some, by its canonical id. @param otherNames gives the other ids that lead to it. */
export type Allowance = (modelId: string, otherNames: (modelId: string) => readonly string[]) => boolean;

/**
 * @param models ids and `vendor/*`; absent means every model. Another name opens its model as the model's own id does,
 * but `vendor/*` is for what is the vendor's, not for what is only called so.
 */
export function allowance(models: readonly string[] | undefined): Allowance {
  if (models === undefined) return () => true;
  const exact = new Set<string>();
  const vendors = new Set<string>();
  for (const model of models) {
    const lower = model.toLowerCase();
    if (lower.endsWith('/*')) vendors.add(lower.slice(0, -2));
    else exact.add(lower);
  }
  return (modelId, otherNames) =>
    exact.has(modelId) ||
    vendors.has(modelId.slice(0, modelId.indexOf('/'))) ||
    otherNames(modelId).some((name) => exact.has(name));
}
