/** Events as the chunks of `streamGenerateContent?alt=sse`. Nothing marks the end of the stream. */

import { getChoiceEnd, type ReplyEvent } from '../../../conversation/reply.ts';
import type { GatewayError } from '../../../lib/errors.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { CandidateWriter, EMPTY_TEXT } from './candidate-writer.ts';
import { ChunkWriter } from './chunk-writer.ts';
import { renderLateError } from './render-error.ts';
import { findPromptFeedback, isBlockedPrompt } from './response-fields.ts';

/**
 * Keeps a stream open: a chunk that says nothing. A comment would not do. Google's SDKs for Python and Go take each
 * line without `data:` for an error (python-genai, `_iter_response_stream`; go-genai, `iterateResponseStream`), and
 * the one for JavaScript loses a turn of its chat with a chunk that has no candidates.
 */
export const PING = 'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\n\n';

/** @see Inbound.renderEvents */
export function renderEvents(asked: RequestContext): EventRenderer {
  return new ReplyRenderer(asked);
}

class ReplyRenderer implements EventRenderer {
  readonly #asked: RequestContext;
  readonly #chunks: ChunkWriter;
  readonly #candidates: CandidateWriter[] = [];

  constructor(asked: RequestContext) {
    this.#asked = asked;
    this.#chunks = new ChunkWriter(asked);
  }

  transform(event: ReplyEvent, out: Sink<Sse>): void {
    switch (event.type) {
      case 'part-delta':
        this.#candidateAt(event.choice).writeText(event.text, out);
        break;
      case 'part-start':
        this.#candidateAt(event.choice).openPart(event, out);
        break;
      case 'part-detail':
        this.#candidateAt(event.choice).addDetail(event);
        break;
      case 'part-end':
        this.#candidateAt(event.choice).closePart(out);
        break;
      case 'logprobs': {
        const content = { parts: [EMPTY_TEXT], role: 'model' };
        const logprobsResult = renderLogprobs(event.tokens);
        this.#chunks.write(JSON.stringify({ content, logprobsResult, index: event.choice }), out);
        break;
      }
      case 'usage':
        this.#chunks.addUsage(event.usage);
        break;
      case 'reply-start':
        this.#chunks.begin(event);
        break;
      case 'choice-end':
        this.#candidateAt(event.choice).setEnd(getChoiceEnd(event));
        break;
      case 'reply-end':
        this.#chunks.update(event);
        this.#finish(out);
        break;
    }
  }

  fail(error: GatewayError, out: Sink<Sse>): void {
    this.ping(out);
    out.enqueue(renderLateError(error));
  }

  ping(out: Sink<Sse>): void {
    for (const candidate of this.#candidates) candidate.release(out);
  }

  #candidateAt(index: number): CandidateWriter {
    let candidate = this.#candidates[index];
    while (candidate === undefined) {
      this.#candidates.push(new CandidateWriter(this.#candidates.length, this.#chunks, this.#asked));
      candidate = this.#candidates[index];
    }
    return candidate;
  }

  #finish(out: Sink<Sse>): void {
    const promptFeedback = findPromptFeedback(this.#candidates[0]?.end());
    if (promptFeedback && isBlockedPrompt(promptFeedback) && !this.#chunks.hasWritten()) {
      this.#chunks.writeBlocked(promptFeedback, out);
      return;
    }
    if (promptFeedback) this.#chunks.setFeedback(promptFeedback);
    for (const candidate of this.#candidates) candidate.writeEnd(out);
  }
}
