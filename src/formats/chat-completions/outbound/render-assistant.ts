/** An assistant turn as one message. */

import type {
  ContentPart,
  OpaquePart,
  Part,
  TextPart,
  ToolCallPart,
  Turn,
} from '../../../conversation/prompt.ts';
import { wholeArguments } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import { isPlain } from '../../../conversation/turn-parts.ts';
import { isEmpty, type JsonObject, otherFields } from '../../../lib/json.ts';
import { joinLists, keepItems } from '../../../lib/lists.ts';
import { Foreign } from '../../foreign.ts';
import { ownFields, reportForeign } from '../../own-fields.ts';
import type { Dialect } from '../dialect.ts';
import { renderAnnotations } from '../wire/citations.ts';
import { separateParts } from '../wire/text-separator.ts';
import { isTranscript } from '../wire/transcript.ts';
import {
  renderCallBreakpoint,
  withoutMessageBreakpoint,
  writtenBreakpoint,
} from './render-cache-breakpoints.ts';
import { findContent, renderContent, renderPart } from './render-content.ts';
import type { RenderContext } from './render-context.ts';
import { renderSignature, renderThoughts, saysSomethingOfCalls } from './render-thoughts.ts';
import { callIdFor, toolNameFor } from './tool-names.ts';

/** The message. What the service does not take back is left out and reported. */
export function renderAssistant(turn: Turn, context: RenderContext): JsonObject {
  const plain = renderPlain(turn, context);
  if (plain !== undefined) return plain;
  const { dialect, report } = context;
  const callerFields = ownFields(turn.formatSpecific, 'chat-completions', 'turns[]', report);
  const thoughts = renderThoughts(turn.parts, context);
  const calls = keepItems(turn.parts, (part) => part.kind === 'tool-call').map((part) =>
    renderCall(part, context),
  );
  const texts = keepItems(turn.parts, (part) => part.kind === 'text');
  const audio = dialect.openaiFields ? callerFields['audio'] : undefined;
  const content = keepItems(
    findContent(separateFor(turn.parts, dialect)),
    (part) => !isForeign(part) && (audio === undefined || !isTranscript(part)),
  );
  const refusal = dialect.openaiFields ? refusalText(content) : '';
  const withoutRefusal = refusal === '' ? content : content.filter((part) => part.kind !== 'refusal');
  const breakpoint = writtenBreakpoint(turn.formatSpecific, context);
  const answer = keepItems(withoutRefusal, isFilled);
  const filled = thoughts.text === '' ? answer : [{ kind: 'text', text: thoughts.text } as const, ...answer];
  const marked = isEmpty(breakpoint) ? filled : withoutMessageBreakpoint(filled);
  const rendered =
    thoughts.content.length === 0
      ? renderContent(marked, '', context)
      : [...thoughts.content, ...joinLists(marked.map((part) => renderPart(part, context)))];
  return {
    ...turn.unknownFields,
    ...breakpoint,
    ...renderForeignBlocks(turn.parts, context),
    ...(audio !== undefined && { audio }),
    role: 'assistant',
    content: rendered === '' && (calls.length > 0 || refusal !== '') ? null : rendered,
    ...(refusal !== '' && { refusal }),
    ...thoughts.fields,
    ...(calls.length > 0 && { tool_calls: calls }),
    // The message has room for only one.
    ...renderSignature(texts.findLast((part) => part.signature)?.signature, context),
    ...renderAnnotationsField(texts, context),
    ...(turn.name !== undefined && { name: turn.name }),
  };
}

/** A turn of at most one text, and of calls, which have nothing besides their content; undefined for any other turn. */
function renderPlain(turn: Turn, context: RenderContext): JsonObject | undefined {
  if (turn.formatSpecific !== undefined || turn.unknownFields !== undefined || turn.name !== undefined)
    return undefined;
  let content: string | undefined;
  let calls = 0;
  for (const part of turn.parts) {
    if (!isPlain(part)) return undefined;
    if (part.kind === 'tool-call') calls += 1;
    else if (part.kind !== 'text' || content !== undefined || part.citations !== undefined) return undefined;
    else content = part.text;
  }
  if (calls === 0) return { role: 'assistant', content: content ?? '' };
  if (saysSomethingOfCalls(context.dialect)) return undefined;
  const tool_calls = keepItems(turn.parts, (part) => part.kind === 'tool-call').map((part) =>
    renderCall(part, context),
  );
  return { role: 'assistant', content: content || null, tool_calls };
}

/** The parts with separators, where the service takes one text, so that the texts of several messages stay apart. */
function separateFor(parts: readonly Part[], { textParts }: Dialect): readonly Part[] {
  const isText = ({ kind }: Part): boolean => kind === 'text' || kind === 'opaque';
  return !textParts && findContent(parts).every(isText) ? separateParts(parts) : parts;
}

function refusalText(content: readonly ContentPart[]): string {
  let text = '';
  for (const part of content) if (part.kind === 'refusal') text += part.text;
  return text;
}

function renderCall(part: ToolCallPart, context: RenderContext): JsonObject {
  const { dialect, report } = context;
  const call = dialect.customTools ? part : asFunctionCall(part);
  reportForeign(call.formatSpecific, 'chat-completions', 'turns[]', report);
  const id = callIdFor(call.id, dialect);
  const isBare = isPlain(call);
  const common = isBare
    ? { id }
    : {
        ...call.unknownFields,
        ...renderCallBreakpoint(call, context),
        ...renderSignature(call.signature, context),
        id,
      };
  const name = toolNameFor(call.name, dialect);
  if (call.custom) return { ...common, type: 'custom', custom: { name, input: call.arguments } };
  // Most services read them, and refuse anything but an object.
  const isUnread = dialect.openaiFields || dialect.lossless;
  const text = context.exact && isUnread ? call.arguments || '{}' : wholeArguments(call.arguments);
  if (isBare) return { id, type: 'function', function: { name, arguments: text } };
  return { ...common, type: 'function', function: { name, arguments: text } };
}

/** Blocks of other formats, which go into `provider_specific_fields`, as in an answer. */
function renderForeignBlocks(parts: readonly Part[], context: RenderContext): JsonObject {
  const blocks = keepItems(parts, isForeign);
  if (blocks.length === 0) return {};
  if (!context.dialect.lossless) {
    for (const part of blocks) renderPart(part, context);
    return {};
  }
  const others = new Foreign();
  for (const { format, value } of blocks) others.block(format, value);
  return others.fields();
}

function isForeign(part: Part): part is OpaquePart {
  return part.kind === 'opaque' && part.format !== 'chat-completions';
}

/** Whether a part is more than an empty text, which only holds a signature. */
function isFilled(part: ContentPart): boolean {
  return part.kind !== 'text' || part.text !== '' || part.cacheBreakpoint !== undefined;
}

function renderAnnotationsField(texts: readonly TextPart[], { dialect, report }: RenderContext): JsonObject {
  if (texts.every((part) => part.citations === undefined)) return {};
  if (!dialect.openaiFields) {
    report('turns[].citations', 'dropped', 'of an earlier answer: the service takes none back');
    return {};
  }
  const annotations = renderAnnotations(texts);
  return annotations.length > 0 ? { annotations } : {};
}

/** Whether a message has neither content nor calls nor any other field. */
export function isEmptyMessage(message: JsonObject): boolean {
  const { content } = message;
  return (content === '' || content === null) && isEmpty(otherFields(message, MESSAGE_FIELDS));
}

const MESSAGE_FIELDS: ReadonlySet<string> = new Set(['role', 'content']);
