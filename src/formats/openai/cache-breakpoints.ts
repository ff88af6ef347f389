/**
 * OpenAI's own cache breakpoints (guide "Prompt caching"). GPT-5.6 and later match a cached prefix only at a breakpoint, of
 * which OpenAI places one by itself, at the end of the newest message: a prefix that many dialogues share needs one of its
 * own. Earlier models cache by themselves and refuse the field.
 */

import type { CacheBreakpoint, Part } from '../../conversation/prompt.ts';
import { asObject, asText, isObject, type Json, type JsonObject } from '../../lib/json.ts';

const WITH_BREAKPOINTS = /(?:^|[/.])gpt-(?:5\.[6-9]|[6-9])/;

/** Whether a model at OpenAI takes breakpoints. @param model the model as OpenAI calls it. */
export function takesBreakpoints(model: string): boolean {
  return WITH_BREAKPOINTS.test(model);
}

/**
 * The breakpoint of a part, to be spread. It has no time to live: Anthropic's 5 minutes and its hour are not among OpenAI's
 * (30 minutes, the default, and 12 hours at a higher price).
 */
export const BREAKPOINT: JsonObject = { prompt_cache_breakpoint: { mode: 'explicit' } };

/** A `cache_control` as a breakpoint, with its time to live (such as `5m`) if it has one. */
export function parseCacheControl(control: Json | undefined): CacheBreakpoint {
  const ttl = asText(asObject(control)?.['ttl']);
  return ttl === undefined ? {} : { ttl };
}

/**
 * Moves the breakpoint of a message (`cache_control`, which OpenRouter and Vercel take there) to its last part that can
 * have one: a thought cannot, and a breakpoint of its own stays.
 * @returns the parts; the same list if `control` is no object or no part gets the breakpoint.
 */
export function applyMessageBreakpoint<P extends Part>(
  parts: readonly P[],
  control: Json | undefined,
): readonly P[] {
  if (!isObject(control)) return parts;
  const at = parts.findLastIndex(({ kind }) => kind !== 'thinking' && kind !== 'opaque');
  const part = parts[at];
  if (part === undefined || part.cacheBreakpoint !== undefined) return parts;
  return parts.with(at, { ...part, cacheBreakpoint: parseCacheControl(control) });
}
