/** What later stages add to the fallbacks of a request, which are made from the request as it was routed. */

import { GatewayError } from '../../lib/errors.ts';
import type { Routed } from '../exchange.ts';

/**
 * The same request, whose fallbacks are admitted before they are asked. One that is refused cannot answer either, but
 * the one after it may.
 * @param admit admits a fallback, and those after it. It throws GatewayError to refuse it.
 */
export function admitFallbacks(routed: Routed, admit: (fallback: Routed) => Promise<Routed>): Routed {
  const { nextFallback } = routed;
  if (nextFallback === undefined) return routed;
  return {
    ...routed,
    async nextFallback(reason) {
      let fallback = await nextFallback(reason);
      while (fallback !== undefined) {
        try {
          return await admit(fallback);
        } catch (error) {
          if (!(error instanceof GatewayError)) throw error;
        }
        fallback = await fallback.nextFallback?.(reason);
      }
      return undefined;
    },
  };
}

/** A request, and all its fallbacks, with these fields. */
export function withAllFallbacks(routed: Routed, fields: Partial<Routed>): Routed {
  return admitFallbacks({ ...routed, ...fields }, async (fallback) => withAllFallbacks(fallback, fields));
}
