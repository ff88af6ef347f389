/** Gateway keys as the request path looks them up. Only their hashes are in memory. */

import { timingSafeEqual } from 'node:crypto';
import type { GroupRecord, KeyRecord } from '../store/keys/key-record.ts';
import { hashKey } from '../store/keys/key-secret.ts';
import { groupsByName, type KnownGroup, type Principal, toPrincipal, withGroup } from './principal.ts';

/** A source of keys. */
export interface Keys {
  /** The principal who holds a key, or undefined if the key is unknown. @param hash the key as `hashKey` hashes it. */
  findByHash(hash: string): Principal | undefined;
  /** The name of a key that is known but no longer accepted, for the log. */
  findEnded(hash: string): EndedKey;
}

/** The name of a key, by why it is no longer accepted. Both are undefined for any other key. */
export interface EndedKey {
  readonly expired: string | undefined;
  readonly revoked: string | undefined;
}

/** A revoked key. */
export type RevokedKey = Pick<KeyRecord, 'name' | 'hash'>;

/** How many revoked keys are remembered: those that were revoked last. */
export const MAX_REVOKED = 10_000;

const NOT_ENDED: EndedKey = { expired: undefined, revoked: undefined };

/** A key in memory. */
interface Entry {
  readonly holder: string;
  /** In hex: 100,000 buffers would take 20 MB. */
  readonly hash: string;
  readonly expires: number;
  readonly principal: Principal;
  /** The name of its group. */
  readonly group: string | undefined;
  /** The principal with the limits of its group, as the group was at the last lookup. */
  grouped: Principal | undefined;
}

/** Keys that can be replaced while requests look them up. */
export interface KeyRegistry extends Keys {
  /** Replaces all keys of one holder. */
  set(holder: string, records: readonly KeyRecord[]): void;
  /** Remembers a revoked key, so that the log can name it. */
  addRevoked(key: RevokedKey): void;
  /** Replaces all groups, by name. A key whose group is missing is not accepted, because its limits are unknown. */
  setGroups(groups: ReadonlyMap<string, KnownGroup>): void;
}

/** An empty registry. A record with the hash of an earlier one replaces it. */
export function openKeyRegistry(): KeyRegistry {
  const byHash = new Map<string, Entry>();
  const hashes = new Map<string, readonly string[]>();
  /** Names by hash, the last revoked one last. */
  const revoked = new Map<string, string>();
  let groups: ReadonlyMap<string, KnownGroup> = new Map();

  /**
   * The principal with the limits of its group. This is worked out at the lookup, because a group may have very many
   * keys.
   */
  function inGroup(entry: Entry, name: string): Principal | undefined {
    const known = groups.get(name);
    if (known === undefined) return undefined;
    if (entry.grouped?.group !== known.group) entry.grouped = withGroup(entry.principal, known);
    return entry.grouped;
  }

  function find(hash: string): Entry | undefined {
    const found = byHash.get(hash);
    // The Map compares hashes of hashes, and what their timing leaks is nothing that a caller could choose. The
    // comparison that decides takes constant time.
    if (found === undefined || !timingSafeEqual(Buffer.from(found.hash, 'hex'), Buffer.from(hash, 'hex')))
      return undefined;
    return found;
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
        const { hash, expires = Number.POSITIVE_INFINITY, group: of } = record;
        // Each row has the name of its group as another text in memory.
        const group = of && (groups.get(of)?.group.name ?? of);
        byHash.set(hash, {
          holder,
          hash,
          expires,
          principal: toPrincipal(record),
          group,
          grouped: undefined,
        });
      }
    },
    addRevoked({ name, hash }) {
      revoked.set(hash, name);
      const [oldest] = revoked.size > MAX_REVOKED ? revoked.keys() : [];
      if (oldest !== undefined) revoked.delete(oldest);
    },
    setGroups(all) {
      groups = all;
    },
    findByHash(hash) {
      const found = find(hash);
      if (found === undefined || Date.now() >= found.expires) return undefined;
      return found.group === undefined ? found.principal : inGroup(found, found.group);
    },
    findEnded(hash) {
      const found = find(hash);
      if (found === undefined) return { expired: undefined, revoked: revoked.get(hash) };
      return Date.now() >= found.expires ? { expired: found.principal.name, revoked: undefined } : NOT_ENDED;
    },
  };
}

/** The principal who holds a key. The hash takes as long as all the rest of a lookup, so it is made once. */
export function findPrincipal(keys: Keys, key: string): Principal | undefined {
  return keys.findByHash(hashKey(key));
}

/** The name of a key that is no longer accepted. */
export function findEndedKey(keys: Keys, key: string): EndedKey {
  return keys.findEnded(hashKey(key));
}

/** Keys for lookup, from their records and the records of their groups. */
export function openKeys(records: Iterable<KeyRecord>, groups: readonly GroupRecord[] = []): Keys {
  const registry = openKeyRegistry();
  registry.setGroups(groupsByName(groups));
  registry.set('all', [...records]);
  return registry;
}

/** Several sources of keys as one. If two of them know a key, the first one decides who holds it. */
export function joinKeys(...places: readonly Keys[]): Keys {
  return {
    findByHash(hash) {
      for (const place of places) {
        const principal = place.findByHash(hash);
        if (principal !== undefined) return principal;
      }
      return undefined;
    },
    findEnded(hash) {
      for (const place of places) {
        const ended = place.findEnded(hash);
        if (ended.expired !== undefined || ended.revoked !== undefined) return ended;
      }
      return NOT_ENDED;
    },
  };
}
