/**
 * Turns in the order that messages and generate-content insist on, where chat-completions and responses let a caller
 * write them as they come: user first, roles in turn, every call answered in the very next turn.
 */

import type { Part, ToolCallPart, ToolResultPart, Turn } from '../prompt.ts';

/** A call, and the results that were found for it. */
interface Slot {
  readonly turn: Turn;
  readonly results: ToolResultPart[];
}

/** The calls of one id in a turn; those before `next` are answered. */
interface Queue {
  readonly slots: Slot[];
  next: number;
}

/** Says nothing, for a conversation that starts with the assistant: text must not be blank. */
export const OPENING: Turn = { role: 'user', parts: [{ kind: 'text', text: '.' }] };

/**
 * The same turns, so that:
 * - neighbours of one role are one turn (system turns stay as and where they are);
 * - the results of a turn's calls are the first parts of the very next turn, in the order of the calls, one a call: what
 *   comes for a call that is answered (Codex tells of its progress so) is said with the first; and a result that
 *   answers no call stays where it was, before the other parts of its turn; none is made up;
 * - no text part is empty, unless it carries a signature, and no turn is without parts;
 * - the first turn that is no system turn is a user's: one is made up that says '.' where it was the assistant's.
 *
 * Ids may repeat: a result answers the latest calls of its id, one after the other.
 */
export function strictTurns(turns: readonly Turn[]): readonly Turn[] {
  const merged = mergeNeighbours(turns.map(withoutEmptyText));
  const { slots, placed } = matchResults(merged);
  const ordered = mergeNeighbours(
    merged.flatMap((turn) => {
      const left = turn.parts.filter((part) => part.kind !== 'tool-result' || !placed.has(part));
      const results = (slots.get(turn) ?? []).flatMap((slot) => asOne(slot.results));
      return [
        { ...turn, parts: left },
        { role: 'user', parts: results },
      ];
    }),
  ).map((turn) => (turn.role === 'user' ? { ...turn, parts: resultsFirst(turn.parts) } : turn));
  const first = ordered.findIndex((turn) => turn.role !== 'system');
  return ordered[first]?.role === 'assistant' ? ordered.toSpliced(first, 0, OPENING) : ordered;
}

/** Which result answers which call, in one pass. */
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

function asOne(results: readonly ToolResultPart[]): readonly ToolResultPart[] {
  const [first, ...more] = results;
  if (first === undefined || more.length === 0) return results;
  const isError = results.some((result) => result.isError);
  const content = results.flatMap((result) => result.content);
  return [{ ...first, content, ...(isError && { isError }) }];
}

/** An earlier turn's call of the same id waits no longer: what comes now answers this one. */
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

function withoutEmptyText(turn: Turn): Turn {
  const isEmpty = (part: Part): boolean => part.kind === 'text' && part.text === '' && !part.signature;
  return turn.parts.some(isEmpty) ? { ...turn, parts: turn.parts.filter((part) => !isEmpty(part)) } : turn;
}

/** What was said beside the results of calls comes after them. */
export function resultsFirst(parts: readonly Part[]): readonly Part[] {
  const isResult = (part: Part): boolean => part.kind === 'tool-result';
  return parts.some(isResult)
    ? [...parts.filter(isResult), ...parts.filter((part) => !isResult(part))]
    : parts;
}

/** Turns of one role in a row as one; turns without parts are left out. */
function mergeNeighbours(turns: readonly Turn[]): Turn[] {
  const groups: Turn[][] = [];
  for (const turn of turns) {
    if (turn.parts.length === 0) continue;
    const group = groups.at(-1);
    if (group?.[0]?.role === turn.role && turn.role !== 'system') group.push(turn);
    else groups.push([turn]);
  }
  return groups.flatMap((group) => (group.length === 1 ? group : mergeGroup(group)));
}

function mergeGroup(turns: readonly Turn[]): Turn {
  let head: Omit<Turn, 'parts'> = { role: 'user' };
  for (const { parts: _, ...turn } of turns) {
    head = {
      ...head,
      ...turn,
      ...(head.formatSpecific && { formatSpecific: mergeOwn(head.formatSpecific, turn.formatSpecific) }),
      ...(head.unknownFields && { unknownFields: { ...head.unknownFields, ...turn.unknownFields } }),
    };
  }
  return { ...head, parts: turns.flatMap((turn) => turn.parts) };
}

function mergeOwn(
  first: NonNullable<Turn['formatSpecific']>,
  second: Turn['formatSpecific'],
): NonNullable<Turn['formatSpecific']> {
  if (second === undefined || second.format !== first.format) return first;
  return { format: first.format, fields: { ...first.fields, ...second.fields } };
}
