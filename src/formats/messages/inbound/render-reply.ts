/** A whole answer as a message. */

import { formatFields } from '../../../conversation/format-specific.ts';
import type { Part, RefusalPart, TextPart, ThinkingPart } from '../../../conversation/prompt.ts';
import type { Choice, Reply } from '../../../conversation/reply.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type Foreign, foreign } from '../../foreign.ts';
import type { RequestContext } from '../../format.ts';
import { renderCitation } from '../wire/citations.ts';
import { endFields, NO_CALLS, renderStop, withCall } from '../wire/finish-reasons.ts';
import { renderUsedTier } from '../wire/service-tier.ts';
import { carrierBlocks } from '../wire/signature-carriers.ts';
import { redactedBlock, thinkingBlock } from '../wire/thinking-blocks.ts';
import { renderUsage } from '../wire/usage.ts';
import { searchBlocks, searchTool } from '../wire/web-searches.ts';
import { FORMAT } from '../wire/wire.ts';
import { callBlocks, renderMessage } from './response-fields.ts';

const NO_CHOICE: Choice = { parts: [], end: { finish: 'other' } };

/** A message has one choice: of several, the first is told. */
export function renderReply(reply: Reply, asked: RequestContext): JsonObject {
  const { parts, end } = reply.choices[0] ?? NO_CHOICE;
  const callBlock = callBlocks(asked.id);
  const others = foreign();
  const said = unsignedAtEnd(parts).flatMap((part) => renderPart(part, callBlock, others));
  const calls = parts
    .filter((part) => part.kind === 'tool-call')
    .reduce((known, { formatSpecific: own }) => withCall(known, formatFields(own, FORMAT)), NO_CALLS);
  const refusal = parts.some((part) => part.kind === 'refusal');
  const search = calls === NO_CALLS ? searchTool(asked.prompt) : undefined;
  const cited = parts.flatMap((part) => (part.kind === 'text' ? (part.citations ?? []) : []));
  const content = search === undefined ? said : [...said, ...searchBlocks(search, cited, asked.id)];
  const { inside, beside } = endFields(end);
  const fields = {
    ...renderStop(end, { calls, refusal, stop: asked.prompt.stop }),
    usage: { ...renderUsage(reply.usage), ...renderUsedTier(reply.start.serviceTier) },
  };
  return renderMessage(reply.start, asked, content, fields, { ...inside, ...beside, ...others.fields() });
}

/** The parts without the signatures of the text they end with, which no carrier may follow: see `carriers.ts`. */
function unsignedAtEnd(parts: readonly Part[]): readonly Part[] {
  const last = parts.findLastIndex(hasBlock);
  return parts.map((part, at) => {
    if (at < last || part.kind !== 'text') return part;
    const { signature: _, ...unsigned } = part;
    return unsigned;
  });
}

/** Whether a block is told of it: what only another format can read stands beside the content, and nothing nowhere. */
function hasBlock(part: Part): boolean {
  switch (part.kind) {
    case 'opaque':
      return part.format === FORMAT;
    case 'thinking':
      return isSaid(part) || part.redacted !== undefined;
    default:
      return part.kind !== 'text' || part.text !== '';
  }
}

function renderPart(
  part: Part,
  callBlock: ReturnType<typeof callBlocks>,
  others: Foreign,
): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return renderText(part, others);
    case 'thinking':
      return renderThinking(part);
    case 'tool-call': {
      const call = asFunctionCall(part);
      const block = callBlock(part, part.formatSpecific, argumentsObject(call.arguments));
      return [...carrierBlocks(part.signature, 'next'), block];
    }
    case 'opaque':
      if (part.format === FORMAT) return [part.value];
      others.block(part.format, part.value);
      return [];
    case 'media':
    case 'tool-result':
      // No answer has any.
      return [];
  }
}

function renderText(part: TextPart | RefusalPart, others: Foreign): readonly JsonObject[] {
  if (part.text === '') return carrierBlocks(part.signature, 'next');
  const cited = part.kind === 'text' ? (part.citations ?? []) : [];
  const citations = cited.flatMap((citation): JsonObject[] => {
    const rendered = renderCitation(citation);
    if (rendered) return [rendered];
    others.cite(citation);
    return [];
  });
  const block = {
    ...formatFields(part.formatSpecific, FORMAT),
    type: 'text',
    text: part.text,
    ...(citations.length > 0 && { citations }),
  };
  return [block, ...carrierBlocks(part.signature, 'previous')];
}

function renderThinking(part: ThinkingPart): readonly JsonObject[] {
  const { redacted } = part;
  const fields = formatFields(part.formatSpecific, FORMAT);
  return [
    ...(redacted ? [redactedBlock(redacted, fields)] : []),
    ...(isSaid(part) ? [thinkingBlock(part, fields)] : []),
  ];
}

function isSaid({ text, signature }: ThinkingPart): boolean {
  return text !== '' || signature !== undefined;
}
