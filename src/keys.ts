/** Gateway keys: who holds one, and which models it opens. Only hashes are kept. */

import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** Who holds the key of a request. */
export interface Principal {
  /** What the key is called in reports; no secret. */
  readonly name: string;
  /** Whether the key may use a model, by its canonical id. */
  allows(modelId: string): boolean;
}

/** A key as it is stored. */
export interface KeyRecord {
  readonly name: string;
  /** SHA-256 of the key, hex. */
  readonly hash: string;
  /** Exact canonical ids and `vendor/*`; absent means every model. */
  readonly models?: readonly string[];
}

export interface Keys {
  /** The holder of a key, or undefined for one that is unknown. */
  find(key: string): Principal | undefined;
}

/** SHA-256, hex. Enough for a key of 256 random bits; a slow hash would only slow the request path. */
export function hashKey(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

/** A new key: 256 random bits, with a prefix and a checksum so that secret scanners know one when they see it. */
export function makeKey(): string {
  const secret = randomBytes(32).toString('base64url');
  return `gw_${secret}_${crc32(secret).toString(16).padStart(8, '0')}`;
}

/** Keys to look up, from their records. A later record with the same hash replaces an earlier one. */
export function keysOf(records: Iterable<KeyRecord>): Keys {
  const byHash = new Map<string, { readonly digest: Buffer; readonly principal: Principal }>();
  for (const { name, hash, models } of records) {
    byHash.set(hash, {
      digest: Buffer.from(hash, 'hex'),
      principal: { name, allows: allowance(models) },
    });
  }
  return {
    find(key) {
      const hash = hashKey(key);
      const found = byHash.get(hash);
      // The Map compares by hash of a hash: what it leaks of its timing is nothing one could choose. The comparison
      // that decides is constant in time.
      if (found === undefined || !timingSafeEqual(found.digest, Buffer.from(hash, 'hex'))) return undefined;
      return found.principal;
    },
  };
}

function allowance(models: readonly string[] | undefined): (modelId: string) => boolean {
  if (models === undefined) return () => true;
  const exact = new Set<string>();
  const vendors = new Set<string>();
  for (const model of models) {
    const lower = model.toLowerCase();
    if (lower.endsWith('/*')) vendors.add(lower.slice(0, -2));
    else exact.add(lower);
  }
  return (modelId) => exact.has(modelId) || vendors.has(modelId.slice(0, modelId.indexOf('/')));
}
