/** Compressed answers (RFC 9110, 8.4), although every request asks for `identity`. */

import type { Transform } from 'node:stream';
import { GatewayError } from '../lib/errors.ts';
import { CODINGS, parseCoding } from './content-coding.ts';

/** The largest size of a decompressed answer, in bytes: a small compressed one can become very large. */
const MAX_INFLATED = 64 * 1024 * 1024;

/** Receives the pieces of a decompressed answer. */
export interface Inflated {
  chunk(bytes: Buffer): void;
  end(): void;
  fail(error: GatewayError): void;
}

/**
 * Makes the decompressor of an answer, which gives all it can after every piece; undefined if the answer is not
 * compressed.
 * @param header the value of `content-encoding`.
 * @throws GatewayError `upstream-broken` for an unknown coding, and for more than one.
 */
export function inflater(header: string | string[] | undefined, out: Inflated): Transform | undefined {
  const coding = parseCoding(header);
  if (coding === undefined) return undefined;
  const make = CODINGS.get(coding);
  if (make === undefined) {
    throw new GatewayError('upstream-broken', 'The upstream compressed its answer in an unknown way.');
  }
  let size = 0;
  const decoder = make();
  return decoder
    .on('data', (chunk: Buffer) => {
      size += chunk.byteLength;
      if (size > MAX_INFLATED) decoder.destroy(tooLong());
      else out.chunk(chunk);
    })
    .once('end', () => out.end())
    .once('error', (cause) => out.fail(cause instanceof GatewayError ? cause : malformed(cause)));
}

function tooLong(): GatewayError {
  return new GatewayError('upstream-broken', 'The upstream sent a compressed answer that is too long.');
}

function malformed(cause: Error): GatewayError {
  return new GatewayError('upstream-broken', 'The upstream sent an answer that cannot be decompressed.', {
    cause,
  });
}
