/**
 * Numbers the parts of an answer as they begin and end, and gives each carried signature (`wire/signature-carriers.ts`) to
 * the part that it belongs to, while the parts are still arriving.
 */

import type { Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartStart, ReplyEvent } from '../../../conversation/reply.ts';
import type { Sink } from '../../../streams/step.ts';
import { openCarrier } from '../wire/signature-carriers.ts';

type Out = Sink<ReplyEvent>;

/** Numbers the parts of one answer. */
export class PartNumbers {
  #next = 0;
  /** Whether a carrier behind the last part could still bring its signature. */
  #awaitsSignature = false;
  /** The index of a part whose end is delayed for that reason; -1 if there is none. */
  #ending = -1;
  /** A signature whose call has not come yet. */
  #pending: Signature | undefined;

  /** Begins a part. @returns its index. */
  begin(part: OpenPart, formatSpecific: PartStart['formatSpecific'], out: Out): number {
    const isCall = part.kind === 'tool-call';
    if (!isCall) this.noCall(out);
    this.#settleEnding(out);
    const signature = this.#pending;
    this.#pending = undefined;
    this.#awaitsSignature = part.kind === 'text' || (isCall && signature === undefined);
    return this.#open(part, formatSpecific, signature, out);
  }

  /** Ends the part that began last. */
  end(out: Out): void {
    if (this.#awaitsSignature) this.#ending = this.#next - 1;
    else finish(this.#next - 1, out);
  }

  /** Takes the signature that a carrier brought. */
  carry(carried: Signature, out: Out): void {
    this.noCall(out);
    const { place, signature } = openCarrier(carried);
    if (place === 'next') {
      this.#pending = signature;
    } else if (this.#ending >= 0) {
      out.enqueue({ type: 'part-detail', choice: 0, index: this.#ending, signature });
      this.#settleEnding(out);
    } else {
      this.#emptyText(signature, out);
    }
  }

  /** Says that no call comes next. A signature that waits for one then belongs to an empty part. */
  noCall(out: Out): void {
    if (this.#pending === undefined) return;
    this.#settleEnding(out);
    this.#emptyText(this.#pending, out);
    this.#pending = undefined;
  }

  /** Ends the content: no part follows. */
  close(out: Out): void {
    this.noCall(out);
    this.#settleEnding(out);
  }

  #settleEnding(out: Out): void {
    if (this.#ending >= 0) finish(this.#ending, out);
    this.#ending = -1;
  }

  #open(
    part: OpenPart,
    formatSpecific: PartStart['formatSpecific'],
    signature: Signature | undefined,
    out: Out,
  ): number {
    const index = this.#next;
    this.#next += 1;
    out.enqueue({
      type: 'part-start',
      choice: 0,
      index,
      part,
      ...(signature && { signature }),
      ...(formatSpecific && { formatSpecific }),
    });
    return index;
  }

  #emptyText(signature: Signature, out: Out): void {
    finish(this.#open({ kind: 'text' }, undefined, signature, out), out);
  }
}

function finish(index: number, out: Out): void {
  out.enqueue({ type: 'part-end', choice: 0, index });
}
