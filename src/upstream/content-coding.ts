/** Compressed bodies (RFC 9110, 8.4): the codings that are accepted, one at a time. */

import type { Transform } from 'node:stream';
import { constants, createBrotliDecompress, createGunzip, createZstdDecompress } from 'node:zlib';
import { GatewayError } from '../lib/errors.ts';
import { AnyDeflate } from './any-deflate.ts';

/** The largest window of a zstd frame, as a power of two: what RFC 9659 allows on the web. */
const ZSTD_WINDOW = 23;

/** The largest window of any of these codings, in bytes: Brotli's (RFC 7932, 9.1). A decompressor holds that much. */
export const MAX_WINDOW = 16 * 1024 * 1024;

/** The accepted codings by their names, each with what makes its decompressor. */
export const CODINGS: ReadonlyMap<string, () => Transform> = new Map<string, () => Transform>([
  ['gzip', () => createGunzip()],
  ['x-gzip', () => createGunzip()],
  ['br', () => createBrotliDecompress()],
  ['zstd', () => createZstdDecompress({ params: { [constants.ZSTD_d_windowLogMax]: ZSTD_WINDOW } })],
  ['deflate', () => new AnyDeflate()],
]);

/** Makes the decompressor for a body; undefined if the body is not compressed. */
export type Decompress = (() => Transform) | undefined;

/** The codings that a `Content-Encoding` header names; undefined if the body is not compressed. */
export function parseCoding(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const names = String(header)
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  return names.length === 0 ? undefined : names.join(', ');
}

/**
 * Picks the decompressor for the `Content-Encoding` header of a request.
 * @throws GatewayError `unsupported-media-type` for more than one coding, since each may multiply the other, and for
 *   an unknown coding.
 */
export function chooseDecompressor(header: string | undefined): Decompress {
  const coding = parseCoding(header);
  if (coding === undefined) return undefined;
  const make = CODINGS.get(coding);
  if (make !== undefined) return make;
  throw new GatewayError(
    'unsupported-media-type',
    'This Content-Encoding is not supported. Send the request body uncompressed, or compressed once with gzip, br, zstd or deflate.',
    { headers: { 'accept-encoding': 'gzip, br, zstd, deflate' } },
  );
}
