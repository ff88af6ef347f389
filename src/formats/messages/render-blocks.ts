/** Turns as messages, parts as content blocks. */

import { argumentsObject } from '../../conversation/arguments.ts';
import { asFunctionCall } from '../../conversation/custom-tools.ts';
import type { Part, TextPart, ToolResultPart, Turn } from '../../conversation/prompt.ts';
import { seal } from '../../conversation/signature.ts';
import { invalid } from '../../errors.ts';
import type { JsonObject } from '../../json.ts';
import { asText } from '../../json.ts';
import type { Report } from '../format.ts';
import { isOwnCitation, renderCitation } from './citations.ts';
import { renderMedia, wholeBlock } from './media.ts';
import { type CallIds, callIds, safeName } from './names.ts';
import { isOwnThinking } from './render-thinking.ts';
import { FORMAT, ownFields, renderMark } from './wire.ts';

/** @param turns strict turns, without the system's, but for those that stand where they are. */
export function renderMessages(turns: readonly Turn[], report: Report): readonly JsonObject[] {
  const ids = callIds();
  return turns.map((turn) => {
    if (turn.role === 'assistant') ids.turn();
    if (turn.name !== undefined) {
      report({ field: 'name', outcome: 'dropped', detail: 'messages have no names' });
    }
    const content = turn.parts.flatMap((part) => renderPart(part, ids, report) ?? []);
    return { ...turn.extra, ...ownFields(turn.own, report), role: turn.role, content };
  });
}

/** `system`: its one text, or a list of blocks where there are several or one has a cache mark. */
export function renderSystem(parts: readonly Part[], report: Report): string | readonly JsonObject[] | undefined {
  const blocks = parts.flatMap((part) => {
    if (part.kind === 'media') throw invalid(`A system message cannot hold ${part.media} input.`, 'messages');
    return renderPart(part, callIds(), report) ?? [];
  });
  const [first] = blocks;
  if (first === undefined) return undefined;
  const isPlain = blocks.length === 1 && Object.keys(first).length === 2 && first['type'] === 'text';
  return (isPlain ? asText(first['text']) : undefined) ?? blocks;
}

/** Whether the vendor would refuse the part as text without anything to read. */
export function isBlank(part: Part): boolean {
  return (part.kind === 'text' || part.kind === 'refusal') && part.text.trim() === '';
}

/** The part as a block; undefined where it cannot be sent, which is reported. */
function renderPart(part: Part, ids: CallIds, report: Report): JsonObject | undefined {
  const own = ownFields(part.own, report);
  if (part.signature && part.kind !== 'thinking') {
    report({ field: 'signature', outcome: 'dropped', detail: `of ${part.signature.origin}, on a ${part.kind}` });
  }
  switch (part.kind) {
    case 'text':
      return wholeBlock(part) ?? (isBlank(part) ? undefined : renderText(part, own, report));
    case 'refusal':
      return isBlank(part) ? undefined : { ...part.extra, ...own, type: 'text', text: part.text, ...renderMark(part.mark) };
    case 'thinking': {
      if (!isOwnThinking(part)) {
        report({ field: 'thinking', outcome: 'dropped', detail: 'it bears no signature of Anthropic' });
        return undefined;
      }
      if (part.redacted) {
        return { ...part.extra, ...own, type: 'redacted_thinking', data: seal(part.redacted, 'anthropic') };
      }
      const signature = part.signature ? seal(part.signature, 'anthropic') : '';
      return { ...part.extra, ...own, type: 'thinking', thinking: part.text, signature };
    }
    case 'media':
      return renderMedia(part, own, report);
    case 'tool-call': {
      const call = asFunctionCall(part);
      return {
        ...part.extra,
        ...own,
        type: 'tool_use',
        id: ids.call(part),
        name: safeName(part.name),
        input: argumentsObject(call.arguments),
        ...renderMark(part.mark),
      };
    }
    case 'tool-result':
      return renderResult(part, own, ids, report);
    case 'opaque':
      if (part.format === FORMAT) return part.value;
      report({ field: 'content', outcome: 'dropped', detail: `a block that only ${part.format} can read` });
      return undefined;
  }
}

function renderText(part: TextPart, own: JsonObject, report: Report): JsonObject {
  const cited = part.citations ?? [];
  const citations = cited.filter(isOwnCitation).flatMap((citation) => renderCitation(citation) ?? []);
  if (citations.length < cited.length) {
    report({ field: 'citations', outcome: 'dropped', detail: 'Anthropic takes back its own only' });
  }
  return {
    ...part.extra,
    ...own,
    type: 'text',
    text: part.text,
    ...(citations.length > 0 && { citations }),
    ...renderMark(part.mark),
  };
}

function renderResult(part: ToolResultPart, own: JsonObject, ids: CallIds, report: Report): JsonObject {
  const content = part.content.flatMap((inner) => renderPart(inner, ids, report) ?? []);
  return {
    ...part.extra,
    ...own,
    type: 'tool_result',
    tool_use_id: ids.result(part),
    ...(content.length > 0 && { content }),
    ...(part.isError !== undefined && { is_error: part.isError }),
    ...renderMark(part.mark),
  };
}
