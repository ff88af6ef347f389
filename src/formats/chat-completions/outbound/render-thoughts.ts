/** Thoughts of earlier turns, in the fields in which services take them back. */

import type { Part, Signature, ThinkingPart } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { renderDetails, renderMinimaxDetail } from '../wire/reasoning-details.ts';
import { renderExtraContent } from '../wire/signatures.ts';
import { renderThinkingBlocks } from '../wire/thinking-blocks.ts';
import type { RenderContext } from './render-context.ts';

export interface RenderedThoughts {
  /** Fields of the assistant message. */
  readonly fields: JsonObject;
  /** Parts of its content, before all others. */
  readonly content: readonly JsonObject[];
}

const NOTHING: RenderedThoughts = { fields: {}, content: [] };

/** The thoughts of an assistant turn. What the service would not take is left out and reported. */
export function renderThoughts(parts: readonly Part[], context: RenderContext): RenderedThoughts {
  const { dialect, target } = context;
  const thoughts = parts.filter((part) => part.kind === 'thinking');
  const calls = parts.filter((part) => part.kind === 'tool-call');
  const text = thoughts.map((thought) => thought.text).join('');
  switch (dialect.reasoningHistory) {
    case 'reasoning_details': {
      const details = renderDetails(thoughts, calls);
      return details.length > 0 ? { fields: { reasoning_details: details }, content: [] } : NOTHING;
    }
    case 'reasoning_details-text':
      dropSignatures(thoughts, context);
      return text === ''
        ? NOTHING
        : { fields: { reasoning_details: [renderMinimaxDetail(text)] }, content: [] };
    case 'content': {
      // Chunks of thought are for models that think.
      if (text === '' || target.thinking === undefined) return dropped(thoughts, context);
      dropSignatures(thoughts, context);
      return { fields: {}, content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
    }
    case 'none':
      return dropped(thoughts, context);
    case 'reasoning':
      dropSignatures(thoughts, context);
      return text === '' ? NOTHING : { fields: { reasoning: text }, content: [] };
    case 'reasoning_content':
      return { fields: { ...textField(text), ...blocksField(thoughts, context) }, content: [] };
    case 'reasoning_content-with-calls': {
      dropSignatures(thoughts, context);
      // A space, for some take an empty text for none.
      const needed = calls.length > 0 && context.thinks ? ' ' : '';
      return { fields: textField(text || needed), content: [] };
    }
  }
}

/** The signature of a call or a text, as `extra_content`. */
export function signatureField(signature: Signature | undefined, context: RenderContext): JsonObject {
  if (signature === undefined) return {};
  const { signatures, reasoningHistory } = context.dialect;
  if (signatures === 'all' || (signatures === 'google' && signature.origin === 'google')) {
    return renderExtraContent(signature);
  }
  if (reasoningHistory !== 'reasoning_details') dropSignature(signature, context);
  return {};
}

function textField(text: string): JsonObject {
  return text === '' ? {} : { reasoning_content: text };
}

/** All thoughts as LiteLLM's blocks, if one of them says more than its text. */
function blocksField(thoughts: readonly ThinkingPart[], context: RenderContext): JsonObject {
  const blocks = renderThinkingBlocks(thoughts);
  if (blocks === undefined) return {};
  if (context.dialect.signatures === 'all') return { thinking_blocks: blocks };
  dropSignatures(thoughts, context);
  return {};
}

function dropped(thoughts: readonly ThinkingPart[], { report }: RenderContext): RenderedThoughts {
  if (thoughts.length > 0)
    report('turns[].thinking', 'dropped', 'the service does not accept thinking from earlier turns');
  return NOTHING;
}

function dropSignatures(thoughts: readonly ThinkingPart[], context: RenderContext): void {
  for (const { signature, redacted } of thoughts) dropSignature(signature ?? redacted, context);
}

function dropSignature(signature: Signature | undefined, { report }: RenderContext): void {
  if (signature === undefined) return;
  report('turns[].signature', 'dropped', `of ${signature.origin}: not from this service`);
}
