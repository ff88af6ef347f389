/** Writes the parts of an answer as neutral events, one after another. */

import type { FormatSpecific, Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, ReplyEvent } from '../../../conversation/reply.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { parseTokens } from '../../openai/logprobs.ts';
import { parseAnnotation } from '../wire/citations.ts';
import type { Contained } from '../wire/finish-reasons.ts';

export interface PartWriter {
  /** Ends the open part, and opens another. @returns the number of the new part */
  start(part: OpenPart, formatSpecific?: FormatSpecific): number;
  text(text: string): void;
  logprobs(tokens: readonly Json[]): void;
  cite(annotation: JsonObject): void;
  sign(signature: Signature): void;
  end(): void;
  /** The number of the open part; -1 if none is open. */
  open(): number;
  /** Which of the parts so far matter for the finish. */
  readonly contained: Contained;
}

/** Makes the writer for one answer. @param sink returns where events go now: it changes with every event of the vendor's */
export function partWriter(sink: () => Sink<ReplyEvent>): PartWriter {
  const contained = { calls: false, refusal: false };
  let next = 0;
  let open = -1;

  const end = (): void => {
    if (open >= 0) sink().enqueue({ type: 'part-end', choice: 0, index: open });
    open = -1;
  };

  return {
    contained,
    end,
    open: () => open,
    start(part, formatSpecific) {
      end();
      open = next;
      next += 1;
      if (part.kind === 'tool-call') contained.calls = true;
      if (part.kind === 'refusal') contained.refusal = true;
      sink().enqueue({
        type: 'part-start',
        choice: 0,
        index: open,
        part,
        ...(formatSpecific && { formatSpecific }),
      });
      return open;
    },
    text: (text) => sink().enqueue({ type: 'part-delta', choice: 0, index: open, text }),
    logprobs: (tokens) => sink().enqueue({ type: 'logprobs', choice: 0, tokens: parseTokens(tokens) }),
    cite: (annotation) =>
      sink().enqueue({ type: 'part-detail', choice: 0, index: open, citation: parseAnnotation(annotation) }),
    sign: (signature) => sink().enqueue({ type: 'part-detail', choice: 0, index: open, signature }),
  };
}
