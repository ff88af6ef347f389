/**
 * Numbers the parts of an answer as they begin and end, and gives each carried signature (`wire/signature-carriers.ts`) to
 * the part that it belongs to, while the parts are still arriving.
 */

import type { Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartStart, ReplyEvent } from '../../../conversation/reply.ts';
import type { Sink } from '../../../streams/step.ts';
import { openCarrier } from '../wire/signature-carriers.ts';

type Out = Sink<ReplyEvent>;

interface PartNumbering {
  /** Begins a part. @returns its index. */
  begin(part: OpenPart, formatSpecific: PartStart['formatSpecific'], out: Out): number;
  /** Ends the part that began last. */
  end(out: Out): void;
  /** Takes the signature that a carrier brought. */
  carry(signature: Signature, out: Out): void;
  /** Says that no call comes next. A signature that waits for one then belongs to an empty part. */
  noCall(out: Out): void;
  /** Ends the content: no part follows. */
  close(out: Out): void;
}

/** Makes the numbering of one answer's parts. */
export function createPartNumbering(): PartNumbering {
  let next = 0;
  /** Whether a carrier behind the last part could still bring its signature. */
  let awaitsSignature = false;
  /** The index of a part whose end is delayed for that reason; -1 if there is none. */
  let ending = -1;
  /** A signature whose call has not come yet. */
  let pending: Signature | undefined;

  const finish = (index: number, out: Out): void => out.enqueue({ type: 'part-end', choice: 0, index });

  const settleEnding = (out: Out): void => {
    if (ending >= 0) finish(ending, out);
    ending = -1;
  };

  const open = (
    part: OpenPart,
    formatSpecific: PartStart['formatSpecific'],
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
      ...(formatSpecific && { formatSpecific }),
    });
    return index;
  };

  const emptyText = (signature: Signature, out: Out): void =>
    finish(open({ kind: 'text' }, undefined, signature, out), out);

  const noCall = (out: Out): void => {
    if (pending === undefined) return;
    settleEnding(out);
    emptyText(pending, out);
    pending = undefined;
  };

  return {
    begin(part, formatSpecific, out) {
      const isCall = part.kind === 'tool-call';
      if (!isCall) noCall(out);
      settleEnding(out);
      const signature = pending;
      pending = undefined;
      awaitsSignature = part.kind === 'text' || (isCall && signature === undefined);
      return open(part, formatSpecific, signature, out);
    },
    end(out) {
      if (awaitsSignature) ending = next - 1;
      else finish(next - 1, out);
    },
    carry(carried, out) {
      noCall(out);
      const { place, signature } = openCarrier(carried);
      if (place === 'next') {
        pending = signature;
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
