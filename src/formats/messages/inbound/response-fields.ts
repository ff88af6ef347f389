/** What a stream and a whole answer are written with alike: what a message says beside its content, and its calls. */

import { formatFields } from '../../../conversation/format-specific.ts';
import { prefixedId } from '../../../conversation/ids.ts';
import type { FormatSpecific } from '../../../conversation/prompt.ts';
import type { OpenPart, Reply } from '../../../conversation/reply.ts';
import { asText, type Json, type JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import { callIds } from '../wire/tool-names.ts';
import { FORMAT } from '../wire/wire.ts';

/**
 * A message as far as `fields` tell it. What the vendor's answer has beyond Anthropic's fields stands before them,
 * under its own names.
 * @param additional fields beyond Anthropic's that came with the end of the answer.
 */
export function renderMessage(
  start: Reply['start'],
  asked: RequestContext,
  content: readonly Json[],
  fields: JsonObject,
  additional: JsonObject = {},
): JsonObject {
  return {
    ...start.unknownFields,
    ...start.formatSpecific?.fields,
    ...additional,
    id: prefixedId('msg_', start.id || asked.id),
    type: 'message',
    role: 'assistant',
    // As the caller calls it: Claude Code sends the signed thoughts of no other model than it has asked for back.
    model: asText(asked.body['model']) || start.model || asked.prompt.model,
    content,
    ...fields,
  };
}

/** Tool calls with ids that Anthropic's clients take, no two alike, and the same streamed or whole. */
export function callBlocks(
  stem: string,
): (
  call: Extract<OpenPart, { kind: 'tool-call' }>,
  own: FormatSpecific | undefined,
  input: JsonObject,
) => JsonObject {
  const ids = callIds();
  let count = 0;
  return ({ id, name }, own, input) => {
    const given = id === '' ? `toolu_${stem}${count}` : id;
    count += 1;
    const fields = formatFields(own, FORMAT);
    return {
      ...fields,
      type: 'tool_use',
      id: ids.call(given),
      name,
      input,
      // Claude says it of every call, and the SDKs' types have it always there: Java's reads no call without.
      caller: fields['caller'] ?? { type: 'direct' },
    };
  };
}
