/** Cache breakpoints. Anthropic accepts four in a request and refuses a request with more ("Prompt caching" guide). */

import type { CacheBreakpoint, Part, Prompt, Turn } from '../../../conversation/prompt.ts';
import { compact, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { speaksMessages } from './native-caller.ts';

const LIMIT = 4;

/**
 * Decides on a breakpoint for the whole request.
 * @returns the breakpoint, if there is one for the request itself, and the turns. If the last turn is a system message, the
 *   breakpoint is on the last user turn instead: such a message has to follow the breakpoint ("Mid-conversation system
 *   messages").
 */
export function addRequestBreakpoint(
  prompt: Prompt,
  turns: readonly Turn[],
  target: ModelTraits,
  report: Report,
): { readonly breakpoint?: CacheBreakpoint | undefined; readonly turns: readonly Turn[] } {
  const breakpoint = prompt.cacheBreakpoint ?? chooseBreakpoint(prompt, target);
  reportCacheKey(prompt, breakpoint, report);
  // A caller of this format has set the breakpoint where it is.
  if (breakpoint === undefined || speaksMessages(prompt) || turns.at(-1)?.role !== 'system') {
    return { breakpoint, turns };
  }
  const at = turns.findLastIndex(({ role }) => role === 'user');
  return { turns: turns.map((turn, index) => (index === at ? addBreakpoint(turn, breakpoint) : turn)) };
}

/** Reports what becomes of the key by which a caller of another format finds its cache. */
function reportCacheKey(
  { cacheKey, cacheBreakpoint }: Prompt,
  chosen: CacheBreakpoint | undefined,
  report: Report,
): void {
  if (cacheKey === undefined) return;
  const isChosen = chosen !== undefined && cacheBreakpoint === undefined;
  if (isChosen) report('cacheKey', 'approximated', 'Anthropic has no keys: the whole request is cached');
  else report('cacheKey', 'dropped', 'Anthropic has no keys, only breakpoints');
}

function addBreakpoint(turn: Turn, cacheBreakpoint: CacheBreakpoint): Turn {
  const last = turn.parts.at(-1);
  return last === undefined ? turn : { ...turn, parts: turn.parts.with(-1, { ...last, cacheBreakpoint }) };
}

/**
 * Chooses a breakpoint for a caller that set none. A caller that sends a cache key expects a cache without breakpoints, such
 * as OpenAI's, and the operator may want one for all callers. An agent repeats the whole conversation with each round of
 * calls. Writing the cache costs a quarter more and reading it nine tenths less, so the first further round already pays for
 * it. One breakpoint for the whole request caches everything up to its end ("Prompt caching" guide, automatic caching). A
 * caller that sets breakpoints knows where they belong.
 */
function chooseBreakpoint(prompt: Prompt, { caches }: ModelTraits): CacheBreakpoint | undefined {
  const isWanted =
    prompt.cacheKey !== undefined || caches === 'always' || (caches === 'agents' && isAgent(prompt));
  return isWanted && !hasBreakpoint(prompt) ? {} : undefined;
}

function hasBreakpoint({ tools = [], turns }: Prompt): boolean {
  return (
    tools.some((tool) => tool.kind === 'function' && tool.cacheBreakpoint) ||
    turns.some(({ parts }) => parts.some(isBreakpoint))
  );
}

/** The number of rounds of calls after which more are likely. */
const ROUNDS = 2;

/** Tells whether the caller is an agent that was not written for Claude. One that was sets its own breakpoints. */
function isAgent(prompt: Prompt): boolean {
  if (speaksMessages(prompt)) return false;
  let rounds = 0;
  for (const { role, parts } of prompt.turns) {
    if (role === 'assistant' && parts.some(({ kind }) => kind === 'tool-call')) rounds++;
  }
  return rounds >= ROUNDS;
}

function isBreakpoint(part: Part): boolean {
  return (
    part.cacheBreakpoint !== undefined || (part.kind === 'tool-result' && part.content.some(isBreakpoint))
  );
}

/**
 * Reduces the breakpoints of a request to the four that Anthropic accepts. It keeps the last one on the tools or the system
 * prompt, which most other requests share, and then the last ones of the messages, each of which covers all before it.
 * @param body the rendered request.
 */
export function limitBreakpoints(body: JsonObject, report: Report): JsonObject {
  const head = countBreakpoints(body['tools']) + countBreakpoints(body['system']);
  const tail = countBreakpoints(body['messages']);
  const limit = LIMIT - (body['cache_control'] === undefined ? 0 : 1);
  if (head + tail <= limit) return body;
  report('turns[].mark', 'dropped', `only ${LIMIT} may be sent`);
  const keptTail = Math.min(tail, limit - Math.min(head, 1));
  let toDrop = head - (limit - keptTail);
  const drop = (): boolean => toDrop-- > 0;
  const tools = dropBreakpoints(body['tools'], drop);
  const system = dropBreakpoints(body['system'], drop);
  toDrop = tail - keptTail;
  const messages = dropBreakpoints(body['messages'], drop);
  return { ...body, ...compact({ tools, system, messages }) };
}

function countBreakpoints(value: Json | undefined): number {
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  if (isList(value)) {
    for (const inner of value) sum += countBreakpoints(inner);
    return sum;
  }
  if (!isObject(value)) return 0;
  const { content, cache_control } = value;
  if (typeof content === 'object') sum += countBreakpoints(content);
  return isObject(cache_control) ? sum + 1 : sum;
}

/** Removes breakpoints from blocks. `drop` is asked about each of them, in their order. */
function dropBreakpoints(value: Json | undefined, drop: () => boolean): Json | undefined {
  if (isList(value)) return value.map((inner) => dropBreakpoints(inner, drop) ?? null);
  if (!isObject(value)) return value;
  const content = dropBreakpoints(value['content'], drop);
  const { cache_control, ...rest } = value;
  const kept = isObject(cache_control) && !drop() ? { cache_control } : {};
  return { ...rest, ...(content !== undefined && { content }), ...kept };
}
