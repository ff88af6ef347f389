/**
 * Takes the answer out of an object that was put around it: other vendors give a structured answer only as an object,
 * while Gemini's `text/x.enum` is one word. The text of a structured answer is held until it is whole, since only then
 * is it known to be such an object. A text that is none, as of a model that answers in words, stays as it is; so does one
 * that is longer than any such answer, which then is held no longer.
 */

import { asObject, asText, type Json } from '../lib/json.ts';
import { tryParseBounded } from '../lib/json-bounds.ts';
import type { Sink, Step } from '../streams/step.ts';
import type { PartDelta, PartDetail, PartEnd, ReplyEvent } from './reply.ts';

/** The longest text that is held, in UTF-16 code units. */
const LONGEST = 64 * 1024;

/** An open text. */
interface Held {
  readonly pieces: string[];
  length: number;
  readonly details: PartDetail[];
}

/** A step that replaces each text by the value of the member `name`, if it is an object with that member. */
export function unwrapMember(name: string): Step<ReplyEvent, ReplyEvent> {
  return new MemberUnwrapper(name);
}

class MemberUnwrapper implements Step<ReplyEvent, ReplyEvent> {
  readonly #name: string;
  /** The open text of each choice. */
  readonly #texts = new Map<number, Held>();

  constructor(name: string) {
    this.#name = name;
  }

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    if (event.type === 'part-start' && event.part.kind === 'text') {
      this.#texts.set(event.choice, { pieces: [], length: 0, details: [] });
    }
    const held = 'choice' in event ? this.#texts.get(event.choice) : undefined;
    if (held !== undefined && event.type === 'part-delta') {
      held.pieces.push(event.text);
      held.length += event.text.length;
      if (held.length > LONGEST) this.#release(event, held, out);
    } else if (held !== undefined && event.type === 'part-detail') held.details.push(event);
    else {
      if (held !== undefined && event.type === 'part-end') this.#release(event, held, out);
      // A citation that comes when its text has ended: the text may have been replaced.
      out.enqueue(event.type === 'part-detail' ? withoutPlace(event) : event);
    }
  }

  #release(
    { choice, index }: PartDelta | PartEnd,
    { pieces, length, details }: Held,
    out: Sink<ReplyEvent>,
  ): void {
    const text = pieces.join('');
    const value = length > LONGEST ? undefined : memberIn(text, this.#name);
    if (text !== '') out.enqueue({ type: 'part-delta', choice, index, text: value ?? text });
    for (const detail of details) out.enqueue(value === undefined ? detail : withoutPlace(detail));
    this.#texts.delete(choice);
  }
}

/** What an object lacks that a limit on tokens has cut: nothing, its end, or the end of its text too. */
const ENDS = ['', '}', '"}'];

/** The member's value as text; undefined if the text holds no such object. A code fence may stand around it. */
function memberIn(text: string, name: string): string | undefined {
  const start = text.indexOf('{');
  if (start < 0) return undefined;
  const end = text.lastIndexOf('}');
  const object = end < start ? text.slice(start) : text.slice(start, end + 1);
  for (const rest of ENDS) {
    const value = asObject(tryParseBounded(object + rest))?.[name];
    if (value !== undefined) return asPlainText(value);
  }
  return undefined;
}

/** An empty text would be no delta. */
function asPlainText(value: Json): string | undefined {
  return asText(value) === '' ? undefined : (asText(value) ?? JSON.stringify(value));
}

/** The detail, without a place in a text that the caller does not get. */
export function withoutPlace({ citation, ...detail }: PartDetail): PartDetail {
  if (citation === undefined) return detail;
  const { start: _, end: __, ...source } = citation;
  return { ...detail, citation: source };
}
