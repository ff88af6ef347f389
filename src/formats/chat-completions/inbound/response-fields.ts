/** What a stream and a whole answer are written with alike: the fields around what is said. */

import { formatFields } from '../../../conversation/format-specific.ts';
import { prefixedId } from '../../../conversation/ids.ts';
import type { Choice, Reply } from '../../../conversation/reply.ts';
import { isList, type JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import { finishFields, renderFinish } from '../wire/finish-reasons.ts';

/** The fields that all chunks of an answer have alike. */
export function renderHead(start: Reply['start'], object: string, asked: RequestContext): JsonObject {
  const { id, model, created, serviceTier, formatSpecific: own } = start;
  const { system_fingerprint: fingerprint } = formatFields(own, 'chat-completions');
  return {
    id: prefixedId('chatcmpl-', id || asked.id),
    object,
    created: created ?? asked.created,
    model: model || asked.prompt.model,
    ...(serviceTier !== undefined && { service_tier: serviceTier }),
    ...(fingerprint !== undefined && { system_fingerprint: fingerprint }),
  };
}

/** What the vendor says of the whole answer beyond that, under its own names. */
export function renderUnknownFields({
  unknownFields: extra,
  formatSpecific: own,
}: Reply['start']): JsonObject {
  return { ...extra, ...own?.fields };
}

/** What a choice holds, as far as its finish has to agree with it. */
export interface ChoiceContents {
  /** Calls in `tool_calls`. */
  readonly calls: number;
  /** Whether there is one in the older `function_call`. */
  readonly oldCall: boolean;
  readonly refusal: boolean;
}

/** The fields of a choice's end, over those that stand around it. */
export function renderEnd(end: Choice['end'], around: JsonObject, held: ChoiceContents): JsonObject {
  const { calls, oldCall, refusal } = held;
  const word = renderFinish(end.finish, { calls: calls > 0 || oldCall, refusal });
  return {
    ...end.unknownFields,
    ...end.formatSpecific?.fields,
    ...around,
    finish_reason: word === 'tool_calls' && calls === 0 ? 'function_call' : word,
    ...finishFields(end),
  };
}

/** Whether the caller asked in the old way, with `functions`, and so expects a `function_call`. */
export function wantsFunctionCall({ body }: RequestContext): boolean {
  return isList(body['functions']) && body['tools'] === undefined;
}
