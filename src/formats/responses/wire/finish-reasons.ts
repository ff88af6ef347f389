/** Why a response ended: its `status` and `incomplete_details`, to and from the neutral finish. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { Choice, Finish } from '../../../conversation/reply.ts';
import { asObject, asText, compact, type JsonObject } from '../../../lib/json.ts';

/** What an answer contains, as far as its finish depends on it. */
export interface AnswerContents {
  readonly calls: boolean;
  readonly refusal: boolean;
}

const REASONS: Readonly<Record<string, Finish>> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
};

/** Whether a response says that it has ended: by its status, or by the reason why it is incomplete. */
export function namesEnd(response: JsonObject): boolean {
  return asText(response['status']) !== undefined || findReason(response) !== undefined;
}

/**
 * The type of an event. The Realtime API names an event that ends any response `response.done`; agents take it for the
 * end in this format too, as Codex and its relatives do. Its type is then that of its response's status.
 */
export function eventType(type: string, event: JsonObject): string {
  const response = type === 'response.done' ? asObject(event['response']) : undefined;
  return response === undefined ? type : `response.${asText(response['status']) ?? 'completed'}`;
}

/** Why the response is incomplete; undefined if it does not say. */
function findReason(response: JsonObject): string | undefined {
  return asText(asObject(response['incomplete_details'])?.['reason']);
}

/**
 * Parses the finish of a response that ended without an error. This format has no word for an end by calls or by a
 * refusal: only the content of the answer shows it.
 */
export function parseFinish(
  response: JsonObject,
  contents: AnswerContents,
): Pick<Choice['end'], 'finish' | 'native'> {
  const given = findReason(response);
  const status = asText(response['status']) ?? (given === undefined ? undefined : 'incomplete');
  if (status === 'incomplete') {
    const reason = given ?? 'incomplete';
    const finish = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
    return finish === undefined ? { finish: 'other', native: reason } : { finish };
  }
  if (contents.calls) return { finish: 'tool-calls' };
  return { finish: contents.refusal ? 'refusal' : 'stop' };
}

/**
 * Renders `incomplete_details`: null for a complete answer.
 * @param refusal whether the answer has a refusal in words, which makes it a complete answer.
 */
export function renderIncompleteDetails(end: Choice['end'], refusal: boolean): JsonObject | null {
  switch (end.finish) {
    case 'length':
    case 'context-length':
      return { reason: 'max_output_tokens' };
    case 'content-filter':
    case 'malformed-call':
      return { reason: 'content_filter' };
    case 'refusal':
      return refusal ? null : { reason: 'content_filter' };
    case 'other':
      // A reason of OpenAI's that the gateway does not know yet is kept as OpenAI wrote it.
      return asObject(findFormatFields(end.formatSpecific, 'responses')['incomplete_details']) ?? null;
    case 'stop':
    case 'stop-sequence':
    case 'tool-calls':
    case 'pause':
      return null;
  }
}

/** Renders the `status` of an answer that has ended. @see renderIncompleteDetails */
export function renderStatus(end: Choice['end'], refusal: boolean): 'completed' | 'incomplete' {
  return renderIncompleteDetails(end, refusal) === null ? 'completed' : 'incomplete';
}

/** What an end says beyond status and reason, as additional fields of the response. */
export function renderFinishFields(end: Choice['end']): JsonObject {
  return compact({
    native_finish_reason: end.native,
    stop_sequence: end.stopSequence,
    finish_explanation: end.explanation,
  });
}
