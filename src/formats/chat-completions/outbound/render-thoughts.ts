/** Thoughts of earlier turns, in the fields in which services take them back. */

import type { Part, Signature, TextPart, ThinkingPart } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { keepItems } from '../../../lib/lists.ts';
import type { Dialect, ReasoningHistory } from '../dialect.ts';
import { renderDetails, renderMinimaxDetail } from '../wire/reasoning-details.ts';
import { renderExtraContent } from '../wire/signatures.ts';
import { joinThoughts } from '../wire/text-separator.ts';
import { renderThinkingBlocks } from '../wire/thinking-blocks.ts';
import type { RenderContext } from './render-context.ts';
import { findThinkTag, renderThinkTags } from './think-tags.ts';

export interface RenderedThoughts {
  /** Fields of the assistant message. */
  readonly fields: JsonObject;
  /** The first parts of its content. */
  readonly content: readonly JsonObject[];
  /** The beginning of its text; '' for none. */
  readonly text: string;
}

const NOTHING: RenderedThoughts = { fields: {}, content: [], text: '' };

/** Forms of reasoning that say something of calls too, which need no thought before them. */
const OF_CALLS: readonly ReasoningHistory[] = ['reasoning_details', 'reasoning_content-with-calls'];

/** Whether a service's form of reasoning says something of calls, even where no thought is. */
export function saysSomethingOfCalls({ reasoningHistory }: Dialect): boolean {
  return OF_CALLS.includes(reasoningHistory);
}

/** The thoughts of an assistant turn. What the service does not take is left out and reported. */
export function renderThoughts(parts: readonly Part[], context: RenderContext): RenderedThoughts {
  const { dialect, target } = context;
  const thoughts = keepItems(parts, (part) => part.kind === 'thinking');
  const calls = keepItems(parts, (part) => part.kind === 'tool-call');
  // Routers tell what Gemini has signed of a text, without an id.
  const texts = dialect.reasoningHistory === 'reasoning_details' ? keepItems(parts, isSignedByGemini) : [];
  const saysMore = calls.length > 0 && saysSomethingOfCalls(dialect);
  if (thoughts.length === 0 && texts.length === 0 && !saysMore) return NOTHING;
  const text = joinThoughts(thoughts);
  switch (dialect.reasoningHistory) {
    case 'none':
      return drop(thoughts, context);
    case 'content': {
      // Only models that think take thoughts in the content.
      if (text === '' || target.thinking === undefined) return drop(thoughts, context);
      dropSignatures(thoughts, context);
      return { ...NOTHING, content: [{ type: 'thinking', thinking: [{ type: 'text', text }] }] };
    }
    case 'tags':
      dropSignatures(thoughts, context);
      return { ...NOTHING, text: renderThinkTags(text, findThinkTag(target.model)) };
    case 'reasoning_details': {
      const details = renderDetails(thoughts, [...calls, ...texts.map(({ signature }) => ({ signature }))]);
      return inFields(details.length > 0 ? { reasoning_details: details } : {});
    }
    case 'reasoning_details-text':
      dropSignatures(thoughts, context);
      return inFields(text === '' ? {} : { reasoning_details: [renderMinimaxDetail(text)] });
    case 'reasoning':
      dropSignatures(thoughts, context);
      return inFields(text === '' ? {} : { reasoning: text });
    case 'reasoning_content':
      return inFields({ ...renderText(text), ...renderBlocks(thoughts, context) });
    case 'reasoning_content-with-calls':
      dropSignatures(thoughts, context);
      return inFields(renderText(text || renderMissingThought(calls.length, context)));
  }
}

function isSignedByGemini(part: Part): part is TextPart & { signature: Signature } {
  return part.kind === 'text' && part.signature?.origin === 'google';
}

/** What stands for a thought before calls. A space, because some services treat an empty text as missing. */
function renderMissingThought(calls: number, { thinks }: RenderContext): string {
  return calls > 0 && thinks ? ' ' : '';
}

function inFields(fields: JsonObject): RenderedThoughts {
  return { ...NOTHING, fields };
}

/** The signature of a call or a text, as `extra_content`. */
export function renderSignature(signature: Signature | undefined, context: RenderContext): JsonObject {
  if (signature === undefined) return {};
  const { signatures, reasoningHistory } = context.dialect;
  if (signatures === 'all' || (signatures === 'google' && signature.origin === 'google')) {
    return renderExtraContent(signature);
  }
  if (reasoningHistory !== 'reasoning_details') dropSignature(signature, context);
  return {};
}

function renderText(text: string): JsonObject {
  return text === '' ? {} : { reasoning_content: text };
}

/** All thoughts as LiteLLM's blocks, if any has a signature or is redacted. */
function renderBlocks(thoughts: readonly ThinkingPart[], context: RenderContext): JsonObject {
  const blocks = renderThinkingBlocks(thoughts);
  if (blocks === undefined) return {};
  if (context.dialect.signatures === 'all') return { thinking_blocks: blocks };
  dropSignatures(thoughts, context);
  return {};
}

function drop(thoughts: readonly ThinkingPart[], { report }: RenderContext): RenderedThoughts {
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
