/** A whole reply as a `chat.completion` (OpenAI API reference, "The chat completion object"). */

import type { OpaquePart, TextPart, ThinkingPart, ToolCallPart } from '../../../conversation/prompt.ts';
import type { Choice, Reply, ReplyPart } from '../../../conversation/reply.ts';
import { findGivenNames } from '../../../conversation/rules/distinct-tools.ts';
import { type JsonObject, withFirst } from '../../../lib/json.ts';
import { keepItems } from '../../../lib/lists.ts';
import { Foreign } from '../../foreign.ts';
import type { RequestContext } from '../../format.ts';
import { renderAnnotations } from '../wire/citations.ts';
import { renderImage } from '../wire/images.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { renderSignedDetails } from '../wire/reasoning-details.ts';
import { renderExtraContent } from '../wire/signatures.ts';
import { joinThoughts, separateTexts } from '../wire/text-separator.ts';
import { renderThinkingBlocks } from '../wire/thinking-blocks.ts';
import { hasTokens, renderUsage } from '../wire/usage.ts';
import {
  renderEnd,
  renderHead,
  renderUnknownFields,
  wantsFunctionCall,
  withGivenName,
} from './response-fields.ts';

/** @see Inbound.renderReply */
export function renderReply(reply: Reply, context: RequestContext): JsonObject {
  const { start, choices, usage } = reply;
  const usesFunctionCall = wantsFunctionCall(context);
  const names = findGivenNames(context.prompt);
  return withFirst(renderUnknownFields(start), {
    ...renderHead(start, 'chat.completion', context),
    choices: choices.map((choice, index) => {
      const parts = names.size === 0 ? choice.parts : choice.parts.map((part) => withGivenName(part, names));
      return renderChoice({ ...choice, parts }, index, usesFunctionCall);
    }),
    ...(hasTokens(usage) && { usage: renderUsage(usage) }),
  });
}

function renderChoice(
  { parts, end, logprobs }: Choice,
  index: number,
  usesFunctionCall: boolean,
): JsonObject {
  const { calls, refusals, thoughts, blocks } = sortParts(parts);
  const functionCall = usesFunctionCall ? calls.find((call) => !call.custom) : undefined;
  const others = keepItems(calls, (call) => call !== functionCall);
  const texts = separateTexts(parts);
  const isRefusal = refusals.length > 0 && texts.length === 0;
  const message = {
    role: 'assistant',
    content: texts.length > 0 ? joinTexts(texts) : null,
    refusal: refusals.length > 0 ? joinTexts(refusals) : null,
    ...renderThoughts(thoughts, calls),
    ...(functionCall && { function_call: renderFunctionCall(functionCall) }),
    ...(others.length > 0 && { tool_calls: others.map(renderCall) }),
    ...renderTextFields(texts, blocks),
  };
  const around = { index, message, logprobs: logprobs ? renderLogprobs(logprobs, isRefusal) : null };
  return renderEnd(end, around, {
    calls: others.length,
    functionCall: functionCall !== undefined,
    refusal: refusals.length > 0,
  });
}

const NONE = { calls: [], refusals: [], thoughts: [], blocks: [] };

/** The parts of a choice besides its texts, by their kinds. */
function sortParts(parts: readonly ReplyPart[]) {
  if (parts.every(({ kind }) => kind === 'text')) return NONE;
  return {
    calls: parts.filter((part) => part.kind === 'tool-call'),
    refusals: parts.filter((part) => part.kind === 'refusal'),
    thoughts: parts.filter((part) => part.kind === 'thinking'),
    blocks: parts.filter((part) => part.kind === 'opaque'),
  };
}

function renderThoughts(thoughts: readonly ThinkingPart[], calls: readonly ToolCallPart[]): JsonObject {
  if (thoughts.length === 0 && calls.length === 0) return {};
  const text = joinThoughts(thoughts);
  const blocks = renderThinkingBlocks(thoughts);
  const details = renderSignedDetails(thoughts, calls);
  return {
    ...(text !== '' && { reasoning_content: text }),
    ...(blocks && { thinking_blocks: blocks }),
    ...(details && { reasoning_details: details }),
  };
}

/** The fields about the texts, and the blocks: sources, signature, images, and what the content cannot hold. */
function renderTextFields(texts: readonly TextPart[], blocks: readonly OpaquePart[]): JsonObject {
  const others = new Foreign();
  const images: JsonObject[] = [];
  for (const { format, value, image } of blocks) {
    const drawn = image && renderImage(image, images.length);
    if (drawn) images.push(drawn);
    else others.block(format, value);
  }
  return {
    annotations: renderAnnotations(texts, others),
    ...renderExtraContent(texts.findLast((part) => part.signature)?.signature),
    ...(images.length > 0 && { images }),
    ...others.fields(),
  };
}

function renderCall(call: ToolCallPart): JsonObject {
  const { id, name, custom } = call;
  const signed = renderExtraContent(call.signature);
  return custom
    ? { id, type: 'custom', custom: { name, input: call.arguments }, ...signed }
    : { id, type: 'function', function: { name, arguments: call.arguments }, ...signed };
}

function renderFunctionCall({ name, arguments: text, signature }: ToolCallPart): JsonObject {
  return { name, arguments: text, ...renderExtraContent(signature) };
}

function joinTexts(parts: readonly { readonly text: string }[]): string {
  const [first] = parts;
  return parts.length > 1 ? parts.map(({ text }) => text).join('') : (first?.text ?? '');
}
