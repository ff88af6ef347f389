/** Fields that a part gets from its block, whatever its kind. */

import { withFormatSpecific } from '../../../conversation/format-specific.ts';
import type { TextPart } from '../../../conversation/prompt.ts';
import { compact, isEmpty, type Json, type JsonObject } from '../../../lib/json.ts';
import { parseCacheControl } from '../wire/cache-control.ts';

/** What is spread where a block has no such fields: one object for all. */
const NOTHING = {} as const;

/**
 * Makes `{cacheBreakpoint, formatSpecific}` of a block, to be spread.
 * @param cacheControl the block's `cache_control`.
 * @param fields fields of the block that only Anthropic has. Those that are undefined are left out.
 * @param roundTrip fields that other formats lose nothing without (`FormatSpecific.roundTrip`), likewise.
 */
export function parseBlockFields(
  cacheControl: Json | undefined,
  fields: JsonObject = NOTHING,
  roundTrip: JsonObject = NOTHING,
): Pick<TextPart, 'cacheBreakpoint' | 'formatSpecific'> {
  const own = compact(fields);
  const kept = compact(roundTrip);
  if (cacheControl === undefined && isEmpty(own) && isEmpty(kept)) return NOTHING;
  const { breakpoint, fields: unparsed } = parseCacheControl(cacheControl);
  return {
    ...(breakpoint && { cacheBreakpoint: breakpoint }),
    ...withFormatSpecific('messages', { ...unparsed, ...own }, kept),
  };
}
