/**
 * OpenAI's own cache breakpoints (guide "Prompt caching"). GPT-5.6 and later match a cached prefix only at a breakpoint, of
 * which OpenAI places one by itself, at the end of the newest message: a prefix that many dialogues share needs one of its
 * own. Earlier models cache by themselves and refuse the field.
 */

import type { JsonObject } from '../../lib/json.ts';

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
