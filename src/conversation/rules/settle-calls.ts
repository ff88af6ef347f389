/**
 * The arguments of calls as every format can render them, streamed and whole alike. Behind this step, '' stands for a call
 * that was cut off before its arguments, and the arguments of a complete call are the JSON text of an object: `{}` for
 * none, what a JSON text in a JSON text holds, and `{"arguments": …}` for anything else.
 *
 * Arguments that begin as an object pass at once. Of any other, nothing is passed before the next event of the choice
 * tells whether the call was cut off.
 */

import { fuse, type Sink, type Step } from '../../streams/step.ts';
import type { ChoiceEnd, Finish, PartStart, ReplyEvent } from '../reply.ts';
import { partialObject, wholeArguments } from './arguments.ts';

/** The ends at which the last call of an answer may be incomplete. */
const CUT: ReadonlySet<Finish> = new Set(['length', 'context-length', 'content-filter', 'refusal']);

/** A call whose arguments have not begun as an object. */
interface Held {
  readonly start: PartStart;
  text: string;
  /** Whether there is nothing but space in the text. */
  isBlank: boolean;
}

/** A parser that emits calls with settled arguments. */
export function withSettledCalls<I>(parser: Step<I, ReplyEvent>): Step<I, ReplyEvent> {
  return fuse(parser, new CallSettler());
}

/** A step that settles the arguments of calls. Calls of custom tools are free text, and pass as they are. */
export class CallSettler implements Step<ReplyEvent, ReplyEvent> {
  /** By choice. Most answers have no call, so nothing is made for any. */
  #held: Map<number, Held> | undefined;

  transform(event: ReplyEvent, out: Sink<ReplyEvent>): void {
    if (event.type === 'part-start' || event.type === 'choice-end') {
      const waiting = this.#held?.get(event.choice);
      if (waiting !== undefined) {
        this.#held?.delete(event.choice);
        release(waiting, event, out);
      }
      out.enqueue(event);
      if (event.type === 'part-start' && event.part.kind === 'tool-call' && !event.part.custom) {
        this.#held ??= new Map();
        this.#held.set(event.choice, { start: event, text: '', isBlank: true });
      }
      return;
    }
    const call = this.#held !== undefined && 'index' in event ? this.#held.get(event.choice) : undefined;
    if (call !== undefined && event.type === 'part-delta') {
      if (!addText(call, event.text)) return;
      this.#held?.delete(event.choice);
      out.enqueue({ ...event, text: call.text });
    } else if (call === undefined || event.type !== 'part-end') out.enqueue(event);
  }
}

/** Emits what the call holds, and its end: no other part begins before that. */
function release({ start, text }: Held, next: PartStart | ChoiceEnd, out: Sink<ReplyEvent>): void {
  const isCut = next.type === 'choice-end' && CUT.has(next.finish);
  const settled = settle(text, isCut);
  const { choice, index } = start;
  if (settled !== '') out.enqueue({ type: 'part-delta', choice, index, text: settled });
  out.enqueue({ type: 'part-end', choice, index });
}

/** @returns whether the text begins as an object. Each piece is looked at once, however many there are. */
function addText(call: Held, text: string): boolean {
  const begins = call.isBlank ? text.trimStart() : '';
  call.isBlank &&= begins === '';
  call.text += text;
  return begins.startsWith('{');
}

function settle(text: string, isCut: boolean): string {
  if (!isCut) return wholeArguments(text);
  return text.trim() === '' ? '' : (partialObject(text) ?? wholeArguments(text));
}
