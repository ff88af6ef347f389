/** Gateway keys as the request path looks them up. Only their hashes are kept. */

import { timingSafeEqual } from 'node:crypto';
import type { GroupRecord, KeyRecord } from '../store/key-record.ts';
import { hashKey } from '../store/key-secret.ts';
import {
  grouped,
  type KnownGroup,
  knownGroups,
  modelHolders,
  type Principal,
  rightsOf,
} from './principal.ts';

export interface Keys {
  /** The holder of a key, or undefined for one that is unknown. */
  find(key: string): Principal | undefined;
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
