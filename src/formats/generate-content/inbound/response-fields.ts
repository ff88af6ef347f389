/** What a stream and a whole answer share: parts, and the fields around them. */

import { findAdditionalFields, findFormatFields } from '../../../conversation/format-specific.ts';
import { sniffMediaType } from '../../../conversation/media-types.ts';
import type { Citation, OpaquePart, ThinkingPart } from '../../../conversation/prompt.ts';
import type { Choice, ReplyPart, ReplyStart, TokenLogprob, Usage } from '../../../conversation/reply.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import { asObject, type JsonObject } from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import type { RequestContext } from '../../format.ts';
import { renderFinish } from '../wire/finish-reasons.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { type CarriedThought, renderProof } from '../wire/thought-signature.ts';
import { renderUsage } from '../wire/usage.ts';
import { renderGrounding } from './render-citations.ts';

/** The last second of JavaScript's dates (ECMAScript, "Time Values and Time Range"). */
const LAST_SECOND = 8.64e12;

/**
 * Whether thoughts are shown. Only a caller who asks for them tells them from the answer. Their signatures are always
 * sent.
 */
export function showsThoughts({ prompt }: RequestContext): boolean {
  return prompt.thinking?.visible === true;
}

/**
 * A whole part of an answer; undefined if the caller gets nothing of it.
 * @param thoughts thoughts before the part, which its signature carries.
 */
export function renderPart(
  part: Exclude<ReplyPart, ThinkingPart>,
  thoughts: readonly CarriedThought[] = [],
): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      if (part.text === '' && !part.signature) return undefined;
      return { text: part.text, ...renderProof(part, thoughts) };
    case 'tool-call': {
      const { id, name, arguments: text } = asFunctionCall(part);
      // A call that was cut off before its arguments has none. Gemini makes `{}` of a call that needs none.
      const args = text === '' ? {} : { args: argumentsObject(text) };
      const call = { ...(id !== '' && { id }), name, ...args };
      return { functionCall: call, ...renderProof(part, thoughts) };
    }
    case 'opaque':
      return renderBlock(part);
  }
}

/** A block of Gemini's own, or the image that another vendor's model drew; undefined for any other block. */
export function renderBlock({
  format,
  value,
  image,
}: Pick<OpaquePart, 'format' | 'value' | 'image'>): JsonObject | undefined {
  if (format === 'generate-content') return value;
  if (image === undefined) return undefined;
  const { source, mediaType } = image;
  const mimeType = mediaType ?? (source.kind === 'base64' ? sniffMediaType(source.data) : undefined);
  const type = mimeType === undefined ? {} : { mimeType };
  const proof = renderProof(image);
  if (source.kind === 'base64') return { inlineData: { ...type, data: source.data }, ...proof };
  return source.kind === 'url' ? { fileData: { ...type, fileUri: source.url }, ...proof } : undefined;
}

/** Fields of the whole answer that only Google has, and unknown ones. A stream has them once, in its first chunk. */
export function renderExtras(start: ReplyStart): JsonObject {
  const { created } = start;
  return {
    ...(created !== undefined &&
      Math.abs(created) <= LAST_SECOND && { createTime: new Date(created * 1000).toISOString() }),
    ...findAdditionalFields(start, 'generate-content', STANDARD),
  };
}

/** Google's fields of an answer and of its candidates, and those that its SDKs add. */
const STANDARD = wordSet(`
  candidates promptFeedback usageMetadata modelVersion responseId createTime modelStatus
  automaticFunctionCallingHistory sdkHttpResponse parsed
  content finishReason finishMessage index safetyRatings citationMetadata groundingMetadata groundingAttributions
  urlContextMetadata avgLogprobs logprobsResult tokenCount continuationToken
`);

/** The fields that every chunk of an answer has besides its candidates. */
export function renderHead(start: ReplyStart, usage: Usage, asked: RequestContext): JsonObject {
  const usageMetadata = renderUsage(usage, start.serviceTier);
  return {
    ...(usageMetadata && { usageMetadata }),
    modelVersion: start.model || asked.prompt.model,
    responseId: start.id || asked.id,
  };
}

interface Ending {
  readonly end: Choice['end'];
  /** All its visible text. The offsets of the citations count from its start. */
  readonly text: string;
  readonly citations: readonly Citation[];
  /** What was searched for in the web. */
  readonly searches: readonly string[];
  readonly logprobs: readonly TokenLogprob[];
  /** Blocks that only another vendor's format has a place for. */
  readonly foreign: readonly JsonObject[];
}

/** A whole candidate, or the last piece of one. */
export function renderCandidate(index: number, parts: readonly JsonObject[], ending: Ending): JsonObject {
  const { end, text, citations, searches, logprobs, foreign } = ending;
  const { promptFeedback: _, ...additional } = findAdditionalFields(end, 'generate-content', STANDARD);
  const groundingMetadata =
    end.formatSpecific?.format === 'generate-content'
      ? undefined
      : renderGrounding(text, citations, searches);
  return {
    ...additional,
    ...(foreign.length > 0 && { vendorBlocks: foreign }),
    ...(groundingMetadata && { groundingMetadata }),
    ...(logprobs.length > 0 && { logprobsResult: renderLogprobs(logprobs) }),
    content: { ...(parts.length > 0 && { parts }), role: 'model' },
    finishReason: renderFinish(end),
    ...(end.explanation !== undefined && { finishMessage: end.explanation }),
    index,
  };
}

/**
 * Gemini's `promptFeedback`; undefined if there was none. With a `blockReason` and without an answer, it stands in
 * place of the candidates.
 */
export function findPromptFeedback(end: Choice['end'] | undefined): JsonObject | undefined {
  return asObject(findFormatFields(end?.formatSpecific, 'generate-content')['promptFeedback']);
}

/** Whether the prompt was blocked, so that an answer without content has no candidates. */
export function isBlockedPrompt(feedback: JsonObject | undefined): boolean {
  return feedback?.['blockReason'] !== undefined;
}
