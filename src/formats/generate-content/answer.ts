/** What a stream and a whole answer are written with alike: parts, and the fields around them. */

import { argumentsObject } from '../../conversation/arguments.ts';
import { asFunctionCall } from '../../conversation/custom-tools.ts';
import type { Citation, Part, Signature } from '../../conversation/prompt.ts';
import type { ChoiceEnd, ReplyStart, TokenLogprob, Usage } from '../../conversation/reply.ts';
import { seal } from '../../conversation/signature.ts';
import type { JsonObject } from '../../json.ts';
import { asObject } from '../../json.ts';
import type { Asked } from '../format.ts';
import { isGeminiId } from './call-ids.ts';
import { renderCitations } from './citations.ts';
import { renderFinish } from './finish.ts';
import { renderLogprobs } from './logprobs.ts';
import { REDACTED } from './parse-parts.ts';
import { renderUsage } from './usage.ts';
import { FORMAT } from './wire.ts';

/** A whole part of an answer; undefined where there is nothing of it to be shown. */
export function renderPart(part: Part): JsonObject | undefined {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      if (part.text === '' && !part.signature) return undefined;
      return { text: part.text, ...sealed(part.signature) };
    case 'thinking': {
      const { redacted } = part;
      const data = redacted && { ...redacted, value: `${REDACTED}${redacted.value}` };
      if (part.text === '' && !part.signature && !data) return undefined;
      return { text: part.text, thought: true, ...sealed(data ?? part.signature) };
    }
    case 'tool-call': {
      const { id, name, arguments: text } = asFunctionCall(part);
      return { functionCall: { id, name, args: argumentsObject(text) }, ...sealed(part.signature) };
    }
    case 'opaque':
      return part.format === FORMAT ? part.value : undefined;
    case 'media':
    case 'tool-result':
      return undefined;
  }
}

export function sealed(signature: Signature | undefined): { thoughtSignature?: string } {
  return signature === undefined ? {} : { thoughtSignature: seal(signature, 'google') };
}

/** A call's id as Gemini would give it: where it gave none, we give none either. */
export function withoutMadeUpId(part: JsonObject): JsonObject {
  const call = asObject(part['functionCall']);
  if (call === undefined) return part;
  const { id, ...rest } = call;
  return typeof id === 'string' && isGeminiId(id) ? part : { ...part, functionCall: rest };
}

/** The fields around the candidates. */
export function renderHead(start: Omit<ReplyStart, 'type'>, usage: Usage, asked: Asked): JsonObject {
  const usageMetadata = renderUsage(usage);
  return {
    ...(usageMetadata && { usageMetadata }),
    modelVersion: start.model || asked.prompt.model,
    responseId: start.id || asked.id,
    ...start.extra,
    ...start.own?.fields,
  };
}

/** What is known of a candidate only when it has ended. */
export interface Ending {
  readonly end: Omit<ChoiceEnd, 'type' | 'choice'>;
  /** Its last text, and what that was taken from. */
  readonly text: string;
  readonly citations: readonly Citation[];
  readonly logprobs: readonly TokenLogprob[];
  /** Blocks that only another vendor's format can show. */
  readonly foreign: readonly JsonObject[];
}

/** A candidate, or the last piece of one. */
export function renderCandidate(
  index: number,
  parts: readonly JsonObject[],
  ending: Ending,
): JsonObject {
  const { end, text, citations, logprobs, foreign } = ending;
  const { promptFeedback: _, ...own } = end.own?.fields ?? {};
  const groundingMetadata = end.own?.format === FORMAT ? undefined : renderCitations(text, citations);
  return {
    ...end.extra,
    ...(foreign.length > 0 && { vendorBlocks: foreign }),
    ...(groundingMetadata && { groundingMetadata }),
    ...own,
    ...(logprobs.length > 0 && { logprobsResult: renderLogprobs(logprobs) }),
    content: { parts, role: 'model' },
    finishReason: renderFinish(end),
    ...(end.explanation !== undefined && { finishMessage: end.explanation }),
    index,
  };
}

/** Gemini's word on a prompt it would not answer, which then stands in place of any candidate. */
export function blockedPrompt(end: Omit<ChoiceEnd, 'type' | 'choice'>): JsonObject | undefined {
  const feedback = end.own?.format === FORMAT ? asObject(end.own.fields['promptFeedback']) : undefined;
  return feedback?.['blockReason'] === undefined ? undefined : feedback;
}
