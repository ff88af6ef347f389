/**
 * The thoughts of an assistant message. Services write them in different fields, often the same thoughts in two of them.
 * LiteLLM's `thinking_blocks` say most, then OpenRouter's `reasoning_details`, then plain text.
 */

import type { ThinkingPart } from '../../../conversation/prompt.ts';
import { asObjects, type JsonObject } from '../../../lib/json.ts';
import { type CallSignature, findDetails, findPlainThought, parseDetail } from '../wire/reasoning-details.ts';
import { parseThinkingBlock } from '../wire/thinking-blocks.ts';

export interface Thoughts {
  readonly parts: readonly ThinkingPart[];
  /** Signatures of tool calls, which stand among the thoughts. */
  readonly calls: readonly CallSignature[];
}

const NO_THOUGHTS: Thoughts = { parts: [], calls: [] };

/** The thoughts of a message, from the one field that says most. */
export function parseThoughts(message: JsonObject): Thoughts {
  const blocks = asObjects(message['thinking_blocks']);
  if (blocks.length > 0) return { parts: blocks.flatMap(parseThinkingBlock), calls: [] };
  const details = findDetails(message);
  const { parts, calls } = details === undefined ? NO_THOUGHTS : parseDetails(details);
  if (parts.length > 0) return { parts, calls };
  const text = findPlainThought(message);
  return text === '' ? { parts, calls } : { parts: [{ kind: 'thinking', text }], calls };
}

function parseDetails(details: readonly JsonObject[]): Thoughts {
  const parts: ThinkingPart[] = [];
  const calls: CallSignature[] = [];
  for (const detail of details.map(parseDetail)) {
    if (detail === undefined) continue;
    const { kind, signature } = detail;
    const last = parts.at(-1);
    if (kind === 'call') calls.push(detail);
    else if (kind === 'redacted') parts.push({ kind: 'thinking', text: '', redacted: signature });
    else if (kind === 'thought')
      parts.push({ kind: 'thinking', text: detail.text, ...(signature && { signature }) });
    else if (last && last.text !== '' && !last.signature) parts.splice(-1, 1, { ...last, signature });
    else parts.push({ kind: 'thinking', text: '', signature });
  }
  return { parts, calls };
}
