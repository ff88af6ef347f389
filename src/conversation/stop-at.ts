/**
 * Ends an answer at a stop sequence, for vendors that do not take it: OpenAI's responses has no field for stop
 * sequences, its reasoning models refuse them, and Claude refuses those of white space alone. As vendors do, it looks
 * for a sequence in visible text, leaves it out, and lets nothing follow. The vendor itself goes on to its own end, so
 * its usage is known, and paid.
 */

import type { Sink, Step } from '../streams/step.ts';
import type { ReplyEvent } from './reply.ts';

type Of<T extends ReplyEvent['type']> = Extract<ReplyEvent, { readonly type: T }>;
type Place = Pick<Of<'part-end'>, 'choice' | 'index'>;

interface Watched {
  /** The start of an open text that has not been emitted yet: a text that is cut before its first word is left out. */
  start: Of<'part-start'> | undefined;
  isText: boolean;
  /** The end of the text so far, which may be the beginning of a sequence. */
  held: string;
  /** The sequence that has ended the choice. */
  stopped: string | undefined;
}

/** A step that ends each choice at the first of some sequences. */
export class StopWatcher implements Step<ReplyEvent, ReplyEvent> {
  readonly #sequences: readonly string[];
  readonly #choices = new Map<number, Watched>();

  /** @param sequences not empty, and none of them ''. */
  constructor(sequences: readonly string[]) {
    this.#sequences = sequences;
  }

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    if (event.type === 'reply-start' || event.type === 'usage' || event.type === 'reply-end') {
      out.enqueue(event);
      return;
    }
    const watched = this.#getWatched(event.choice);
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
      this.#takeText(watched, event, out);
      return;
    }
    if (event.type === 'part-detail' || event.type === 'part-end') release(watched, event, out);
    out.enqueue(event);
  }

  #getWatched(choice: number): Watched {
    const known = this.#choices.get(choice);
    if (known !== undefined) return known;
    const watched: Watched = { start: undefined, isText: false, held: '', stopped: undefined };
    this.#choices.set(choice, watched);
    return watched;
  }

  #takeText(watched: Watched, delta: Of<'part-delta'>, out: Sink<ReplyEvent>): void {
    const text = watched.held + delta.text;
    const found = findFirst(this.#sequences, text);
    const end = found?.at ?? text.length - openTail(this.#sequences, text);
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
}

function open(watched: Watched, out: Sink<ReplyEvent>): void {
  if (watched.start !== undefined) out.enqueue(watched.start);
  watched.start = undefined;
}

/** Emits what was held back: it turned out to be no sequence. */
function release(watched: Watched, { choice, index }: Place, out: Sink<ReplyEvent>): void {
  open(watched, out);
  if (watched.held !== '') out.enqueue({ type: 'part-delta', choice, index, text: watched.held });
  watched.held = '';
}

/** The sequence that is complete first in a text; of several with the same end, the one that begins first. */
function findFirst(
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

/** The number of characters at the end of a text that may be the beginning of a sequence. */
function openTail(sequences: readonly string[], text: string): number {
  const longest = Math.max(...sequences.map(({ length }) => length - 1));
  for (let open = Math.min(longest, text.length); open > 0; open -= 1) {
    const tail = text.slice(text.length - open);
    if (sequences.some((sequence) => sequence.length > open && sequence.startsWith(tail))) return open;
  }
  return 0;
}

/** The end of a choice at a sequence: it keeps the vendor's further fields, but not the vendor's reason. */
function endedBy(
  stopSequence: string,
  { choice, formatSpecific, unknownFields }: Of<'choice-end'>,
): Of<'choice-end'> {
  return {
    type: 'choice-end',
    choice,
    finish: 'stop-sequence',
    stopSequence,
    ...(formatSpecific && { formatSpecific }),
    ...(unknownFields && { unknownFields }),
  };
}
