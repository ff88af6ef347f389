/** Makes new keys and their hashes. Only the hashes are stored. */

import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * SHA-256 of a key, in hex. It suffices for a key of 256 random bits; a slow hash would only slow down the request
 * path.
 */
export function hashKey(key: string): string {
  return hash('sha256', key, 'hex');
}

/** A new key: 256 random bits in base64url, with a prefix and a checksum by which secret scanners recognise it. */
export function makeKey(): string {
  const secret = randomBytes(32).toString('base64url');
  return `gw_${secret}_${crc32(secret).toString(16).padStart(8, '0')}`;
}
