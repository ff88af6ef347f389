/**
 * Turns in the order that messages and generate-content require: the user first, roles in alternation, and every call
 * answered in the very next turn. In chat-completions and responses, callers may write them in any order.
 */

import { joinLists, keepItems, mapItems } from '../../lib/lists.ts';
import type { Part, ToolCallPart, ToolResultPart, Turn } from '../prompt.ts';
import { withParts } from '../turn-parts.ts';

/** A call, and the results found for it. */
interface Slot {
  readonly turn: Turn;
  readonly results: ToolResultPart[];
}

/** The calls of one id in a turn. Those before `next` are answered. */
interface Queue {
  readonly slots: Slot[];
  next: number;
}

/**
 * Comes before a conversation that starts with the assistant. It has to say something, since text must not be blank.
 */
export const OPENING: Turn = { role: 'user', parts: [{ kind: 'text', text: '.' }] };

/**
 * The same turns, but in strict order:
 * - Adjacent turns of one role are one turn. System turns stay as and where they are.
 * - The results of a turn's calls are the first parts of the very next turn, in the order of the calls, one for each
 *   call. Further results for an answered call, by which Codex reports progress, join the first. A result that answers
 *   no call stays in its turn, before the other parts. No result is invented.
 * - No text part is empty, unless it has a signature, and no turn is without parts.
 * - The first turn that is not a system turn is the user's. If it was the assistant's, `OPENING` comes before it.
 *
 * Ids may repeat: a result answers the latest calls of its id, one after the other.
 * @returns the same list if its turns are in strict order, and each call has one result or each of a turn has none.
 */
export function strictTurns(turns: readonly Turn[]): readonly Turn[] {
  if (areStrict(turns)) return turns;
  const merged = mergeNeighbours(mapItems(turns, withoutEmptyText));
  const { slots, placed } = matchResults(merged);
  const placedTurns: Turn[] = [];
  for (const turn of merged) {
    const left = keepItems(turn.parts, (part) => part.kind !== 'tool-result' || !placed.has(part));
    placedTurns.push(withParts(turn, left));
    const own = slots.get(turn);
    if (own !== undefined) {
      placedTurns.push({ role: 'user', parts: joinLists(own.map((slot) => mergeResults(slot.results))) });
    }
  }
  const ordered = mergeNeighbours(placedTurns).map((turn) =>
    turn.role === 'user' ? withParts(turn, resultsFirst(turn.parts)) : turn,
  );
  const first = ordered.findIndex((turn) => turn.role !== 'system');
  return ordered[first]?.role === 'assistant' ? ordered.toSpliced(first, 0, OPENING) : ordered;
}

/**
 * Whether turns are in strict order already, as nearly all conversations are. It is false for some that are: where only
 * some calls of a turn have results, and where a result answers no call.
 */
function areStrict(turns: readonly Turn[]): boolean {
  let previous: Turn | undefined;
  let isFirst = true;
  for (const turn of turns) {
    const { role } = turn;
    if (role !== 'system' && role === previous?.role) return false;
    if (isFirst && role === 'assistant') return false;
    isFirst &&= role === 'system';
    if (!arePartsStrict(turn, previous)) return false;
    previous = turn;
  }
  return true;
}

/** Whether a turn begins with the results of exactly the calls of the turn before it, or has none, and no empty text. */
function arePartsStrict({ role, parts }: Turn, previous: Turn | undefined): boolean {
  if (parts.length === 0) return false;
  let results = 0;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part === undefined || isEmptyText(part)) return false;
    if (part.kind !== 'tool-result') continue;
    if (role !== 'user' || results < at) return false;
    results += 1;
  }
  return results === 0 || (previous?.role === 'assistant' && countAnswered(previous, parts) === results);
}

/** The number of calls of a turn, if the parts begin with their results in order; -1 otherwise. */
function countAnswered({ parts }: Turn, results: readonly Part[]): number {
  let calls = 0;
  for (const call of parts) {
    if (call.kind !== 'tool-call') continue;
    const result = results[calls];
    if (result?.kind !== 'tool-result' || result.id !== call.id) return -1;
    calls += 1;
  }
  return calls;
}

function matchResults(turns: readonly Turn[]): {
  slots: ReadonlyMap<Turn, readonly Slot[]>;
  placed: ReadonlySet<ToolResultPart>;
} {
  const slots = new Map<Turn, Slot[]>();
  const placed = new Set<ToolResultPart>();
  const queues = new Map<string, Queue>();
  for (const turn of turns) {
    for (const part of turn.parts) {
      if (part.kind === 'tool-call' && turn.role === 'assistant') {
        const slot: Slot = { turn, results: [] };
        push(slots, turn, slot);
        enqueue(queues, part, slot);
      } else if (part.kind === 'tool-result') {
        const queue = queues.get(part.id);
        if (queue === undefined) continue;
        const slot = queue.slots[queue.next] ?? queue.slots.at(-1);
        queue.next += 1;
        slot?.results.push(part);
        placed.add(part);
      }
    }
  }
  return { slots, placed };
}

function mergeResults(results: readonly ToolResultPart[]): readonly ToolResultPart[] {
  const [first, ...more] = results;
  if (first === undefined || more.length === 0) return results;
  const isError = results.some((result) => result.isError);
  const content = joinLists(results.map((result) => result.content));
  return [{ ...first, content, ...(isError && { isError }) }];
}

/** Adds a call that waits for its result. Calls of the same id in earlier turns wait no longer. */
function enqueue(queues: Map<string, Queue>, call: ToolCallPart, slot: Slot): void {
  const queue = queues.get(call.id);
  if (queue?.slots[0]?.turn === slot.turn) queue.slots.push(slot);
  else queues.set(call.id, { slots: [slot], next: 0 });
}

function push<K, V>(lists: Map<K, V[]>, key: K, value: V): void {
  const list = lists.get(key);
  if (list) list.push(value);
  else lists.set(key, [value]);
}

function isEmptyText(part: Part): boolean {
  return part.kind === 'text' && part.text === '' && !part.signature;
}

function withoutEmptyText(turn: Turn): Turn {
  return withParts(
    turn,
    keepItems(turn.parts, (part) => !isEmptyText(part)),
  );
}

/** The parts of a turn with the results of calls first; the same list if they are. */
export function resultsFirst(parts: readonly Part[]): readonly Part[] {
  let results = 0;
  let isOrdered = true;
  for (let at = 0; at < parts.length; at++) {
    if (parts[at]?.kind !== 'tool-result') continue;
    isOrdered &&= results === at;
    results += 1;
  }
  if (isOrdered) return parts;
  const isResult = (part: Part): boolean => part.kind === 'tool-result';
  return [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))];
}

/** Adjacent turns of one role as one turn, without turns that have no parts. */
function mergeNeighbours(turns: readonly Turn[]): Turn[] {
  const groups: Turn[][] = [];
  for (const turn of turns) {
    if (turn.parts.length === 0) continue;
    const group = groups.at(-1);
    if (group?.[0]?.role === turn.role && turn.role !== 'system') group.push(turn);
    else groups.push([turn]);
  }
  return groups.map(mergeGroup);
}

/** Turns of one role as one; a turn that is alone stays the same object. */
function mergeGroup(turns: readonly Turn[]): Turn {
  const [only, second] = turns;
  if (only !== undefined && second === undefined) return only;
  let head: Omit<Turn, 'parts'> = { role: 'user' };
  for (const { parts: _, ...turn } of turns) {
    head = {
      ...head,
      ...turn,
      ...(head.formatSpecific && { formatSpecific: mergeFields(head.formatSpecific, turn.formatSpecific) }),
      ...(head.unknownFields && { unknownFields: { ...head.unknownFields, ...turn.unknownFields } }),
    };
  }
  return { ...head, parts: joinLists(turns.map((turn) => turn.parts)) };
}

function mergeFields(
  first: NonNullable<Turn['formatSpecific']>,
  second: Turn['formatSpecific'],
): NonNullable<Turn['formatSpecific']> {
  if (second === undefined || second.format !== first.format) return first;
  return { format: first.format, fields: { ...first.fields, ...second.fields } };
}
