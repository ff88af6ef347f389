/**
 * Cache marks in OpenAI's spelling (`prompt_cache_breakpoint`) and in Anthropic's (`cache_control`), as OpenRouter and
 * LiteLLM take it, both ways. A mark's own spelling is kept, for the two differ in what they can say.
 */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type {
  CacheBreakpoint,
  ContentPart,
  FormatSpecific,
  Part,
  TextPart,
} from '../../../conversation/prompt.ts';
import {
  asObject,
  asText,
  isEmpty,
  isObject,
  type Json,
  type JsonObject,
  withoutNulls,
} from '../../../lib/json.ts';
import type { Writing } from './encoded-text.ts';

/**
 * What may stand on any part or tool: its mark, and what nobody here knows.
 * @param own further fields of its own.
 */
export function markAndRest(
  fields: JsonObject,
  own: JsonObject = {},
): Pick<TextPart, 'cacheBreakpoint' | 'formatSpecific' | 'unknownFields'> {
  const { prompt_cache_breakpoint: breakpoint, cache_control: control, ...others } = fields;
  const marks = { prompt_cache_breakpoint: breakpoint, cache_control: control };
  const written = Object.fromEntries(Object.entries(marks).filter(([, value]) => isObject(value)));
  // A mark that is none is for the vendor to refuse.
  const wrong = Object.fromEntries(Object.entries(marks).filter(([, value]) => !isObject(value)));
  return {
    ...(!isEmpty(written) && { cacheBreakpoint: markOf(control) }),
    ...formatSpecificOf('chat-completions', { ...own, ...written }),
    ...unknownFieldsOf(withoutNulls({ ...others, ...wrong })),
  };
}

/** The mark that a `cache_control` is. */
export function markOf(control: Json | undefined): CacheBreakpoint {
  const ttl = asText(asObject(control)?.['ttl']);
  return ttl === undefined ? {} : { ttl };
}

/**
 * The mark on a message (`cache_control`, as OpenRouter and Vercel take it) as one on the last part of it that can bear
 * one: thoughts cannot.
 */
export function markLast(parts: readonly Part[], control: Json | undefined): readonly Part[] {
  const at = parts.findLastIndex(({ kind }) => kind !== 'thinking' && kind !== 'opaque');
  const part = parts[at];
  return part && isObject(control) ? parts.with(at, { ...part, cacheBreakpoint: markOf(control) }) : parts;
}

/** The parts of a message that bears its mark itself. */
export function unmarkLast(parts: readonly ContentPart[]): readonly ContentPart[] {
  const last = parts.at(-1);
  if (last === undefined || last.formatSpecific !== undefined) return parts;
  const { cacheBreakpoint: _, ...rest } = last;
  return [...parts.slice(0, -1), rest];
}

/** A mark in the dialect's spelling; one that came in this format goes as it came. */
export function markFields(
  {
    cacheBreakpoint: mark,
    formatSpecific: own,
  }: { readonly cacheBreakpoint?: CacheBreakpoint; readonly formatSpecific?: FormatSpecific },
  { dialect, report }: Pick<Writing, 'dialect' | 'report'>,
): JsonObject {
  if (mark === undefined) return {};
  if (own?.format === 'chat-completions') {
    const { prompt_cache_breakpoint: breakpoint, cache_control: control } = own.fields;
    if (breakpoint !== undefined || control !== undefined) {
      return withoutNulls({ prompt_cache_breakpoint: breakpoint, cache_control: control });
    }
  }
  if (dialect.cacheControl) return { cache_control: { type: 'ephemeral', ...mark } };
  report('turns[].mark', 'dropped', 'the service caches by itself');
  return {};
}
