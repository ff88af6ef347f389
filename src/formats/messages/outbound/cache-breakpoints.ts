/**
 * Cache breakpoints. Anthropic accepts four in a request, and none that lasts longer than one before it ("Prompt caching"
 * guide).
 */

import type { CacheBreakpoint, Part, Prompt, Turn } from '../../../conversation/prompt.ts';
import { compact, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { speaksMessages } from './native-caller.ts';

const LIMIT = 4;

/** The lifetime that Anthropic has beside its usual five minutes. */
const LONG = '1h';

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
 * Fits the breakpoints of a request to what Anthropic accepts.
 * @param body the rendered request. It is returned itself if there is nothing to change.
 */
export function fitBreakpoints(body: JsonObject, report: Report): JsonObject {
  const { tools, system, messages, cache_control } = body;
  const head: JsonObject[] = [];
  const tail: JsonObject[] = [];
  collectMarks(tools, head);
  collectMarks(system, head);
  collectMarks(messages, tail);
  if (head.length + tail.length === 0) return body;
  const kept = limitMarks(head, tail, cache_control === undefined ? LIMIT : LIMIT - 1, report);
  // The breakpoint of the request itself is at its end.
  const fitted = orderLifetimes(kept ?? [...head, ...tail], isLong(cache_control), report) ?? kept;
  if (fitted === undefined) return body;
  const marks = fitted.values();
  const replaced = {
    tools: replaceMarks(tools, marks),
    system: replaceMarks(system, marks),
    messages: replaceMarks(messages, marks),
  };
  return { ...body, ...compact(replaced) };
}

/** The breakpoints of a request in their order, without (`undefined`) those that are to be removed. */
type Marks = readonly (JsonObject | undefined)[];

/**
 * Reduces the breakpoints of a request to the number that Anthropic accepts. It keeps the last one on the tools or the
 * system prompt, which most other requests share, and then the last ones of the messages, each of which covers all before
 * it.
 * @returns nothing if all may stay.
 */
function limitMarks(head: Marks, tail: Marks, limit: number, report: Report): Marks | undefined {
  if (head.length + tail.length <= limit) return;
  report('turns[].mark', 'dropped', `only ${LIMIT} may be sent`);
  const keptTail = Math.min(tail.length, limit - Math.min(head.length, 1));
  return [...keepLast(head, limit - keptTail), ...keepLast(tail, keptTail)];
}

function keepLast(marks: Marks, count: number): Marks {
  return marks.map((mark, index) => (index < marks.length - count ? undefined : mark));
}

/**
 * Gives an hour to each breakpoint before one of an hour: "a ttl='1h' cache_control block must not come after a ttl='5m'
 * cache_control block". It costs nothing more, since everything up to the last breakpoint of an hour is written at the price
 * of an hour ("Prompt caching" guide, mixing different TTLs).
 * @returns nothing if all are in order.
 */
function orderLifetimes(marks: Marks, endsLong: boolean, report: Report): Marks | undefined {
  const end = endsLong ? marks.length : marks.findLastIndex(isLong);
  const isRaised = (mark: JsonObject | undefined, index: number): boolean =>
    mark !== undefined && index < end && !isLong(mark);
  if (!marks.some(isRaised)) return;
  report('turns[].mark', 'approximated', 'none may last longer than one before it');
  return marks.map((mark, index) => (isRaised(mark, index) ? { ...mark, ttl: LONG } : mark));
}

function isLong(mark: Json | undefined): boolean {
  return isObject(mark) && mark['ttl'] === LONG;
}

/** Collects the breakpoints of blocks, in their order. */
function collectMarks(value: Json | undefined, marks: JsonObject[]): void {
  if (isList(value)) for (const inner of value) collectMarks(inner, marks);
  if (!isObject(value)) return;
  const { content, cache_control } = value;
  if (typeof content === 'object') collectMarks(content, marks);
  if (isObject(cache_control)) marks.push(cache_control);
}

/** Replaces the breakpoints of blocks by the given ones, or removes them. */
function replaceMarks(
  value: Json | undefined,
  marks: Iterator<JsonObject | undefined, undefined>,
): Json | undefined {
  if (isList(value)) return value.map((inner) => replaceMarks(inner, marks) ?? null);
  if (!isObject(value)) return value;
  const { cache_control, ...rest } = value;
  const content = replaceMarks(value['content'], marks);
  const mark = isObject(cache_control) ? marks.next().value : undefined;
  return { ...rest, ...compact({ content, cache_control: mark }) };
}
