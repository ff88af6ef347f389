/**
 * Cache breakpoints of a caller's messages and tools, in OpenAI's spelling (`prompt_cache_breakpoint`) or in Anthropic's
 * (`cache_control`), which OpenRouter and LiteLLM take. A breakpoint keeps its spelling, because the two differ in what
 * they can say.
 */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { CacheBreakpoint, Part, TextPart } from '../../../conversation/prompt.ts';
import {
  asObject,
  asText,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  withoutNulls,
} from '../../../lib/json.ts';

/**
 * The fields that any part or tool may have: its cache breakpoint, and the fields that the gateway does not know.
 * @param fields everything that the part's own parser did not read.
 * @param formatSpecific further fields that only this format has.
 * @param roundTrip what is kept only to write the same again (`FormatSpecific.roundTrip`).
 * @returns properties to spread into the part.
 */
export function parseRemainingFields(
  fields: JsonObject,
  formatSpecific: JsonObject = {},
  roundTrip: JsonObject = {},
): Pick<TextPart, 'cacheBreakpoint' | 'formatSpecific' | 'unknownFields'> {
  if (fields['prompt_cache_breakpoint'] === undefined && fields['cache_control'] === undefined) {
    return {
      ...withFormatSpecific('chat-completions', formatSpecific, roundTrip),
      ...withUnknownFields(withoutNulls(fields)),
    };
  }
  const { prompt_cache_breakpoint: breakpoint, cache_control: control, ...others } = fields;
  const marks = { prompt_cache_breakpoint: breakpoint, cache_control: control };
  const valid = Object.fromEntries(Object.entries(marks).filter(([, value]) => isObject(value)));
  // The vendor refuses a breakpoint of the wrong type.
  const invalid = Object.fromEntries(Object.entries(marks).filter(([, value]) => !isObject(value)));
  return {
    ...(!isEmpty(valid) && { cacheBreakpoint: parseCacheControl(control) }),
    ...withFormatSpecific('chat-completions', formatSpecific, { ...roundTrip, ...valid }),
    ...withUnknownFields(withoutNulls({ ...others, ...invalid })),
  };
}

/** A `cache_control` as a breakpoint, with its time to live (such as `5m`) if it has one. */
export function parseCacheControl(control: Json | undefined): CacheBreakpoint {
  const ttl = asText(asObject(control)?.['ttl']);
  return ttl === undefined ? {} : { ttl };
}

/**
 * Moves the breakpoint of a message (`cache_control`, which OpenRouter and Vercel take there) to its last part that can
 * have one: a thought cannot.
 * @returns the parts; the same list if `control` is no object or no part can have a breakpoint.
 */
export function applyMessageBreakpoint(parts: readonly Part[], control: Json | undefined): readonly Part[] {
  if (!isObject(control)) return parts;
  const at = parts.findLastIndex(({ kind }) => kind !== 'thinking' && kind !== 'opaque');
  const part = parts[at];
  return part ? parts.with(at, { ...part, cacheBreakpoint: parseCacheControl(control) }) : parts;
}
