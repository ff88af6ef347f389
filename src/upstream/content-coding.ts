/** Compressed bodies (RFC 9110, 8.4): the codings taken, one at a time. */

import type { Transform } from 'node:stream';
import {
  constants,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import { GatewayError } from '../lib/errors.ts';

/** The most a zstd frame may have its reader remember, as a power of two: what RFC 9659 allows on the web. */
const ZSTD_WINDOW = 23;

/** The most that any of these has its reader remember, in bytes: Brotli's largest window (RFC 7932, 9.1). */
export const LARGEST_WINDOW = 16 * 1024 * 1024;

export const CODINGS: ReadonlyMap<string, () => Transform> = new Map([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW } })],
  ['deflate', () => createInflate()],
]);

/** How a body is to be decompressed: makes what does it. Undefined where it is not compressed. */
export type Decompress = (() => Transform) | undefined;

/** The coding that a `Content-Encoding` header names; undefined where the body is as it is. */
export function codingOf(header: string | string[] | undefined): string | undefined {
  const name = String(header ?? '')
    .trim()
    .toLowerCase();
  return name === '' || name === 'identity' ? undefined : name;
}

/**
 * What the `Content-Encoding` header of a request asks for.
 * @throws GatewayError `unsupported-media-type` for more than one coding (each may multiply the other) and for those
 *   that are not taken.
 */
export function decompressorOf(header: string | undefined): Decompress {
  const coding = codingOf(header);
  if (coding === undefined) return undefined;
  const make = CODINGS.get(coding);
  if (make !== undefined) return make;
  throw new GatewayError(
    'unsupported-media-type',
    'This Content-Encoding is not supported. Send the request body uncompressed, or compressed once with gzip, br, zstd or deflate.',
    { headers: { 'accept-encoding': 'gzip, br, zstd, deflate' } },
  );
}
