/** Compressed answers (RFC 9110, 8.4), although every request asks for `identity`. */

import type { Transform } from 'node:stream';
import { GatewayError } from '../lib/errors.ts';
import { CODINGS, parseCoding } from './content-coding.ts';
import type { AnswerHeaders } from './headers.ts';

/** The largest size of a decompressed answer, in bytes: a small compressed one can become very large. */
const MAX_INFLATED = 64 * 1024 * 1024;

/** Receives the pieces of a decompressed answer. */
export interface Inflated {
  chunk(bytes: Buffer): void;
  /** The compressed data and the body are over. */
  end(): void;
  /** The compressed data is over, and the body is not. What it still has is ignored, as in a request. */
  endEarly(): void;
  fail(error: GatewayError): void;
  /** There is room for more again, and the reader has not paused the decompressor. */
  wantsMore(): void;
}

/**
 * The coding of an answer's bytes. A compression that a vendor names as a coding of the transfer (RFC 9112, 7.2), which
 * no request allows, counts as one of the content.
 */
export function findCoding(headers: AnswerHeaders): string | string[] | undefined {
  const { 'content-encoding': coding, 'transfer-encoding': transfer } = headers;
  if (transfer === undefined || transfer === 'chunked') return coding;
  const further = String(transfer)
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name.toLowerCase() !== 'chunked');
  return further.length === 0 ? coding : [coding ?? [], ...further].flat();
}

/**
 * Makes the decompressor of an answer, which gives all it can after every piece; undefined if the answer is not
 * compressed.
 * @param coding what `findCoding` has found.
 * @throws GatewayError `upstream-broken` for an unknown coding, and for more than one.
 */
export function inflater(coding: string | string[], out: Inflated): Transform | undefined {
  const name = parseCoding(coding);
  if (name === undefined) return undefined;
  const make = CODINGS.get(name);
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
    .once('end', () => (decoder.writableEnded ? out.end() : out.endEarly()))
    .once('error', (cause) => out.fail(cause instanceof GatewayError ? cause : malformed(cause)))
    .on('drain', () => {
      if (!decoder.isPaused()) out.wantsMore();
    });
}

function tooLong(): GatewayError {
  return new GatewayError('upstream-broken', 'The upstream sent a compressed answer that is too long.');
}

function malformed(cause: Error): GatewayError {
  return new GatewayError('upstream-broken', 'The upstream sent an answer that cannot be decompressed.', {
    cause,
  });
}
