/** What a streamed and a whole answer have in common: the fields of a message besides its content, and its tool calls. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import { prefixedId } from '../../../conversation/ids.ts';
import type { FormatSpecific } from '../../../conversation/prompt.ts';
import type { OpenPart, Reply } from '../../../conversation/reply.ts';
import type { CallIds } from '../../../conversation/rules/distinct-call-ids.ts';
import { asText, type Json, type JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import { FORMAT } from '../wire/format-name.ts';
import { createCallIds } from '../wire/ids.ts';

/**
 * Renders a message. Fields of the vendor's answer that Anthropic does not have come first, under the vendor's names.
 * @param content the message's blocks.
 * @param fields its fields that tell the end and the usage, as far as they are known.
 * @param additional fields that Anthropic does not have, and that came with the end of the answer.
 */
export function renderMessage(
  start: Reply['start'],
  asked: RequestContext,
  content: readonly Json[],
  fields: JsonObject,
  additional: JsonObject = {},
): JsonObject {
  return {
    // Anthropic's document requires them, and only Anthropic has such things.
    container: null,
    diagnostics: null,
    ...start.unknownFields,
    ...start.formatSpecific?.fields,
    ...additional,
    id: prefixedId('msg_', start.id || asked.id),
    type: 'message',
    role: 'assistant',
    // The caller's name for the model: Claude Code sends signed thoughts back only if the name is the one it asked for.
    model: asText(asked.body['model']) || start.model || asked.prompt.model,
    content,
    ...fields,
  };
}

/**
 * Makes a renderer of one answer's tool calls. Their ids are ones that Anthropic's clients accept, are unique, and are the
 * same in a streamed and in a whole answer.
 * @param stem what ids are made of, where the vendor gave none.
 */
export function createCallRenderer(
  stem: string,
): (
  call: Extract<OpenPart, { kind: 'tool-call' }>,
  formatSpecific: FormatSpecific | undefined,
  input: JsonObject,
) => JsonObject {
  let ids: CallIds | undefined;
  let count = 0;
  return ({ id, name }, formatSpecific, input) => {
    const given = id === '' ? `toolu_${stem}${count}` : id;
    count += 1;
    const fields = findFormatFields(formatSpecific, FORMAT);
    ids ??= createCallIds();
    return {
      ...fields,
      type: 'tool_use',
      id: ids.call(given),
      name,
      input,
      // Claude sends it with every call, and the SDKs' types require it: the Java SDK reads no call without it.
      caller: fields['caller'] ?? { type: 'direct' },
    };
  };
}
