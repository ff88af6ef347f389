/** The content of messages to parts. */

import type { Part } from '../../conversation/prompt.ts';
import { isList, isObject, type Json, type JsonObject } from '../../json.ts';
import { isEmpty, said, wrongType } from './body.ts';
import { type ContentPart, parsePart } from './parse-media.ts';
import { parseThinkingBlock } from './parse-thoughts.ts';

/** The content of a message: a string, a list of parts, or for leniency one part. Empty strings are no part. */
export function parseContent(content: Json, param: string, assistant = false): Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (!isList(content)) throw wrongType(param, 'one of a string or array of objects', content);
  return content.flatMap((item, at): Part[] => {
    if (typeof item === 'string') return item === '' ? [] : [{ kind: 'text', text: item }];
    if (!isObject(item)) throw wrongType(`${param}[${at}]`, 'an object', item);
    const type = item['type'];
    if (assistant && (type === 'thinking' || type === 'redacted_thinking')) return parseThinkingBlock(item);
    const part: ContentPart = parsePart(item, `${param}[${at}]`);
    const isText = part.kind === 'text' || part.kind === 'refusal';
    return isText && part.text === '' && !part.mark ? [] : [part];
  });
}

/** A message's name. */
export function named(name: Json | undefined): { readonly name?: string } {
  return typeof name === 'string' ? { name } : {};
}

/** What nobody here knows. */
export function left(rest: JsonObject): { readonly extra?: JsonObject } {
  const extra = said(rest);
  return isEmpty(extra) ? {} : { extra };
}
