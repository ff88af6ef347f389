/** The content of messages to parts. */

import type { Part } from '../../../conversation/prompt.ts';
import { isList, isObject, type Json } from '../../../lib/json.ts';
import { wrongType, wrongValue } from '../../openai/fields.ts';
import { parseThinkingBlock } from '../wire/thinking-blocks.ts';
import { parsePart } from './parse-parts.ts';

const KINDS = ['text', 'image_url', 'input_audio', 'file'];

/**
 * The content of a message: a string or a list of parts. Empty strings are no part.
 * @throws GatewayError in OpenAI's words where it is none; for a part of an unknown kind too, unless the assistant said
 *   it: an image that is written in another format's way is not to be answered as if it had not been there.
 */
export function parseContent(content: Json, param: string, assistant = false): Part[] {
  const items = typeof content === 'string' ? [content] : content;
  if (!isList(items)) throw wrongType(param, 'one of a string or array of objects', items);
  return items.flatMap((item, at): Part[] => {
    if (typeof item === 'string') return item === '' ? [] : [{ kind: 'text', text: item }];
    if (!isObject(item)) throw wrongType(`${param}[${at}]`, 'an object', item);
    const type = item['type'];
    if (assistant && (type === 'thinking' || type === 'redacted_thinking')) return parseThinkingBlock(item);
    const part = parsePart(item, `${param}[${at}]`);
    if (part.kind === 'opaque' && !assistant) {
      throw wrongValue(`${param}[${at}].type`, part.value['type'], KINDS);
    }
    const isText = part.kind === 'text' || part.kind === 'refusal';
    return isText && part.text === '' && !part.cacheBreakpoint ? [] : [part];
  });
}
