/** `thinking_blocks` of messages and deltas: LiteLLM's field, which holds Anthropic's thinking blocks. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { FormatSpecific, Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import { seal, unseal } from '../../../conversation/signature.ts';
import { asList, asText, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** A thought: of an answer that is being written, or of the prompt. */
export interface Thought {
  readonly text: string;
  readonly signature?: Signature | undefined;
  readonly redacted?: Signature | undefined;
  readonly formatSpecific?: FormatSpecific | undefined;
}

/**
 * A block as at most one thought; an empty block gives none. Envoy AI Gateway has blocks in the content, with fields of its
 * own names (`text`, `redactedContent`). Its signature is Anthropic's, unless it is sealed: then the gateway has wrapped
 * another vendor's signature for Anthropic's field.
 */
export function parseThinkingBlock(block: JsonObject): ThinkingPart[] {
  const data = asText(block['data'] ?? block['redactedContent']);
  if (block['type'] === 'redacted_thinking') {
    return data ? [{ kind: 'thinking', text: '', redacted: unseal(data, 'anthropic') }] : [];
  }
  const text = thinkingText(block['thinking'] ?? block['text']);
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

/**
 * The blocks of all thoughts; undefined if none has a signature or is redacted, because `reasoning_content` holds the
 * plain text already.
 */
export function renderThinkingBlocks(thoughts: readonly Thought[]): readonly Json[] | undefined {
  if (!thoughts.some(isSigned)) return undefined;
  const blocks = blocksAsReceived(thoughts);
  if (blocks) return blocks;
  return thoughts
    .filter(({ text, signature, redacted }) => redacted || text !== '' || signature)
    .map(renderThinkingBlock);
}

/** The thoughts as the service sent them in its list of blocks. A stream may have sent signatures apart from their text. */
export function thoughtsAsReceived(thoughts: readonly Thought[]): readonly Thought[] {
  return blocksAsReceived(thoughts)?.filter(isObject).flatMap(parseThinkingBlock) ?? thoughts;
}

/** Whether a thought has a signature or is redacted. */
export function isSigned({ signature, redacted }: Thought): boolean {
  return (signature ?? redacted) !== undefined;
}

/** The service's own list of blocks, if it sent one. */
function blocksAsReceived(thoughts: readonly Thought[]): readonly Json[] | undefined {
  for (const { formatSpecific } of thoughts) {
    const { thinking_blocks: blocks } = findFormatFields(formatSpecific, 'chat-completions');
    if (isList(blocks)) return blocks;
  }
  return undefined;
}

function renderThinkingBlock({ text, signature, redacted }: Thought): JsonObject {
  if (redacted) return { type: 'redacted_thinking', data: seal(redacted, 'anthropic') };
  return { type: 'thinking', thinking: text, ...(signature && { signature: seal(signature, 'anthropic') }) };
}
