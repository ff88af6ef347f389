/**
 * The thoughts of an assistant message a caller sends back. Several services write them in several fields, often the
 * same thoughts twice: LiteLLM's `thinking_blocks` say most, then OpenRouter's `reasoning_details`, then plain text.
 */

import type { Signature, ThinkingPart } from '../../conversation/prompt.ts';
import { unseal } from '../../conversation/signature.ts';
import { asList, asObjects, asText, isObject, type Json, type JsonObject } from '../../json.ts';
import { originOf } from './signatures.ts';

/** A signature of Google's that stands apart from the call it is of. */
export interface CallSignature {
  /** The call's id, where the service says. */
  readonly id?: string;
  readonly signature: Signature;
}

export interface Thoughts {
  readonly parts: readonly ThinkingPart[];
  readonly calls: readonly CallSignature[];
}

/** The thoughts of a message, from the field that says most. */
export function parseThoughts(message: JsonObject): Thoughts {
  const blocks = asObjects(message['thinking_blocks']);
  if (blocks.length > 0) return { parts: blocks.flatMap(parseThinkingBlock), calls: [] };
  const details = asObjects(message['reasoning_details']);
  if (details.length > 0) return parseDetails(details);
  const text = asText(message['reasoning_content']) || asText(message['reasoning']) || '';
  return { parts: text === '' ? [] : [{ kind: 'thinking', text }], calls: [] };
}

/** A thinking block in Anthropic's shape, whose signature is Anthropic's unless it is sealed. */
export function parseThinkingBlock(block: JsonObject): ThinkingPart[] {
  const data = asText(block['data']);
  if (block['type'] === 'redacted_thinking') {
    return data ? [{ kind: 'thinking', text: '', redacted: unseal(data, 'anthropic') }] : [];
  }
  const text = thinkingText(block['thinking']);
  const signature = asText(block['signature']);
  if (text === '' && !signature) return [];
  return [{ kind: 'thinking', text, ...(signature && { signature: unseal(signature, 'anthropic') }) }];
}

/** The text of a thinking block: a string, or Mistral's list of text parts. */
export function thinkingText(thinking: Json | undefined): string {
  if (typeof thinking === 'string') return thinking;
  let text = '';
  for (const piece of asList(thinking)) text += isObject(piece) ? (asText(piece['text']) ?? '') : '';
  return text;
}

function parseDetails(details: readonly JsonObject[]): Thoughts {
  const parts: ThinkingPart[] = [];
  const calls: CallSignature[] = [];
  for (const detail of details) {
    const text = asText(detail['text']) ?? asText(detail['summary']) ?? '';
    const origin = originOf(detail['format']);
    const value = asText(detail['signature']) || asText(detail['data']);
    const signature = value ? { origin, value } : undefined;
    if (detail['type'] !== 'reasoning.encrypted') {
      if (text !== '' || signature) parts.push({ kind: 'thinking', text, ...(signature && { signature }) });
      continue;
    }
    if (signature === undefined) continue;
    const id = asText(detail['id']);
    const last = parts.at(-1);
    if (origin === 'google') calls.push({ signature, ...(id !== undefined && { id }) });
    else if (origin === 'anthropic') parts.push({ kind: 'thinking', text: '', redacted: signature });
    // A summary and the encrypted text after it are one item of OpenAI's.
    else if (last && last.text !== '' && !last.signature) parts.splice(-1, 1, { ...last, signature });
    else parts.push({ kind: 'thinking', text: '', signature });
  }
  return { parts, calls };
}
