/** The fields that a stream and a whole answer have in common: those around the content. */

import { findAdditionalFields, findFormatFields } from '../../../conversation/format-specific.ts';
import { prefixedId } from '../../../conversation/ids.ts';
import type { Part } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, ReplyStart } from '../../../conversation/reply.ts';
import { isList, type JsonObject, withFirst } from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import type { RequestContext } from '../../format.ts';
import { renderFinish, renderFinishFields } from '../wire/finish-reasons.ts';

/** OpenAI's words for service tiers. The tiers of other vendors are all rendered as `default`. */
const TIERS: ReadonlySet<string> = new Set(['auto', 'default', 'flex', 'scale', 'priority', 'fast']);

/**
 * The fields that every chunk of an answer has, and the whole answer too.
 * @param object the type: `chat.completion` or `chat.completion.chunk`.
 */
export function renderHead(start: ReplyStart, object: string, context: RequestContext): JsonObject {
  const { id, model, created, serviceTier, formatSpecific } = start;
  const { system_fingerprint: fingerprint } = findFormatFields(formatSpecific, 'chat-completions');
  return {
    id: prefixedId('chatcmpl-', id || context.id),
    object,
    created: created ?? context.created,
    model: model || context.prompt.model,
    ...(serviceTier !== undefined && { service_tier: TIERS.has(serviceTier) ? serviceTier : 'default' }),
    ...(fingerprint !== undefined && { system_fingerprint: fingerprint }),
  };
}

/** OpenAI's fields of an answer, of a chunk and of their choices. */
const STANDARD = wordSet(`
  id object created model choices usage service_tier system_fingerprint moderation obfuscation
  metadata index message delta logprobs finish_reason
`);

/** The vendor's further fields of the whole answer, under its own names. */
export function renderUnknownFields(start: ReplyStart): JsonObject {
  return findAdditionalFields(start, 'chat-completions', STANDARD);
}

/** What a choice contains. Its finish reason has to agree with it. */
export interface ChoiceContents {
  /** The number of calls in `tool_calls`. */
  readonly calls: number;
  /** Whether there is a call in the older `function_call`. */
  readonly functionCall: boolean;
  readonly refusal: boolean;
}

/**
 * A choice with its finish reason.
 * @param around the choice's other standard fields. The vendor's own fields do not override them.
 */
export function renderEnd(end: Choice['end'], around: JsonObject, contents: ChoiceContents): JsonObject {
  const { calls, functionCall, refusal } = contents;
  const word = renderFinish(end.finish, { calls: calls > 0 || functionCall, refusal });
  return withFirst(findAdditionalFields(end, 'chat-completions', STANDARD), {
    ...around,
    finish_reason: word === 'tool_calls' && calls === 0 ? 'function_call' : word,
    ...renderFinishFields(end),
  });
}

/** Whether the caller sent the older `functions`, and so expects a `function_call`. */
export function wantsFunctionCall({ body }: RequestContext): boolean {
  return isList(body['functions']) && body['tools'] === undefined;
}

/** A part of an answer; a call in it has the caller's name. @param names the caller's names by those of the prompt */
export function withGivenName<P extends Part | OpenPart>(part: P, names: ReadonlyMap<string, string>): P {
  return part.kind === 'tool-call' ? { ...part, name: names.get(part.name) ?? part.name } : part;
}
