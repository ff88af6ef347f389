/** Compressed answers (RFC 9110, 8.4), which nobody asked for: every request says `identity`. */

import type { Transform } from 'node:stream';
import { GatewayError } from '../lib/errors.ts';
import { CODINGS, codingOf } from './content-coding.ts';

/** The most that a compressed answer may become, in bytes: a small one can hold a very large one. */
const MAX_INFLATED = 64 * 1024 * 1024;

/** Where the pieces of an answer go that was compressed. */
export interface Inflated {
  chunk(bytes: Buffer): void;
  end(): void;
  fail(error: GatewayError): void;
}

/**
 * What decompresses an answer, or undefined where it is not compressed. Gives what it can of every piece it gets.
 * @param header value of `content-encoding`.
 * @throws GatewayError `upstream-broken` for a coding that is not known, and for more than one.
 */
export function inflater(header: string | string[] | undefined, out: Inflated): Transform | undefined {
  const coding = codingOf(header);
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
