/**
 * Numbers the parts of an answer as they begin and end, and gives each carried signature (`carriers.ts`) to the part it
 * belongs to. What `partList` does for a history, whose parts are all there, this does while they are still coming.
 */

import type { Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartStart, ReplyEvent } from '../../../conversation/reply.ts';
import type { Sink } from '../../../streams/step.ts';
import { openCarrier } from '../wire/signature-carriers.ts';

type Out = Sink<ReplyEvent>;

interface AnswerParts {
  /** A part begins. @returns its index. */
  begin(part: OpenPart, own: PartStart['formatSpecific'], out: Out): number;
  /** The part that began last ends. */
  end(out: Out): void;
  /** A carrier came. */
  carry(signature: Signature, out: Out): void;
  /** What comes next is no call: a signature that waits for one is an empty part's own. */
  noCall(out: Out): void;
  /** No part comes after this. */
  close(out: Out): void;
}

export function answerParts(): AnswerParts {
  let next = 0;
  /** Whether the last part could still have its signature from a carrier behind it. */
  let isOpenToSign = false;
  /** The part that ended but was not yet said to have, for that reason; -1 for none. */
  let ending = -1;
  /** A signature whose call is still to come. */
  let waiting: Signature | undefined;

  const finish = (index: number, out: Out): void => out.enqueue({ type: 'part-end', choice: 0, index });

  const settleEnding = (out: Out): void => {
    if (ending >= 0) finish(ending, out);
    ending = -1;
  };

  const open = (
    part: OpenPart,
    own: PartStart['formatSpecific'],
    signature: Signature | undefined,
    out: Out,
  ): number => {
    const index = next;
    next += 1;
    out.enqueue({
      type: 'part-start',
      choice: 0,
      index,
      part,
      ...(signature && { signature }),
      ...(own && { formatSpecific: own }),
    });
    return index;
  };

  const emptyText = (signature: Signature, out: Out): void =>
    finish(open({ kind: 'text' }, undefined, signature, out), out);

  const noCall = (out: Out): void => {
    if (waiting === undefined) return;
    settleEnding(out);
    emptyText(waiting, out);
    waiting = undefined;
  };

  return {
    begin(part, own, out) {
      const isCall = part.kind === 'tool-call';
      if (!isCall) noCall(out);
      settleEnding(out);
      const signature = waiting;
      waiting = undefined;
      isOpenToSign = part.kind === 'text' || (isCall && signature === undefined);
      return open(part, own, signature, out);
    },
    end(out) {
      if (isOpenToSign) ending = next - 1;
      else finish(next - 1, out);
    },
    carry(carried, out) {
      noCall(out);
      const { place, signature } = openCarrier(carried);
      if (place === 'next') {
        waiting = signature;
      } else if (ending >= 0) {
        out.enqueue({ type: 'part-detail', choice: 0, index: ending, signature });
        settleEnding(out);
      } else {
        emptyText(signature, out);
      }
    },
    noCall,
    close(out) {
      noCall(out);
      settleEnding(out);
    },
  };
}
