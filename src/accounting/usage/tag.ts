/**
 * What a caller says an exchange is for: a customer, an end user, a feature. One key often serves many of them, and what
 * each took is asked for later. It is said in a header, so bodies stay as they are, and no vendor is told.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../lib/errors.ts';

export const TAG_HEADER = 'x-gateway-tag';

/** Characters of one, at most. */
export const LONGEST_TAG = 128;

const PRINTABLE = /^[\x20-\x7e]+$/;

/** The tag among the headers of a request. @throws GatewayError `invalid-request` where it is none that can be kept. */
export function tagOf({ [TAG_HEADER]: tag }: IncomingHttpHeaders): string | undefined {
  if (tag === undefined || tag === '') return undefined;
  if (typeof tag === 'string' && tag.length <= LONGEST_TAG && PRINTABLE.test(tag)) return tag;
  throw new GatewayError(
    'invalid-request',
    `The header ${TAG_HEADER} must be at most ${LONGEST_TAG} characters of printable ASCII.`,
  );
}
