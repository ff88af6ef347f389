/** Parts of an answer as neutral events, one after another. */

import type { FormatSpecific, Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, ReplyEvent } from '../../../conversation/reply.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import type { Sink } from '../../../streams/step.ts';
import { parseTokens } from '../../openai/logprobs.ts';
import { parseAnnotation } from '../wire/citations.ts';
import type { Said } from '../wire/finish-reasons.ts';

export interface PartWriter {
  /** Ends the part that is open, opens another, and gives its number. */
  start(part: OpenPart, own?: FormatSpecific): number;
  text(text: string): void;
  logprobs(tokens: readonly Json[]): void;
  cite(annotation: JsonObject): void;
  sign(signature: Signature): void;
  end(): void;
  /** The number of the part that is open; -1 where none is. */
  open(): number;
  /** Whether a call, or a refusal, was among the parts. */
  readonly said: Said;
}

/** @param sink where events go now: another one with every event of the vendor's. */
export function partWriter(sink: () => Sink<ReplyEvent>): PartWriter {
  const said = { calls: false, refusal: false };
  let next = 0;
  let open = -1;

  const end = (): void => {
    if (open >= 0) sink().enqueue({ type: 'part-end', choice: 0, index: open });
    open = -1;
  };

  return {
    said,
    end,
    open: () => open,
    start(part, own) {
      end();
      open = next;
      next += 1;
      if (part.kind === 'tool-call') said.calls = true;
      if (part.kind === 'refusal') said.refusal = true;
      sink().enqueue({
        type: 'part-start',
        choice: 0,
        index: open,
        part,
        ...(own && { formatSpecific: own }),
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
