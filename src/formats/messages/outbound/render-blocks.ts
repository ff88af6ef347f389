/** Turns as messages, parts as content blocks. */

import type { Part, TextPart, ThinkingPart, ToolResultPart, Turn } from '../../../conversation/prompt.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import { invalid } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { asText } from '../../../lib/json.ts';
import type { Report } from '../../format.ts';
import { ownFields } from '../../own-fields.ts';
import { ownCitation } from '../wire/citations.ts';
import { renderMedia } from '../wire/media.ts';
import { redactedBlock, thinkingBlock } from '../wire/thinking-blocks.ts';
import { type CallIds, callIds, safeName } from '../wire/tool-names.ts';
import { isInBlock, wholeBlock } from '../wire/whole-blocks.ts';
import { FORMAT, renderMark } from '../wire/wire.ts';

/**
 * @param turns strict and sendable turns, without the system's, but for those that stand where they are.
 * @throws GatewayError `invalid-request` for media that Anthropic does not take.
 */
export function renderMessages(turns: readonly Turn[], report: Report): readonly JsonObject[] {
  const ids = callIds();
  return turns.map((turn) => {
    if (turn.role === 'assistant') ids.turn();
    if (turn.name !== undefined) {
      report('turns[].name', 'dropped', 'messages have no names of speakers');
    }
    const content = renderParts(turn.parts, ids, report);
    return {
      ...turn.unknownFields,
      ...ownFields(turn.formatSpecific, FORMAT, 'turns[]', report),
      role: turn.role,
      content,
    };
  });
}

/**
 * `system`: its one text, or a list of blocks where there are several or one has a cache mark.
 * @throws GatewayError `invalid-request` for media.
 */
export function renderSystem(
  parts: readonly Part[],
  report: Report,
): string | readonly JsonObject[] | undefined {
  const ids = callIds();
  const blocks = parts.map((part) => {
    if (part.kind === 'media') throw invalid(`A system message cannot hold ${part.media} input.`, 'turns');
    return renderPart(part, ids, report);
  });
  const [first] = blocks;
  if (first === undefined) return undefined;
  const isPlain = blocks.length === 1 && Object.keys(first).length === 2 && first['type'] === 'text';
  return (isPlain ? asText(first['text']) : undefined) ?? blocks;
}

function renderParts(parts: readonly Part[], ids: CallIds, report: Report): JsonObject[] {
  return parts.filter((part) => !isInBlock(part)).map((part) => renderPart(part, ids, report));
}

function renderPart(part: Part, ids: CallIds, report: Report): JsonObject {
  if (part.kind === 'opaque') return part.value;
  const own = ownFields(part.formatSpecific, FORMAT, 'turns[]', report);
  if (part.signature && part.kind !== 'thinking') {
    report('turns[].signature', 'dropped', `of ${part.signature.origin}, on a ${part.kind}`);
  }
  switch (part.kind) {
    case 'text':
      return wholeBlock(part) ?? renderText(part, own, report);
    case 'refusal':
      return {
        ...part.unknownFields,
        ...own,
        type: 'text',
        text: part.text,
        ...renderMark(part.cacheBreakpoint),
      };
    case 'thinking':
      return renderThinking(part, { ...part.unknownFields, ...own });
    case 'media':
      return wholeBlock(part) ?? renderMedia(part, own, report);
    case 'tool-call':
      return {
        ...part.unknownFields,
        ...own,
        type: 'tool_use',
        id: ids.call(part.id),
        name: safeName(part.name),
        input: argumentsObject(asFunctionCall(part).arguments),
        ...renderMark(part.cacheBreakpoint),
      };
    case 'tool-result':
      return renderResult(part, own, ids, report);
  }
}

function renderText(part: TextPart, own: JsonObject, report: Report): JsonObject {
  const cited = part.citations ?? [];
  const citations = cited.map(ownCitation).filter((citation) => citation !== undefined);
  if (citations.length < cited.length) {
    report('turns[].citations', 'dropped', 'Anthropic only takes back its own');
  }
  return {
    ...part.unknownFields,
    ...own,
    type: 'text',
    text: part.text,
    ...(citations.length > 0 && { citations }),
    ...renderMark(part.cacheBreakpoint),
  };
}

/** Thinking goes back as it came, byte for byte. */
function renderThinking(part: ThinkingPart, fields: JsonObject): JsonObject {
  return part.redacted ? redactedBlock(part.redacted, fields) : thinkingBlock(part, fields);
}

function renderResult(part: ToolResultPart, own: JsonObject, ids: CallIds, report: Report): JsonObject {
  const content = renderParts(part.content, ids, report);
  if (content.length === 0 && part.isError) {
    report('turns[].content', 'approximated', 'an empty error gets a text');
    content.push({ type: 'text', text: 'error' });
  }
  return {
    ...part.unknownFields,
    ...own,
    type: 'tool_result',
    tool_use_id: ids.result(part.id),
    ...(content.length > 0 && { content }),
    ...(part.isError !== undefined && { is_error: part.isError }),
    ...renderMark(part.cacheBreakpoint),
  };
}
