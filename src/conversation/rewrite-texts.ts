/** Follows the texts of an answer while each becomes another text, as a whole or piece by piece. */

import type { Sink, Step } from '../streams/step.ts';
import type { PartDelta, PartDetail, PartEnd, ReplyEvent } from './reply.ts';

/** What one text becomes. */
export interface RewrittenText {
  /** Whether it becomes another text; undefined until that is known, and known at its end. */
  readonly isChanged: boolean | undefined;
  /** Takes a piece. @returns the next piece of what it becomes, which may be empty. */
  take(piece: string): string;
  /** Ends the text. @returns the last piece. */
  rest(): string;
}

/** The last text of a choice. */
interface Followed {
  readonly index: number;
  readonly text: RewrittenText;
  /** Those that came before it was known what the text becomes. */
  readonly details: PartDetail[];
}

/** A step that rewrites each text. */
export class TextRewriter implements Step<ReplyEvent, ReplyEvent> {
  readonly #begin: () => RewrittenText;
  /** By choice. */
  readonly #texts = new Map<number, Followed>();

  /** @param begin called for each text. */
  constructor(begin: () => RewrittenText) {
    this.#begin = begin;
  }

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    if (event.type === 'part-start' && event.part.kind === 'text')
      this.#texts.set(event.choice, { index: event.index, text: this.#begin(), details: [] });
    const followed = 'choice' in event ? this.#texts.get(event.choice) : undefined;
    if (followed !== undefined && event.type === 'part-detail') {
      followed.details.push(event);
      release(followed, out);
      return;
    }
    if (followed !== undefined && 'index' in event && event.index === followed.index) {
      if (event.type === 'part-delta') {
        write(followed, event, followed.text.take(event.text), out);
        return;
      }
      if (event.type === 'part-end') write(followed, event, followed.text.rest(), out);
    }
    out.enqueue(event);
  }
}

function write(
  followed: Followed,
  { choice, index }: PartDelta | PartEnd,
  text: string,
  out: Sink<ReplyEvent>,
): void {
  if (text !== '') out.enqueue({ type: 'part-delta', choice, index, text });
  release(followed, out);
}

/** Emits details as soon as it is known whether they have a place in what the text becomes. */
function release({ text: { isChanged }, details }: Followed, out: Sink<ReplyEvent>): void {
  if (isChanged === undefined) return;
  for (const detail of details) out.enqueue(isChanged ? withoutPlace(detail) : detail);
  details.length = 0;
}

/** The detail, without a place in a text that the caller does not get. */
function withoutPlace({ citation, ...detail }: PartDetail): PartDetail {
  if (citation === undefined) return detail;
  const { start: _, end: __, ...source } = citation;
  return { ...detail, citation: source };
}
