/** `cache_control`, which marks the end of a prefix to be cached ("Prompt caching" guide). */

import type { CacheBreakpoint } from '../../../conversation/prompt.ts';
import { isEmpty, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** How long Anthropic can keep a marked prefix. */
const TTLS = ['5m', '1h'];

/**
 * Parses `cache_control`.
 * @returns the breakpoint, or `fields` that hold the value unchanged if it does not have the one known form.
 */
export function parseCacheControl(value: Json | undefined): {
  breakpoint?: CacheBreakpoint;
  fields: JsonObject;
} {
  if (value === undefined || value === null) return { fields: {} };
  if (!isObject(value)) return { fields: { cache_control: value } };
  const { type, ttl, ...rest } = value;
  if (type !== 'ephemeral' || !isEmpty(rest)) return { fields: { cache_control: value } };
  if (ttl === undefined) return { breakpoint: {}, fields: {} };
  return typeof ttl === 'string' && TTLS.includes(ttl)
    ? { breakpoint: { ttl }, fields: {} }
    : { fields: { cache_control: value } };
}

/**
 * Renders a breakpoint.
 * @returns `{cache_control}`, to be spread, or nothing if there is no breakpoint. A time to live that Anthropic does not
 *   have is left out, so that its default applies.
 */
export function renderCacheControl(breakpoint: CacheBreakpoint | undefined): JsonObject {
  if (breakpoint === undefined) return {};
  const { ttl } = breakpoint;
  return { cache_control: { type: 'ephemeral', ...(ttl !== undefined && TTLS.includes(ttl) && { ttl }) } };
}
