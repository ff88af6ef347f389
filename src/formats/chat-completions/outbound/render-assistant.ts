/** What the assistant said and called, as one message. */

import type { ContentPart, Part, TextPart, ToolCallPart, Turn } from '../../../conversation/prompt.ts';
import { wholeArguments } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import { isEmpty, type Json, type JsonObject } from '../../../lib/json.ts';
import { foreign } from '../../foreign.ts';
import { ownFields, reportForeign } from '../../own-fields.ts';
import { renderAnnotations } from '../wire/citations.ts';
import { withoutMessageBreakpoint } from './render-cache-breakpoints.ts';
import { findContent, renderContent, renderPart } from './render-content.ts';
import type { RenderContext } from './render-context.ts';
import { renderThoughts, signatureField } from './render-thoughts.ts';
import { callIdFor, toolNameFor } from './tool-names.ts';

export function renderAssistant(turn: Turn, context: RenderContext): JsonObject {
  const { dialect, report } = context;
  const own = ownFields(turn.formatSpecific, 'chat-completions', 'turns[]', report);
  const thoughts = renderThoughts(turn.parts, context);
  const calls = turn.parts.flatMap((part) => (part.kind === 'tool-call' ? [renderCall(part, context)] : []));
  const texts = turn.parts.filter((part) => part.kind === 'text');
  const spoken = findContent(turn.parts).filter((part) => !isForeign(part) && isAnswer(part, context));
  const refusal = dialect.openaiFields
    ? spoken.map((part) => (part.kind === 'refusal' ? part.text : '')).join('')
    : '';
  const said = refusal === '' ? spoken : spoken.filter((part) => part.kind !== 'refusal');
  const { cache_control: control } = own;
  const filled = said.filter(isFilled);
  const content = assistantContent(
    control ? withoutMessageBreakpoint(filled) : filled,
    thoughts.content,
    context,
  );
  return {
    ...turn.unknownFields,
    ...(control !== undefined && { cache_control: control }),
    ...foreignBlocks(turn.parts, context),
    ...(dialect.openaiFields && own['audio'] !== undefined && { audio: own['audio'] }),
    role: 'assistant',
    content: content === '' && (calls.length > 0 || refusal !== '') ? null : content,
    ...(refusal !== '' && { refusal }),
    ...thoughts.fields,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...textSignature(texts, context),
    ...annotationsField(texts, context),
    ...(turn.name !== undefined && { name: turn.name }),
  };
}

/** Texts of one answer belong together without anything between. */
function assistantContent(
  spoken: readonly ContentPart[],
  thoughts: readonly JsonObject[],
  context: RenderContext,
): Json {
  if (thoughts.length === 0) return renderContent(spoken, '', context);
  return [...thoughts, ...spoken.flatMap((part) => renderPart(part, context))];
}

function renderCall(part: ToolCallPart, context: RenderContext): JsonObject {
  const { dialect, report } = context;
  const call = dialect.customTools ? part : asFunctionCall(part);
  reportForeign(call.formatSpecific, 'chat-completions', 'turns[]', report);
  const beside = {
    ...call.unknownFields,
    ...signatureField(call.signature, context),
    id: callIdFor(call.id, dialect),
  };
  const name = toolNameFor(call.name, dialect);
  if (call.custom) return { ...beside, type: 'custom', custom: { name, input: call.arguments } };
  const text = context.exact ? call.arguments || '{}' : wholeArguments(call.arguments);
  return { ...beside, type: 'function', function: { name, arguments: text } };
}

/** Images and files in an answer have no place in the history, unless the caller wrote them there. */
function isAnswer(part: ContentPart, { exact, report }: RenderContext): boolean {
  if (part.kind !== 'media' || exact) return true;
  report('turns[].content', 'dropped', `${part.media} in an answer of the assistant`);
  return false;
}

/** Blocks of other formats, which an answer showed under `provider_specific_fields`. */
function foreignBlocks(parts: readonly Part[], context: RenderContext): JsonObject {
  const blocks = parts.filter((part) => part.kind === 'opaque').filter(isForeign);
  if (!context.dialect.lossless) {
    for (const part of blocks) renderPart(part, context);
    return {};
  }
  const others = foreign();
  for (const { format, value } of blocks) others.block(format, value);
  return others.fields();
}

function isForeign(part: ContentPart): boolean {
  return part.kind === 'opaque' && part.format !== 'chat-completions';
}

/** An empty text only carries a signature. */
function isFilled(part: ContentPart): boolean {
  return part.kind !== 'text' || part.text !== '' || part.cacheBreakpoint !== undefined;
}

/** The message has room for one signature: the last one. */
function textSignature(texts: readonly TextPart[], context: RenderContext): JsonObject {
  return signatureField(texts.findLast((part) => part.signature)?.signature, context);
}

function annotationsField(texts: readonly TextPart[], { dialect, report }: RenderContext): JsonObject {
  if (texts.every((part) => part.citations === undefined)) return {};
  if (!dialect.openaiFields) {
    report('turns[].citations', 'dropped', 'of an earlier answer: the service takes none back');
    return {};
  }
  const { annotations } = renderAnnotations(texts);
  return annotations.length > 0 ? { annotations } : {};
}

/** Whether nothing is left of what the assistant said. */
export function isSilent({ role: _role, content, ...rest }: JsonObject): boolean {
  return (content === '' || content === null) && isEmpty(rest);
}
