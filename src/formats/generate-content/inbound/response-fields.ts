/** What a stream and a whole answer are written with alike: parts, and the fields around them. */

import { formatFields } from '../../../conversation/format-specific.ts';
import type { Citation, Part } from '../../../conversation/prompt.ts';
import type { Choice, ReplyStart, TokenLogprob, Usage } from '../../../conversation/reply.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asObject, withoutFields } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import { renderCitations } from '../wire/citations.ts';
import { renderFinish } from '../wire/finish-reasons.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { renderProof } from '../wire/thought-signature.ts';
import { renderUsage } from '../wire/usage.ts';
import { FORMAT } from '../wire/wire.ts';

/** What JavaScript's dates reach, in seconds (ECMAScript, "Time Values and Time Range"). */
const LAST_SECOND = 8.64e12;

/** Whether thoughts are shown: only who asks for them looks which text is one. Their signatures always are there. */
export function showsThoughts({ prompt }: RequestContext): boolean {
  return prompt.thinking?.visible === true;
}

/** A whole part of an answer; undefined where there is nothing of it to be shown. */
export function renderPart(part: Part, asked: RequestContext): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      if (part.text === '' && !part.signature) return undefined;
      return { text: part.text, ...renderProof(part) };
    case 'thinking': {
      const text = showsThoughts(asked) ? part.text : '';
      if (text === '' && !part.signature && !part.redacted) return undefined;
      return { text, thought: true, ...renderProof(part) };
    }
    case 'tool-call': {
      const { id, name, arguments: text } = asFunctionCall(part);
      const call = { ...(id !== '' && { id }), name, args: argumentsObject(text) };
      return { functionCall: call, ...renderProof(part) };
    }
    case 'opaque':
      return part.format === FORMAT ? part.value : undefined;
    case 'media':
    case 'tool-result':
      return undefined;
  }
}

/** Fields of the whole answer that no other format has, and those nobody knows: told once. */
export function renderExtras(start: Omit<ReplyStart, 'type'>): JsonObject {
  const { created } = start;
  const fields = {
    ...(created !== undefined &&
      Math.abs(created) <= LAST_SECOND && { createTime: new Date(created * 1000).toISOString() }),
    ...start.unknownFields,
    ...start.formatSpecific?.fields,
  };
  return withoutFields(fields, STANDARD);
}

const STANDARD: readonly string[] = [
  'candidates',
  'promptFeedback',
  'usageMetadata',
  'modelVersion',
  'responseId',
];

/** The fields that every chunk of an answer has beside its candidates. */
export function renderHead(start: Omit<ReplyStart, 'type'>, usage: Usage, asked: RequestContext): JsonObject {
  const usageMetadata = renderUsage(usage, start.serviceTier);
  return {
    ...(usageMetadata && { usageMetadata }),
    modelVersion: start.model || asked.prompt.model,
    responseId: start.id || asked.id,
  };
}

/** What is known of a candidate only when it has ended. */
interface Ending {
  readonly end: Choice['end'];
  /** All its visible text, and what that was taken from: offsets are into all of it. */
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly logprobs: readonly TokenLogprob[];
  /** Blocks that only another vendor's format can show. */
  readonly foreign: readonly JsonObject[];
}

/** A candidate, or the last piece of one. */
export function renderCandidate(index: number, parts: readonly JsonObject[], ending: Ending): JsonObject {
  const { end, text, citations, logprobs, foreign } = ending;
  const { promptFeedback: _, ...own } = end.formatSpecific?.fields ?? {};
  const groundingMetadata =
    end.formatSpecific?.format === FORMAT ? undefined : renderCitations(text, citations);
  return {
    ...end.unknownFields,
    ...(foreign.length > 0 && { vendorBlocks: foreign }),
    ...(groundingMetadata && { groundingMetadata }),
    ...own,
    ...(logprobs.length > 0 && { logprobsResult: renderLogprobs(logprobs) }),
    content: { ...(parts.length > 0 && { parts }), role: 'model' },
    finishReason: renderFinish(end),
    ...(end.explanation !== undefined && { finishMessage: end.explanation }),
    index,
  };
}

/** What Gemini had to say of the prompt; with a `blockReason` in it and no answer, it stands in place of candidates. */
export function promptFeedbackOf(end: Choice['end'] | undefined): JsonObject | undefined {
  return asObject(formatFields(end?.formatSpecific, FORMAT)['promptFeedback']);
}

/** Whether an answer that has said nothing yet was refused before it began. */
export function isBlockedPrompt(feedback: JsonObject | undefined): boolean {
  return feedback?.['blockReason'] !== undefined;
}
