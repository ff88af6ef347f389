/** Writes the parts of an answer as neutral events, one after another. */

import type { FormatSpecific, SignatureOrigin } from '../../../conversation/prompt.ts';
import type { OpenPart, ReplyEvent } from '../../../conversation/reply.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { parseTokens } from '../../openai/logprobs.ts';
import { parseAnnotation } from '../wire/citations.ts';
import type { AnswerContents } from '../wire/finish-reasons.ts';

const NOWHERE: Sink<ReplyEvent> = { enqueue() {} };

export class PartWriter implements AnswerContents {
  /** Where events go now: it changes with every event of the vendor's. */
  out = NOWHERE;
  /** Whether one of the parts so far is a call, and whether one is a refusal. */
  calls = false;
  refusal = false;
  readonly #origin: SignatureOrigin;
  #next = 0;
  #open = -1;

  /** @param origin the vendor that signs the parts. */
  constructor(origin: SignatureOrigin) {
    this.#origin = origin;
  }

  /** The number of the open part; -1 if none is open. */
  get open(): number {
    return this.#open;
  }

  /** Whether no part has begun. */
  get isEmpty(): boolean {
    return this.#next === 0;
  }

  /** Ends the open part, and opens another. @returns the number of the new part */
  start(part: OpenPart, formatSpecific?: FormatSpecific): number {
    this.end();
    const index = this.#next;
    this.#open = index;
    this.#next += 1;
    if (part.kind === 'tool-call') this.calls = true;
    if (part.kind === 'refusal') this.refusal = true;
    this.out.enqueue({
      type: 'part-start',
      choice: 0,
      index,
      part,
      ...(formatSpecific && { formatSpecific }),
    });
    return index;
  }

  text(text: string): void {
    this.out.enqueue({ type: 'part-delta', choice: 0, index: this.#open, text });
  }

  logprobs(tokens: readonly Json[]): void {
    this.out.enqueue({ type: 'logprobs', choice: 0, tokens: parseTokens(tokens) });
  }

  cite(annotation: JsonObject): void {
    const citation = parseAnnotation(annotation);
    this.out.enqueue({ type: 'part-detail', choice: 0, index: this.#open, citation });
  }

  sign(value: string): void {
    const signature = { origin: this.#origin, value };
    this.out.enqueue({ type: 'part-detail', choice: 0, index: this.#open, signature });
  }

  end(): void {
    if (this.#open >= 0) this.out.enqueue({ type: 'part-end', choice: 0, index: this.#open });
    this.#open = -1;
  }
}
