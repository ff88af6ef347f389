/** A whole reply as a chat.completion (OpenAI API reference, "The chat completion object"). */

import type { Part, TextPart, ToolCallPart } from '../../../conversation/prompt.ts';
import type { Choice, Reply } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { foreign } from '../../foreign.ts';
import type { RequestContext } from '../../format.ts';
import { renderAnnotations } from '../wire/citations.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { renderSignedDetails } from '../wire/reasoning-details.ts';
import { renderExtraContent } from '../wire/signatures.ts';
import { joinThoughts, separateTexts } from '../wire/text-separator.ts';
import { renderThinkingBlocks } from '../wire/thinking-blocks.ts';
import { hasTokens, renderUsage } from '../wire/usage.ts';
import { renderEnd, renderHead, renderUnknownFields, wantsFunctionCall } from './response-fields.ts';

/** @see Inbound.renderReply */
export function renderReply(reply: Reply, asked: RequestContext): JsonObject {
  const { start, choices, usage } = reply;
  const isOld = wantsFunctionCall(asked);
  return {
    ...renderUnknownFields(start),
    ...renderHead(start, 'chat.completion', asked),
    choices: choices.map((choice, index) => renderChoice(choice, index, isOld)),
    ...(hasTokens(usage) && { usage: renderUsage(usage) }),
  };
}

function renderChoice({ parts, end, logprobs }: Choice, index: number, isOld: boolean): JsonObject {
  const calls = partsOf(parts, 'tool-call');
  const place = isOld ? calls.findIndex((call) => !call.custom) : -1;
  const oldCall = calls[place];
  const others = calls.filter((call) => call !== oldCall);
  const refusals = partsOf(parts, 'refusal');
  const texts = separateTexts(parts);
  const isRefusal = refusals.length > 0 && texts.length === 0;
  const message = {
    role: 'assistant',
    content: texts.length > 0 ? joined(texts) : null,
    refusal: refusals.length > 0 ? joined(refusals) : null,
    ...thoughtFields(parts, calls),
    ...(oldCall && { function_call: { ...functionOf(oldCall), ...renderExtraContent(oldCall.signature) } }),
    ...(others.length > 0 && { tool_calls: others.map(renderCall) }),
    ...textFields(texts, parts),
  };
  const around = {
    index,
    message,
    logprobs: logprobs ? renderLogprobs(logprobs, isRefusal) : null,
  };
  return renderEnd(end, around, {
    calls: others.length,
    oldCall: oldCall !== undefined,
    refusal: refusals.length > 0,
  });
}

function thoughtFields(parts: readonly Part[], calls: readonly ToolCallPart[]): JsonObject {
  const thoughts = partsOf(parts, 'thinking');
  const text = joinThoughts(thoughts);
  const blocks = renderThinkingBlocks(thoughts);
  const details = renderSignedDetails(thoughts, calls);
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(blocks && { thinking_blocks: blocks }),
    ...(details && { reasoning_details: details }),
  };
}

/** What is said about the texts: where they are from, their signature, and what no other field can hold. */
function textFields(texts: readonly TextPart[], parts: readonly Part[]): JsonObject {
  const { annotations, unlinked } = renderAnnotations(texts);
  const others = foreign();
  for (const { format, value } of partsOf(parts, 'opaque')) others.block(format, value);
  for (const citation of unlinked) others.cite(citation);
  return {
    ...(annotations.length > 0 && { annotations }),
    ...renderExtraContent(texts.findLast((part) => part.signature)?.signature),
    ...others.fields(),
  };
}

function renderCall(call: ToolCallPart): JsonObject {
  const { id, name, custom } = call;
  const signed = renderExtraContent(call.signature);
  return custom
    ? { id, type: 'custom', custom: { name, input: call.arguments }, ...signed }
    : { id, type: 'function', function: functionOf(call), ...signed };
}

function functionOf({ name, arguments: text }: ToolCallPart): JsonObject {
  return { name, arguments: text || '{}' };
}

function partsOf<K extends Part['kind']>(parts: readonly Part[], kind: K): Extract<Part, { kind: K }>[] {
  return parts.filter((part): part is Extract<Part, { kind: K }> => part.kind === kind);
}

function joined(parts: readonly { readonly text: string }[]): string {
  return parts.map(({ text }) => text).join('');
}
