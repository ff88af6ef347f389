/** A whole answer as a GenerateContentResponse. */

import type { Citation, ThinkingPart } from '../../../conversation/prompt.ts';
import type { Choice, Reply, ReplyPart } from '../../../conversation/reply.ts';
import { findSearches } from '../../../conversation/searches.ts';
import { type JsonObject, withFirst } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import { placeCitation } from '../wire/citations.ts';
import { type Proof, renderProof } from '../wire/thought-signature.ts';
import {
  findPromptFeedback,
  isBlockedPrompt,
  renderBlock,
  renderCandidate,
  renderExtras,
  renderHead,
  renderPart,
  showsThoughts,
} from './response-fields.ts';
import { carriesHidden, ThoughtCarrier } from './thought-carrier.ts';

/** @see Inbound.renderReply */
export function renderReply(reply: Reply, asked: RequestContext): JsonObject {
  const { start, choices, usage } = reply;
  const promptFeedback = findPromptFeedback(choices[0]?.end);
  const isBlocked = isBlockedPrompt(promptFeedback) && choices.every((choice) => choice.parts.length === 0);
  return withFirst(renderExtras(start), {
    ...(!isBlocked && { candidates: choices.map((choice, index) => renderChoice(choice, index, asked)) }),
    ...(promptFeedback && { promptFeedback }),
    ...renderHead(start, usage, asked),
  });
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
      for (const citation of part.citations ?? [])
        citations.push(placeCitation(citation, text.length, part.text.length));
    }
    if (part.kind === 'text' || part.kind === 'refusal') text += part.text;
    if (part.kind === 'opaque' && renderBlock(part) === undefined) foreign.push(part.value);
  }
  return renderCandidate(index, renderParts(parts, asked), {
    end,
    text,
    citations,
    searches: findSearches(parts, end),
    logprobs,
    foreign,
  });
}

/**
 * The parts of a candidate. The part after a thought carries its signature, as in a stream: LangChain4j keeps none that stands
 * on the thought itself. Google's own signature stays where it came.
 */
function renderParts(parts: readonly ReplyPart[], asked: RequestContext): readonly JsonObject[] {
  const carrier = new ThoughtCarrier();
  const rendered: JsonObject[] = [];
  for (const part of parts) {
    const written =
      part.kind === 'thinking'
        ? renderThought(part, carrier, asked)
        : renderPart(part, carriesThoughts(part) ? carrier.take() : []);
    if (written) rendered.push(written);
  }
  if (carrier.hasAny()) rendered.push({ text: '', ...renderProof({}, carrier.take()) });
  return rendered;
}

/** A thought as a part; undefined if the caller gets nothing of it. What it does not show waits in `carrier`. */
function renderThought(
  part: ThinkingPart,
  carrier: ThoughtCarrier,
  asked: RequestContext,
): JsonObject | undefined {
  const text = showsThoughts(asked) ? part.text : '';
  if (part.signature?.origin === 'google')
    return { text, thought: true, ...renderProof(part, carrier.take()) };
  const shown = text === '' ? undefined : { text, thought: true, ...renderProof({}, carrier.take()) };
  const hidden = carriesHidden(asked) ? part.text : '';
  carrier.add({ ...getProof(part), ...(!part.redacted && text === '' && { text: hidden }) });
  return shown;
}

function carriesThoughts(part: ReplyPart): boolean {
  return part.kind === 'tool-call' || ('text' in part && part.text !== '');
}

function getProof({ signature, redacted }: ThinkingPart): Proof {
  return { ...(signature && { signature }), ...(redacted && { redacted }) };
}
