/** New keys, and the hashes by which they are known: only those are kept. */

import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** SHA-256, hex. Enough for a key of 256 random bits; a slow hash would only slow the request path. */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** A new key: 256 random bits, with a prefix and a checksum so that secret scanners know one when they see it. */
export function makeKey(): string {
  const secret = randomBytes(32).toString('base64url');
  return `gw_${secret}_${crc32(secret).toString(16).padStart(8, '0')}`;
}
