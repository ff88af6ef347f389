/**
 * The parts of one choice, one after another, though vendors interleave them: one part is live, and its pieces are passed
 * on at once. A part that begins while a call is live whose arguments are not whole yet waits, and is told in one piece
 * when its turn has come. A live part of any other kind is ended by the part that begins after it.
 */

import type { FormatSpecific } from '../../../conversation/prompt.ts';
import type { OpenPart, PartDetail, ReplyEvent } from '../../../conversation/reply.ts';
import type { Sink } from '../../../streams/step.ts';
import { type ArgumentScan, argumentScan } from './argument-scan.ts';

export type Out = Sink<ReplyEvent>;

/** Something about a part that is not its text. */
type Detail = Omit<PartDetail, 'type' | 'choice' | 'index'>;

export interface SequencePart {
  readonly open: OpenPart;
  readonly own: FormatSpecific | undefined;
  /** Of a function call: custom calls are free text, and whole only when the answer is. */
  readonly scan: ArgumentScan | undefined;
  state: 'waiting' | 'live' | 'ended';
  /** Its place among the choice's parts, once it is live. */
  index: number;
  /** A signature closes what it signs: what comes after it is another part. */
  isSigned: boolean;
  /** What came while it was waiting. */
  text: string;
  details: Detail[];
}

export interface PartSequence {
  /** The part that began last. */
  last(): SequencePart | undefined;
  begin(open: OpenPart, out: Out, own?: FormatSpecific): SequencePart;
  /**
   * More of a part's text. Of a part that has ended there is none, nor of arguments whose object is closed: some services
   * send a whole call again, vLLM at the end of its stream, or a mark of the model's after it. An empty object is
   * told last, for others send one before the arguments.
   */
  write(part: SequencePart, text: string, out: Out): void;
  note(part: SequencePart, detail: Detail, out: Out): void;
  /** Nothing more comes: closes the live part and tells those that wait. */
  end(out: Out): void;
}

/** A line with nothing in it. */
export function partSequence(choice: number): PartSequence {
  let count = 0;
  let live: SequencePart | undefined;
  let last: SequencePart | undefined;
  let waiting: SequencePart[] = [];

  const close = (out: Out): void => {
    if (live === undefined) return;
    live.state = 'ended';
    if (live.scan?.isEmpty()) out.enqueue({ type: 'part-delta', choice, index: live.index, text: '{}' });
    out.enqueue({ type: 'part-end', choice, index: live.index });
    live = undefined;
  };

  const start = (part: SequencePart, out: Out): void => {
    close(out);
    live = part;
    part.state = 'live';
    part.index = count;
    count += 1;
    const { open, own, text, details, index } = part;
    out.enqueue({ type: 'part-start', choice, index, part: open, ...(own && { formatSpecific: own }) });
    if (text !== '') out.enqueue({ type: 'part-delta', choice, index, text });
    for (const detail of details) out.enqueue({ type: 'part-detail', choice, index, ...detail });
    part.text = '';
    part.details = [];
  };

  /** Tells those that wait, up to one that holds up the rest. */
  const drain = (out: Out): void => {
    if (waiting.length === 0) return;
    let told = 0;
    for (const part of waiting) {
      if (live !== undefined && holdsUp(live)) break;
      start(part, out);
      told += 1;
    }
    waiting = waiting.slice(told);
  };

  const write = (part: SequencePart, given: string, out: Out): void => {
    if (part.state === 'ended') return;
    // A loop, not a call of itself: a piece may be megabytes of empty objects.
    let text = given.slice(0, part.scan?.add(given));
    if (text === '') return;
    for (let at = text.length; text !== '' && part.scan?.isEmpty(); at += text.length) {
      const rest = given.slice(at);
      text = rest.slice(0, part.scan.add(rest));
    }
    if (text !== '' && part.state === 'waiting') part.text += text;
    else if (text !== '') out.enqueue({ type: 'part-delta', choice, index: part.index, text });
    if (part.state === 'live' && part.scan?.isWhole()) drain(out);
  };

  return {
    last: () => last,
    begin(open, out, own) {
      const isFunction = open.kind === 'tool-call' && !open.custom;
      const part: SequencePart = {
        open,
        own,
        scan: isFunction ? argumentScan() : undefined,
        state: 'waiting',
        index: -1,
        isSigned: false,
        text: '',
        details: [],
      };
      last = part;
      if (live !== undefined && holdsUp(live)) waiting.push(part);
      else start(part, out);
      return part;
    },
    write,
    note(part, detail, out) {
      if (part.state === 'ended') return;
      if (detail.signature || detail.redacted) part.isSigned = true;
      if (part.state === 'waiting') part.details.push(detail);
      else out.enqueue({ type: 'part-detail', choice, index: part.index, ...detail });
    },
    end(out) {
      for (const part of waiting) start(part, out);
      waiting = [];
      close(out);
    },
  };
}

function holdsUp({ open, scan }: SequencePart): boolean {
  return open.kind === 'tool-call' && !scan?.isWhole();
}
