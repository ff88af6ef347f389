/** What a streamed and a whole answer have in common: the fields of a message besides its content, and its tool calls. */

import { findAdditionalFields, findFormatFields } from '../../../conversation/format-specific.ts';
import { prefixedId } from '../../../conversation/ids.ts';
import type { FormatSpecific } from '../../../conversation/prompt.ts';
import type { OpenPart, ReplyStart } from '../../../conversation/reply.ts';
import { asText, type Json, type JsonObject } from '../../../lib/json.ts';
import type { RequestContext } from '../../format.ts';
import { createCallIds } from '../wire/ids.ts';
import { MESSAGE_FIELDS } from '../wire/message-fields.ts';

/**
 * Renders a message. Fields of the vendor's answer that Anthropic does not have come first, under the vendor's names.
 * @param content the message's blocks.
 * @param fields its fields that tell the end and the usage, as far as they are known.
 * @param additional fields that Anthropic does not have, and that came with the end of the answer.
 */
export function renderMessage(
  start: ReplyStart,
  asked: RequestContext,
  content: readonly Json[],
  fields: JsonObject,
  additional: JsonObject = {},
): JsonObject {
  return {
    // Anthropic's document requires them, and only Anthropic has such things.
    container: null,
    diagnostics: null,
    ...findAdditionalFields(start, 'messages', MESSAGE_FIELDS),
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
 * Renders the tool calls of one answer. Their ids are ones that Anthropic's clients accept, are unique, and are the same in
 * a streamed and in a whole answer.
 */
export class CallRenderer {
  readonly #stem: string;
  readonly #ids = createCallIds();
  #count = 0;

  /** @param stem what ids are made of, where the vendor gave none. */
  constructor(stem: string) {
    this.#stem = stem;
  }

  render(
    { id, name }: Extract<OpenPart, { kind: 'tool-call' }>,
    formatSpecific: FormatSpecific | undefined,
    input: JsonObject,
  ): JsonObject {
    const given = id === '' ? `toolu_${this.#stem}${this.#count}` : id;
    this.#count += 1;
    const fields = findFormatFields(formatSpecific, 'messages');
    return {
      ...fields,
      type: 'tool_use',
      id: this.#ids.call(given),
      name,
      input,
      // Claude sends it with every call, and the SDKs' types require it: the Java SDK reads no call without it.
      caller: fields['caller'] ?? { type: 'direct' },
    };
  }
}
