/** The content of a message as parts. */

import type { Part } from '../../../conversation/prompt.ts';
import { isList, isObject, type Json } from '../../../lib/json.ts';
import { joinLists } from '../../../lib/lists.ts';
import { itemPlace, type Place } from '../../../lib/place.ts';
import { wrongType, wrongValue } from '../../openai/fields.ts';
import { parseThinkingBlock } from '../wire/thinking-blocks.ts';
import { parsePart } from './parse-parts.ts';

const KINDS = ['text', 'image_url', 'input_audio', 'file'];

/**
 * The content of a message: a string or a list of parts. An empty string gives no part.
 * @param assistant whether the message is the assistant's. Only there may parts be thoughts or of an unknown type.
 * @throws GatewayError `invalid-request`, in OpenAI's words, for other content. In a user's message an unknown type is
 *   refused: otherwise an image in another format's spelling would silently be missing from the question.
 */
export function parseContent(content: Json, param: Place, assistant = false): readonly Part[] {
  if (typeof content === 'string') return parseText(content);
  if (!isList(content)) throw wrongType(param, 'one of a string or array of objects', content);
  return joinLists(content.map((item, at) => parseItem(item, itemPlace(param, at), assistant)));
}

function parseText(text: string): readonly Part[] {
  return text === '' ? [] : [{ kind: 'text', text }];
}

function parseItem(item: Json, param: Place, assistant: boolean): readonly Part[] {
  if (typeof item === 'string') return parseText(item);
  if (!isObject(item)) throw wrongType(param, 'an object', item);
  const type = item['type'];
  if (assistant && (type === 'thinking' || type === 'redacted_thinking')) return parseThinkingBlock(item);
  const part = parsePart(item, param);
  if (part.kind === 'opaque' && !assistant) throw wrongValue(`${param}.type`, part.value['type'], KINDS);
  const isText = part.kind === 'text' || part.kind === 'refusal';
  return isText && part.text === '' && !part.cacheBreakpoint ? [] : [part];
}
