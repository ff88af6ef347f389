/** Events as the chunks of `streamGenerateContent?alt=sse`. Nothing marks the end of the stream. */

import { getChoiceEnd, mergeStart } from '../../../conversation/reply.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { type CandidateWriter, candidateWriter, EMPTY_TEXT } from './candidate-writer.ts';
import { chunkWriter } from './chunk-writer.ts';
import { renderLateError } from './render-error.ts';
import { renderLogprobs } from './render-logprobs.ts';
import { findPromptFeedback, isBlockedPrompt } from './response-fields.ts';

/**
 * Keeps a stream open: a chunk that says nothing. A comment would not do. Google's SDKs for Python and Go take each
 * line without `data:` for an error (python-genai, `_iter_response_stream`; go-genai, `iterateResponseStream`), and
 * the one for JavaScript loses a turn of its chat with a chunk that has no candidates.
 */
export const PING = 'data: {"candidates":[{"content":{"parts":[{"text":""}],"role":"model"},"index":0}]}\n\n';

/** @see Inbound.renderEvents */
export function renderEvents(asked: RequestContext): EventRenderer {
  const chunks = chunkWriter(asked);
  const candidates: CandidateWriter[] = [];

  const candidateAt = (index: number): CandidateWriter => {
    let candidate = candidates[index];
    while (candidate === undefined) {
      candidates.push(candidateWriter(candidates.length, chunks, asked));
      candidate = candidates[index];
    }
    return candidate;
  };

  const finish = (out: Sink<Sse>): void => {
    const promptFeedback = findPromptFeedback(candidates[0]?.end());
    if (promptFeedback && isBlockedPrompt(promptFeedback) && !chunks.hasWritten()) {
      chunks.writeBlocked(promptFeedback, out);
      return;
    }
    if (promptFeedback) chunks.setFeedback(promptFeedback);
    for (const candidate of candidates) candidate.writeEnd(out);
  };

  return {
    transform(event, out) {
      switch (event.type) {
        case 'part-delta':
          candidateAt(event.choice).writeText(event.text, out);
          break;
        case 'part-start':
          candidateAt(event.choice).openPart(event, out);
          break;
        case 'part-detail':
          candidateAt(event.choice).addDetail(event);
          break;
        case 'part-end':
          candidateAt(event.choice).closePart(out);
          break;
        case 'logprobs': {
          const content = { parts: [EMPTY_TEXT], role: 'model' };
          const logprobsResult = renderLogprobs(event.tokens);
          chunks.write(JSON.stringify({ content, logprobsResult, index: event.choice }), out);
          break;
        }
        case 'usage':
          chunks.addUsage(event.usage);
          break;
        case 'reply-start': {
          const { type: _, ...start } = event;
          chunks.begin(start);
          break;
        }
        case 'choice-end':
          candidateAt(event.choice).setEnd(getChoiceEnd(event));
          break;
        case 'reply-end':
          chunks.update((start) => mergeStart(event, start));
          finish(out);
          break;
      }
    },
    fail(error, out) {
      for (const candidate of candidates) candidate.release(out);
      out.enqueue(renderLateError(error));
    },
    ping(out) {
      for (const candidate of candidates) candidate.release(out);
    },
  };
}
