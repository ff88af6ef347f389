/** Cache marks: Anthropic takes four in a request (prompt caching guide) and refuses the request with more. */

import type { CacheBreakpoint, Part, Prompt, Turn } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { compact, isList, isObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { speaksMessages } from '../wire/wire.ts';

const LIMIT = 4;

/**
 * The mark for all of a request, and the turns that go with it. Where the system has the last word, the mark is at the end
 * of what the user says instead, for such words are to stand behind a mark ("Mid-conversation system messages").
 */
export function markAll(
  prompt: Prompt,
  turns: readonly Turn[],
  target: ModelTraits,
): { readonly mark?: CacheBreakpoint | undefined; readonly turns: readonly Turn[] } {
  const mark = prompt.cacheBreakpoint ?? markForKey(prompt, target);
  // Who speaks this format has set it where it is.
  if (mark === undefined || speaksMessages(prompt) || turns.at(-1)?.role !== 'system') return { mark, turns };
  const at = turns.findLastIndex(({ role }) => role === 'user');
  return { turns: turns.map((turn, index) => (index === at ? markedTurn(turn, mark) : turn)) };
}

function markedTurn(turn: Turn, mark: CacheBreakpoint): Turn {
  const last = turn.parts.length - 1;
  return {
    ...turn,
    parts: turn.parts.map((part, index) => (index === last ? { ...part, cacheBreakpoint: mark } : part)),
  };
}

/**
 * Who gives a key counts on a cache that needs no marks, as OpenAI's, and whoever runs this may want one for all. An agent
 * asks again with each round of calls, and all that it has asked before: what is written once is read by every further
 * round, and pays with the first of them (a quarter more, and nine tenths less). One
 * mark for the whole request caches all up to its end (prompt caching guide, automatic caching). Who sets marks knows
 * where they belong.
 */
function markForKey(prompt: Prompt, { caches }: ModelTraits): CacheBreakpoint | undefined {
  const { cacheKey, turns, tools = [] } = prompt;
  const isMarked =
    tools.some((tool) => tool.kind === 'function' && tool.cacheBreakpoint) ||
    turns.some(({ parts }) => parts.some(isMarkedPart));
  if (isMarked) return undefined;
  const isWanted = cacheKey !== undefined || caches === 'always' || (caches === 'agents' && isAgents(prompt));
  return isWanted ? {} : undefined;
}

/** Rounds of calls after which more are to be expected. */
const ROUNDS = 2;

/** Whether a dialogue is an agent's that was not written for Claude: one that was marks what it wants cached. */
function isAgents(prompt: Prompt): boolean {
  if (speaksMessages(prompt)) return false;
  let rounds = 0;
  for (const { role, parts } of prompt.turns) {
    if (role === 'assistant' && parts.some(({ kind }) => kind === 'tool-call')) rounds++;
  }
  return rounds >= ROUNDS;
}

function isMarkedPart(part: Part): boolean {
  return (
    part.cacheBreakpoint !== undefined || (part.kind === 'tool-result' && part.content.some(isMarkedPart))
  );
}

/**
 * The body with four marks at most: the last one on tools or system, which most other requests share, then the last
 * ones of the messages, each of which covers all before it.
 */
export function limitMarks(body: JsonObject, report: Report): JsonObject {
  const head = countMarks(body['tools']) + countMarks(body['system']);
  const tail = countMarks(body['messages']);
  const limit = LIMIT - (body['cache_control'] === undefined ? 0 : 1);
  if (head + tail <= limit) return body;
  report('turns[].mark', 'dropped', `only ${LIMIT} may be sent`);
  const keptTail = Math.min(tail, limit - Math.min(head, 1));
  let toDrop = head - (limit - keptTail);
  const drop = (): boolean => toDrop-- > 0;
  const tools = dropMarks(body['tools'], drop);
  const system = dropMarks(body['system'], drop);
  toDrop = tail - keptTail;
  const messages = dropMarks(body['messages'], drop);
  return { ...body, ...compact({ tools, system, messages }) };
}

function countMarks(value: Json | undefined): number {
  if (isList(value)) return value.reduce((sum: number, inner) => sum + countMarks(inner), 0);
  if (!isObject(value)) return 0;
  const own = isObject(value['cache_control']) ? 1 : 0;
  return countMarks(value['content']) + own;
}

/** The same blocks in the same order, without the marks for which `drop` says so. */
function dropMarks(value: Json | undefined, drop: () => boolean): Json | undefined {
  if (isList(value)) return value.map((inner) => dropMarks(inner, drop) ?? null);
  if (!isObject(value)) return value;
  const content = dropMarks(value['content'], drop);
  const { cache_control, ...rest } = value;
  const kept = isObject(cache_control) && !drop() ? { cache_control } : {};
  return { ...rest, ...(content !== undefined && { content }), ...kept };
}
