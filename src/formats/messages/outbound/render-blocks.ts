/** Turns as messages, and parts as content blocks. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { Part, TextPart, ThinkingPart, ToolResultPart, Turn } from '../../../conversation/prompt.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import type { CallIds } from '../../../conversation/rules/distinct-call-ids.ts';
import { isPlain } from '../../../conversation/turn-parts.ts';
import { invalid } from '../../../lib/errors.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import { keepItems } from '../../../lib/lists.ts';
import type { Report } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { renderCacheControl } from '../wire/cache-control.ts';
import { renderOwnCitation } from '../wire/citations.ts';
import { createCallIds } from '../wire/ids.ts';
import { isWithinKeptBlock, keptBlock } from '../wire/kept-blocks.ts';
import { renderRedactedBlock, renderThinkingBlock } from '../wire/thinking-blocks.ts';
import { renderMedia } from './render-media.ts';
import { safeName } from './tool-names.ts';

/**
 * Renders `messages`.
 * @param turns strict turns whose parts can all be sent. Their system turns are those that stay in their place.
 * @throws GatewayError `invalid-request` for media that Anthropic does not accept.
 */
export function renderMessages(turns: readonly Turn[], report: Report): readonly JsonObject[] {
  const ids = createCallIds();
  return turns.map((turn) => {
    if (turn.role === 'assistant') ids.turn();
    if (turn.name !== undefined) {
      report('turns[].name', 'dropped', 'messages has no names of speakers');
    }
    const { role } = turn;
    const content = renderParts(turn.parts, ids, report);
    if (turn.unknownFields === undefined && turn.formatSpecific === undefined) return { role, content };
    return {
      ...turn.unknownFields,
      ...findFormatFields(turn.formatSpecific, 'messages'),
      role,
      content,
    };
  });
}

/**
 * Renders `system`.
 * @returns a text, or a list of blocks if there are several or if one has further fields; undefined if there are no parts.
 * @throws GatewayError `invalid-request` for media.
 */
export function renderSystem(
  parts: readonly Part[],
  report: Report,
): string | readonly JsonObject[] | undefined {
  if (parts.length === 0) return undefined;
  const ids = createCallIds();
  const blocks = parts.map((part) => {
    if (part.kind === 'media') throw invalid(`A system message cannot hold ${part.media} input.`, 'turns');
    return renderPart(part, ids, report);
  });
  const [first] = blocks;
  const isPlain = first !== undefined && blocks.length === 1 && Object.keys(first).length === 2;
  return (isPlain && first['type'] === 'text' ? asText(first['text']) : undefined) ?? blocks;
}

function renderParts(parts: readonly Part[], ids: CallIds, report: Report): JsonObject[] {
  return keepItems(parts, (part) => !isWithinKeptBlock(part)).map((part) => renderPart(part, ids, report));
}

function renderPart(part: Part, ids: CallIds, report: Report): JsonObject {
  if (part.kind === 'opaque') return part.value;
  const fields = ownFields(part.formatSpecific, 'messages', 'turns[]', report);
  if (part.signature && part.kind !== 'thinking') {
    report('turns[].signature', 'dropped', `of ${part.signature.origin}, on a ${part.kind}`);
  }
  switch (part.kind) {
    case 'text':
      return keptBlock(part) ?? renderText(part, fields, report);
    case 'refusal':
      return withFields(part, fields, { type: 'text', text: part.text });
    case 'thinking':
      return renderThinking(part, { ...part.unknownFields, ...fields });
    case 'media':
      return keptBlock(part) ?? renderMedia(part, fields, report);
    case 'tool-call':
      return withFields(part, fields, {
        type: 'tool_use',
        id: ids.call(part.id),
        name: safeName(part.name),
        input: argumentsObject(asFunctionCall(part).arguments),
      });
    case 'tool-result':
      return renderResult(part, fields, ids, report);
  }
}

function renderText(part: TextPart, fields: JsonObject, report: Report): JsonObject {
  if (part.citations === undefined) return withFields(part, fields, { type: 'text', text: part.text });
  const cited = part.citations;
  const citations = cited.map(renderOwnCitation).filter((citation) => citation !== undefined);
  if (citations.length < cited.length) {
    report('turns[].citations', 'dropped', 'Anthropic only accepts its own');
  }
  return withFields(part, fields, {
    type: 'text',
    text: part.text,
    ...(citations.length > 0 && { citations }),
  });
}

/** A block with the fields that its part has besides its content; the block itself if there are none. */
function withFields(part: Part, fields: JsonObject, block: JsonObject): JsonObject {
  if (isPlain(part)) return block;
  return { ...part.unknownFields, ...fields, ...block, ...renderCacheControl(part.cacheBreakpoint) };
}

/** Renders thinking exactly as it came, byte for byte. */
function renderThinking(part: ThinkingPart, fields: JsonObject): JsonObject {
  return part.redacted ? renderRedactedBlock(part.redacted, fields) : renderThinkingBlock(part, fields);
}

function renderResult(result: ToolResultPart, fields: JsonObject, ids: CallIds, report: Report): JsonObject {
  const part = hoistBreakpoint(result);
  const content = renderParts(part.content, ids, report);
  if (content.length === 0 && part.isError) {
    report('turns[].content', 'approximated', 'an empty error gets a text');
    content.push({ type: 'text', text: 'error' });
  }
  return withFields(part, fields, {
    type: 'tool_result',
    tool_use_id: ids.result(part.id),
    ...(content.length > 0 && { content }),
    ...(part.isError !== undefined && { is_error: part.isError }),
  });
}

/**
 * Moves a cache breakpoint from within a result to the result. Anthropic refuses one within: "cache_control may not be
 * specified within `tool_result.content`. Instead, place it directly on `tool_result`" (BerriAI/litellm#41954).
 */
function hoistBreakpoint(result: ToolResultPart): ToolResultPart {
  const inner = result.content.findLast((part) => part.cacheBreakpoint !== undefined)?.cacheBreakpoint;
  if (inner === undefined) return result;
  return {
    ...result,
    content: result.content.map(({ cacheBreakpoint: _, ...part }) => part),
    cacheBreakpoint: result.cacheBreakpoint ?? inner,
  };
}
