/** Fields of a native request that a service refuses, and that can be left out or written under another name. */

import { formats } from '../../formats/formats.ts';
import { optionalFields } from '../../formats/optional-fields.ts';
import { parseBetas } from '../../upstream/headers.ts';
import { scanned } from '../body/scanned.ts';
import type { Routed } from '../exchange.ts';
import { isNative } from '../request/request-kind.ts';
import { parseExactBody, type Refused } from './refusal.ts';
import type { Repaired } from './repair.ts';

/**
 * Fields that only the vendor of these models supports, although no answer depends on them: clients take every address
 * for that vendor's own, and send them everywhere. A service names one at a time, so a second refusal is for all of them.
 */
export function dropRefusedFields({ routed, error, earlier }: Refused): Repaired | undefined {
  const { vendor, upstreamFormat, message, refusedFields: known = new Set<string>() } = routed;
  const optional = optionalFields[upstreamFormat];
  // The format's own vendor refuses only what the caller got wrong.
  if (formats[upstreamFormat].outbound.serviceTraits?.(vendor).isReference === true) return undefined;
  if (!isNative(routed)) return undefined;
  const named = optional.refusedIn(error, parseBetas(message.headers)).filter((name) => !known.has(name));
  if (named.length === 0) return undefined;
  const refusedFields = new Set([...named, ...(earlier.includes(OPTIONAL_FIELDS) ? optional.names : [])]);
  return { routed, names: [OPTIONAL_FIELDS], lesson: { refusedFields }, isCertain: true };
}

const OPTIONAL_FIELDS = 'without-optional-fields';

/** A native request without optional fields. */
export function withoutFields(routed: Routed, refusedFields: ReadonlySet<string>): Routed {
  const { body, upstreamFormat } = routed;
  const left = { ...routed, refusedFields };
  // Most requests have none of them, and a long conversation takes a while to parse.
  if (![...refusedFields].some((name) => body.includes(`"${name}"`))) return left;
  const request = parseExactBody(routed);
  if (request === undefined) return left;
  const without = optionalFields[upstreamFormat].without(request, refusedFields);
  return without === request ? left : { ...left, ...scanned(Buffer.from(JSON.stringify(without))) };
}
