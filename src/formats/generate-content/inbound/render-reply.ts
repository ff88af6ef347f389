/** A whole answer as a GenerateContentResponse. */

import type { Citation } from '../../../conversation/prompt.ts';
import type { Choice, Reply } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import { shiftCitation } from '../wire/citations.ts';
import { FORMAT } from '../wire/format-name.ts';
import {
  findPromptFeedback,
  isBlockedPrompt,
  renderCandidate,
  renderExtras,
  renderHead,
  renderPart,
} from './response-fields.ts';

/** @see Inbound.renderReply */
export function renderReply(reply: Reply, asked: RequestContext): JsonObject {
  const { start, choices, usage } = reply;
  const promptFeedback = findPromptFeedback(choices[0]?.end);
  const isBlocked = isBlockedPrompt(promptFeedback) && choices.every((choice) => choice.parts.length === 0);
  return {
    ...renderExtras(start),
    ...(!isBlocked && { candidates: choices.map((choice, index) => renderChoice(choice, index, asked)) }),
    ...(promptFeedback && { promptFeedback }),
    ...renderHead(start, usage, asked),
  };
}

function renderChoice(
  { parts, end, logprobs = [] }: Choice,
  index: number,
  asked: RequestContext,
): JsonObject {
  let text = '';
  const citations: Citation[] = [];
  const foreign: JsonObject[] = [];
  for (const part of parts) {
    if (part.kind === 'text') {
      const before = text.length;
      for (const citation of part.citations ?? []) citations.push(shiftCitation(citation, before));
    }
    if (part.kind === 'text' || part.kind === 'refusal') text += part.text;
    if (part.kind === 'opaque' && part.format !== FORMAT) foreign.push(part.value);
  }
  const rendered = parts.map((part) => renderPart(part, asked)).filter((part) => part !== undefined);
  return renderCandidate(index, rendered, { end, text, citations, logprobs, foreign });
}
