/** Why a response ended: its `status` and `incomplete_details`, and the neutral finish. */

import { formatFields } from '../../../conversation/format-specific.ts';
import type { Choice, Finish } from '../../../conversation/reply.ts';
import { asObject, asText, compact, type JsonObject } from '../../../lib/json.ts';

/** What was said, as far as the end hangs on it. */
export interface Said {
  readonly calls: boolean;
  readonly refusal: boolean;
}

const REASONS: Readonly<Record<string, Finish>> = {
  max_output_tokens: 'length',
  content_filter: 'content-filter',
};

/** The finish of a response that has ended well. There is no word for calls or for a refusal: what was said tells. */
export function parseFinish(response: JsonObject, said: Said): Pick<Choice['end'], 'finish' | 'native'> {
  if (response['status'] === 'incomplete') {
    const reason = asText(asObject(response['incomplete_details'])?.['reason']) ?? 'incomplete';
    const finish = Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
    return finish === undefined ? { finish: 'other', native: reason } : { finish };
  }
  if (said.calls) return { finish: 'tool-calls' };
  return { finish: said.refusal ? 'refusal' : 'stop' };
}

export interface Ending {
  readonly status: 'completed' | 'incomplete';
  readonly details: JsonObject | null;
}

/** The end as OpenAI says it. @param refusal whether a refusal was said in words, which is a complete answer. */
export function renderFinish(end: Choice['end'], refusal: boolean): Ending {
  switch (end.finish) {
    case 'length':
    case 'context-length':
      return incomplete({ reason: 'max_output_tokens' });
    case 'content-filter':
    case 'malformed-call':
      return incomplete({ reason: 'content_filter' });
    case 'refusal':
      return refusal ? COMPLETED : incomplete({ reason: 'content_filter' });
    case 'other': {
      // A reason of OpenAI's own that nobody here knows yet.
      const details = asObject(formatFields(end.formatSpecific, 'responses')['incomplete_details']);
      return details ? incomplete(details) : COMPLETED;
    }
    case 'stop':
    case 'stop-sequence':
    case 'tool-calls':
    case 'pause':
      return COMPLETED;
  }
}

/** What an end says beyond status and reason, as additional fields of the response. */
export function finishFields(end: Choice['end']): JsonObject {
  return compact({
    native_finish_reason: end.native,
    stop_sequence: end.stopSequence,
    finish_explanation: end.explanation,
  });
}

const COMPLETED: Ending = { status: 'completed', details: null };

function incomplete(details: JsonObject): Ending {
  return { status: 'incomplete', details };
}
