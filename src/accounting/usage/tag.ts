/**
 * The tag of an exchange: what the caller says it is for, such as a customer, an end user or a feature. One key often
 * serves many of them, and reports show what each used. The tag comes in a header, so bodies stay as they are and no
 * vendor sees it.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { GatewayError } from '../../lib/errors.ts';

export const TAG_HEADER = 'x-gateway-tag';

/** The most characters of a tag. */
export const MAX_TAG_LENGTH = 128;

const PRINTABLE = /^[\x20-\x7e]+$/;

/** The tag in the headers of a request. @throws GatewayError `invalid-request` if it cannot be stored. */
export function parseTag({ [TAG_HEADER]: tag }: IncomingHttpHeaders): string | undefined {
  if (tag === undefined || tag === '') return undefined;
  if (typeof tag === 'string' && tag.length <= MAX_TAG_LENGTH && PRINTABLE.test(tag)) return tag;
  throw new GatewayError(
    'invalid-request',
    `The header ${TAG_HEADER} must be at most ${MAX_TAG_LENGTH} characters of printable ASCII.`,
  );
}
