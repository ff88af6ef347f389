/**
 * Optional fields that a service has refused. Clients take every address for the vendor's own, so they send services
 * what only the vendor of these models supports, although no answer depends on it. What a service refuses is left out
 * of the retry and of the next requests; otherwise each would be refused first.
 */

import { tryParseExact } from '../../conversation/rules/arguments.ts';
import { formats } from '../../formats/formats.ts';
import type { GatewayError } from '../../lib/errors.ts';
import { isObject } from '../../lib/json.ts';
import { betasOf } from '../../upstream/headers.ts';
import type { Routed } from '../exchange.ts';
import { type Scanned, scanned } from '../scanned.ts';
import { isNative } from '../translate-request.ts';
import { openTtlCache } from './ttl-cache.ts';

export interface RefusedFields {
  /** Removes from a request what the service has refused; returns it unchanged if nothing is known. */
  without(routed: Routed): Routed;
  /**
   * Remembers what a refusal is about.
   * @returns whether it named anything new, so that a retry without it is worthwhile.
   */
  learn(routed: Routed, error: GatewayError): boolean;
}

/** Makes an empty memory. @param clock milliseconds since any moment. */
export function openRefusedFields(clock: () => number): RefusedFields {
  const refused = openTtlCache<ReadonlySet<string>>(clock);
  return {
    without(routed) {
      if (refused.isEmpty() || !isNative(routed)) return routed;
      const without = refused.of(kindOf(routed));
      return without === undefined
        ? routed
        : { ...routed, ...bodyWithout(routed, without), refusedFields: without };
    },
    learn(routed, error) {
      const { vendor, upstreamFormat, message } = routed;
      const { optionalFields, serviceTraits } = formats[upstreamFormat].outbound;
      // The format's own vendor refuses only what the caller got wrong.
      const isReference = serviceTraits?.(vendor).isReference === true;
      if (optionalFields === undefined || isReference || !isNative(routed)) return false;
      const known = refused.of(kindOf(routed)) ?? new Set();
      const named = optionalFields
        .refusedIn(error, betasOf(message.headers))
        .filter((name) => !known.has(name));
      if (named.length === 0) return false;
      refused.remember(kindOf(routed), new Set([...known, ...named]));
      return true;
    },
  };
}

/** Each model has its own betas, and token counts accept others than answers do (anthropics/claude-code#11154). */
function kindOf({ vendor: { origin, basePath }, model, route }: Routed): string {
  return `${origin}${basePath} ${model.id} ${route.operation}`;
}

function bodyWithout({ body, upstreamFormat }: Routed, without: ReadonlySet<string>): Scanned | undefined {
  // Most requests have none of them, and a long conversation takes a while to parse.
  if (![...without].some((name) => body.includes(`"${name}"`))) return undefined;
  const request = tryParseExact(body.toString('utf8'));
  const { optionalFields } = formats[upstreamFormat].outbound;
  const left = optionalFields && isObject(request) ? optionalFields.without(request, without) : request;
  if (left === request) return undefined;
  return scanned(Buffer.from(JSON.stringify(left)));
}
