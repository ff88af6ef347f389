/**
 * Cache breakpoints of a caller's parts and tools, in OpenAI's spelling (`prompt_cache_breakpoint`) or in Anthropic's
 * (`cache_control`), which OpenRouter and LiteLLM take. A breakpoint keeps its spelling, because the two differ in what
 * they can say.
 */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { TextPart } from '../../../conversation/prompt.ts';
import { isEmpty, isObject, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { parseCacheControl } from '../../openai/cache-breakpoints.ts';

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
