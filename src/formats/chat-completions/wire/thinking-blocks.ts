/** Thoughts as LiteLLM's `thinking_blocks`, which are Anthropic's: on messages and deltas, both ways. */

import { formatFields } from '../../../conversation/format-specific.ts';
import type { FormatSpecific, Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import { seal, unseal } from '../../../conversation/signature.ts';
import { asList, asText, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';

/** A thought, told or whole. */
export interface Thought {
  readonly text: string;
  readonly signature?: Signature | undefined;
  readonly redacted?: Signature | undefined;
  readonly formatSpecific?: FormatSpecific | undefined;
}

/** A block as a thought, whose signature is Anthropic's unless it is sealed; none where nothing is in it. */
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

/**
 * The blocks of all thoughts, where some have a signature or can be read by their vendor alone: the plain text stands in
 * `reasoning_content`.
 */
export function renderThinkingBlocks(thoughts: readonly Thought[]): readonly Json[] | undefined {
  if (!thoughts.some(isSigned)) return undefined;
  const blocks = blocksAsReceived(thoughts);
  if (blocks) return blocks;
  return thoughts
    .filter(({ text, signature, redacted }) => redacted || text !== '' || signature)
    .map(renderThinkingBlock);
}

/** The thoughts as the service has told them, whose signatures a stream may have had apart from their text. */
export function thoughtsAsReceived(thoughts: readonly Thought[]): readonly Thought[] {
  return blocksAsReceived(thoughts)?.filter(isObject).flatMap(parseThinkingBlock) ?? thoughts;
}

/** Whether a thought says more than its text. */
export function isSigned({ signature, redacted }: Thought): boolean {
  return (signature ?? redacted) !== undefined;
}

/** The list of blocks that came with the thoughts, if one did. */
function blocksAsReceived(thoughts: readonly Thought[]): readonly Json[] | undefined {
  for (const { formatSpecific: own } of thoughts) {
    const { thinking_blocks: blocks } = formatFields(own, 'chat-completions');
    if (isList(blocks)) return blocks;
  }
  return undefined;
}

function renderThinkingBlock({ text, signature, redacted }: Thought): JsonObject {
  if (redacted) return { type: 'redacted_thinking', data: seal(redacted, 'anthropic') };
  return { type: 'thinking', thinking: text, ...(signature && { signature: seal(signature, 'anthropic') }) };
}
