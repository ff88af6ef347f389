/**
 * The parts of one choice, one after another, even if the vendor interleaves them. One part is live, and its pieces are
 * passed on at once. A part that begins while the arguments of a live call are incomplete waits, and its text is passed
 * on in one piece when its turn comes. A live part of any other kind ends when the next part begins.
 */

import type { FormatSpecific } from '../../../conversation/prompt.ts';
import type { OpenPart, PartDetail, ReplyEvent } from '../../../conversation/reply.ts';
import type { Sink } from '../../../streams/step.ts';
import { ArgumentScan } from './argument-scan.ts';

/** Receives the events of a reply. */
export type Out = Sink<ReplyEvent>;

/** A detail of a part: a signature, redacted thoughts or a citation. */
type Detail = Omit<PartDetail, 'type' | 'choice' | 'index'>;

export interface SequencePart {
  readonly open: OpenPart;
  readonly formatSpecific: FormatSpecific | undefined;
  /** Only of a function call. The text of a custom call is complete only when the answer is. */
  readonly scan: ArgumentScan | undefined;
  state: 'waiting' | 'live' | 'ended';
  /** Its index among the choice's parts, once it is live. */
  index: number;
  /** A signature completes a part: what follows is another part. */
  isSigned: boolean;
  /** What came while it was waiting. */
  text: string;
  details: Detail[] | undefined;
}

export class PartSequence {
  readonly #choice: number;
  readonly #signsTexts: boolean;
  #count = 0;
  #live: SequencePart | undefined;
  #last: SequencePart | undefined;
  #hasAnswer = false;
  /** Made for the first part that has to wait. */
  #waiting: SequencePart[] | undefined;
  /** Citations of parts that had ended. They are passed on behind all parts. */
  #late: PartDetail[] | undefined;

  /** @param signsTexts whether a signature of a text may come at its end */
  constructor(choice: number, signsTexts: boolean) {
    this.#choice = choice;
    this.#signsTexts = signsTexts;
  }

  /** The part that began last. */
  last(): SequencePart | undefined {
    return this.#last;
  }

  /** Whether there is more than thoughts, and no function call lacks arguments. */
  isWhole(): boolean {
    const pending = [this.#live, ...(this.#waiting ?? [])];
    return this.#hasAnswer && !pending.some((part) => part?.scan?.isOpen());
  }

  begin(open: OpenPart, out: Out, formatSpecific?: FormatSpecific): SequencePart {
    const isFunction = open.kind === 'tool-call' && !open.custom;
    const part: SequencePart = {
      open,
      formatSpecific,
      scan: isFunction ? new ArgumentScan() : undefined,
      state: 'waiting',
      index: -1,
      isSigned: false,
      text: '',
      details: undefined,
    };
    this.#last = part;
    if (open.kind !== 'thinking') this.#hasAnswer = true;
    if (this.#live !== undefined && isIncompleteCall(this.#live)) {
      this.#waiting ??= [];
      this.#waiting.push(part);
    } else this.#start(part, out);
    return part;
  }

  /**
   * More of a part's text. Text after the end of a part is dropped, and so is text after a complete object of arguments:
   * some services send a whole call again, vLLM at the end of its stream, or a mark of the model's after it. An empty
   * object is passed on only at the end, because some services send one before the arguments.
   */
  write(part: SequencePart, given: string, out: Out): void {
    if (part.state === 'ended') return;
    let text = given.slice(0, part.scan?.add(given));
    if (text === '') return;
    // A loop instead of recursion: one piece may consist of megabytes of empty objects.
    for (let at = text.length; text !== '' && part.scan?.isEmpty(); at += text.length) {
      const rest = given.slice(at);
      text = rest.slice(0, part.scan.add(rest));
    }
    const { index } = part;
    if (text !== '' && part.state === 'waiting') part.text += text;
    else if (text !== '') out.enqueue({ type: 'part-delta', choice: this.#choice, index, text });
    if (part.state === 'live' && part.scan?.isWhole()) this.#drain(out);
  }

  addDetail(part: SequencePart, detail: Detail, out: Out): void {
    const event = { type: 'part-detail', choice: this.#choice, index: part.index, ...detail } as const;
    if (part.state === 'ended') {
      if (!detail.citation) return;
      this.#late ??= [];
      this.#late.push(event);
      return;
    }
    if (detail.signature || detail.redacted) part.isSigned = true;
    if (part.state === 'live') {
      out.enqueue(event);
      return;
    }
    part.details ??= [];
    part.details.push(detail);
  }

  /** Nothing more comes: ends the live part and passes on those that wait. */
  end(out: Out): void {
    for (const part of this.#waiting ?? []) this.#start(part, out);
    this.#waiting = undefined;
    this.#close(out);
    for (const event of this.#late ?? []) out.enqueue(event);
  }

  #start(part: SequencePart, out: Out): void {
    this.#close(out);
    this.#live = part;
    part.state = 'live';
    part.index = this.#count;
    this.#count += 1;
    const choice = this.#choice;
    const { open, formatSpecific, text, details = [], index } = part;
    out.enqueue({
      type: 'part-start',
      choice,
      index,
      part: open,
      ...(this.#signsTexts && open.kind === 'text' && { mayBeSigned: true }),
      ...(formatSpecific && { formatSpecific }),
    });
    if (text !== '') out.enqueue({ type: 'part-delta', choice, index, text });
    for (const detail of details) out.enqueue({ type: 'part-detail', choice, index, ...detail });
    part.text = '';
    part.details = undefined;
  }

  #close(out: Out): void {
    const live = this.#live;
    if (live === undefined) return;
    const choice = this.#choice;
    const { index } = live;
    live.state = 'ended';
    if (live.scan?.isEmpty()) out.enqueue({ type: 'part-delta', choice, index, text: '{}' });
    out.enqueue({ type: 'part-end', choice, index });
    this.#live = undefined;
  }

  /** Starts the waiting parts, up to an incomplete call. */
  #drain(out: Out): void {
    if (this.#waiting === undefined) return;
    let started = 0;
    for (const part of this.#waiting) {
      if (this.#live !== undefined && isIncompleteCall(this.#live)) break;
      this.#start(part, out);
      started += 1;
    }
    this.#waiting = started < this.#waiting.length ? this.#waiting.slice(started) : undefined;
  }
}

function isIncompleteCall({ open, scan }: SequencePart): boolean {
  return open.kind === 'tool-call' && !scan?.isWhole();
}
