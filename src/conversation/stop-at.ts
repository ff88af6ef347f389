/**
 * Ends an answer where a stop sequence is, in place of vendors that cannot be told any: OpenAI's responses has no field
 * for them, its thinking models refuse theirs, and Claude refuses those of white space alone. As at the vendors that can,
 * a sequence is looked for in visible text, is itself no part of the answer, and nothing comes after it; but the vendor
 * goes on to its own end, so what it took is known, and paid.
 */

import type { Sink, Step } from '../streams/step.ts';
import type { ReplyEvent } from './reply.ts';

type Of<T extends ReplyEvent['type']> = Extract<ReplyEvent, { readonly type: T }>;
type Place = Pick<Of<'part-end'>, 'choice' | 'index'>;

/** What has come of a choice. */
interface Watched {
  /** The text that is open and has yet to be told of: of one that is cut before its first word nothing is told. */
  start: Of<'part-start'> | undefined;
  isText: boolean;
  /** The end of the text so far, where a sequence may have begun. */
  held: string;
  /** The sequence that has ended it. */
  stopped: string | undefined;
}

/** @param sequences of which none is empty. */
export function stopAt(sequences: readonly string[]): Step<ReplyEvent, ReplyEvent> {
  const choices = new Map<number, Watched>();

  function watchedOf(choice: number): Watched {
    const known = choices.get(choice);
    if (known !== undefined) return known;
    const watched: Watched = { start: undefined, isText: false, held: '', stopped: undefined };
    choices.set(choice, watched);
    return watched;
  }

  function open(watched: Watched, out: Sink<ReplyEvent>): void {
    if (watched.start !== undefined) out.enqueue(watched.start);
    watched.start = undefined;
  }

  function takeText(watched: Watched, delta: Of<'part-delta'>, out: Sink<ReplyEvent>): void {
    const text = watched.held + delta.text;
    const found = firstOf(sequences, text);
    const end = found?.at ?? text.length - openTail(sequences, text);
    if (end > 0) {
      open(watched, out);
      out.enqueue({ ...delta, text: text.slice(0, end) });
    }
    watched.held = text.slice(end);
    if (found === undefined) return;
    watched.stopped = found.sequence;
    if (watched.start === undefined)
      out.enqueue({ type: 'part-end', choice: delta.choice, index: delta.index });
  }

  /** What was held back is the part's after all. */
  function release(watched: Watched, { choice, index }: Place, out: Sink<ReplyEvent>): void {
    open(watched, out);
    if (watched.held !== '') out.enqueue({ type: 'part-delta', choice, index, text: watched.held });
    watched.held = '';
  }

  return {
    transform(event, out) {
      if (event.type === 'reply-start' || event.type === 'usage' || event.type === 'reply-end') {
        out.enqueue(event);
        return;
      }
      const watched = watchedOf(event.choice);
      if (watched.stopped !== undefined) {
        if (event.type === 'choice-end') out.enqueue(endedBy(watched.stopped, event));
        return;
      }
      if (event.type === 'part-start') {
        watched.isText = event.part.kind === 'text';
        if (watched.isText) watched.start = event;
        else out.enqueue(event);
        return;
      }
      if (event.type === 'part-delta' && watched.isText) {
        takeText(watched, event, out);
        return;
      }
      if (event.type === 'part-detail' || event.type === 'part-end') release(watched, event, out);
      out.enqueue(event);
    },
  };
}

/** The sequence that is complete first in a text; of several that end at one place, the one that begins first. */
function firstOf(
  sequences: readonly string[],
  text: string,
): { readonly sequence: string; readonly at: number } | undefined {
  let first: { sequence: string; at: number; end: number } | undefined;
  for (const sequence of sequences) {
    const at = text.indexOf(sequence);
    const end = at + sequence.length;
    if (at < 0 || (first !== undefined && (end > first.end || (end === first.end && at > first.at))))
      continue;
    first = { sequence, at, end };
  }
  return first;
}

/** How many characters at the end of a text may be the beginning of a sequence. */
function openTail(sequences: readonly string[], text: string): number {
  const longest = Math.max(...sequences.map(({ length }) => length - 1));
  for (let open = Math.min(longest, text.length); open > 0; open -= 1) {
    const tail = text.slice(text.length - open);
    if (sequences.some((sequence) => sequence.length > open && sequence.startsWith(tail))) return open;
  }
  return 0;
}

/** The end of a choice, with what else its vendor tells of it, but not why that ended. */
function endedBy(
  stopSequence: string,
  { choice, formatSpecific: own, unknownFields: extra }: Of<'choice-end'>,
): Of<'choice-end'> {
  return {
    type: 'choice-end',
    choice,
    finish: 'stop-sequence',
    stopSequence,
    ...(own && { formatSpecific: own }),
    ...(extra && { unknownFields: extra }),
  };
}
