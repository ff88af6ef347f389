/** A non-streaming answer as a message. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { Citation, RefusalPart, TextPart, ThinkingPart } from '../../../conversation/prompt.ts';
import type { Choice, Reply, ReplyPart } from '../../../conversation/reply.ts';
import { argumentsObject } from '../../../conversation/rules/arguments.ts';
import { asFunctionCall } from '../../../conversation/rules/custom-tools.ts';
import { findSearches } from '../../../conversation/searches.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { joinLists } from '../../../lib/lists.ts';
import { Foreign } from '../../foreign.ts';
import type { RequestContext } from '../../format.ts';
import { renderCitation } from '../wire/citations.ts';
import { addCall, NO_CALLS, renderEndFields, renderStop } from '../wire/finish-reasons.ts';
import { renderRedactedBlock, renderThinkingBlock } from '../wire/thinking-blocks.ts';
import { renderUsage } from '../wire/usage.ts';
import { renderCarrierBlocks } from './render-carriers.ts';
import { findWebSearch, renderWebSearch } from './render-web-searches.ts';
import { CallRenderer, renderMessage } from './response-fields.ts';

const NO_CHOICE: Choice = { parts: [], end: { finish: 'other' } };

/**
 * Renders a whole answer.
 * @returns a message with the first choice only, because a message has one.
 */
export function renderReply(reply: Reply, asked: RequestContext): JsonObject {
  const { parts, end } = reply.choices[0] ?? NO_CHOICE;
  const callRenderer = new CallRenderer(asked.id);
  const others = new Foreign();
  const blocks = joinLists(dropLastSignatures(parts).map((part) => renderPart(part, callRenderer, others)));
  let calls = NO_CALLS;
  let refusal = false;
  for (const { kind, formatSpecific } of parts) {
    if (kind === 'tool-call') calls = addCall(calls, findFormatFields(formatSpecific, 'messages'));
    else if (kind === 'refusal') refusal = true;
  }
  const search = calls === NO_CALLS ? findWebSearch(asked.prompt) : undefined;
  const searched =
    search === undefined
      ? []
      : renderWebSearch(search, findCitations(parts), asked.id, findSearches(parts, end));
  const { inside, beside } = renderEndFields(end);
  const fields = {
    ...renderStop(end, { calls, refusal, stop: asked.prompt.stop }),
    usage: renderUsage(reply.usage, reply.start.serviceTier),
  };
  return renderMessage(reply.start, asked, [...blocks, ...searched], fields, {
    ...inside,
    ...beside,
    ...others.fields(),
  });
}

function findCitations(parts: readonly ReplyPart[]): readonly Citation[] {
  return parts.flatMap((part) => (part.kind === 'text' ? (part.citations ?? []) : []));
}

/** Removes the signatures of the text at the end, which no carrier may follow (`wire/signature-carriers.ts`). */
function dropLastSignatures(parts: readonly ReplyPart[]): readonly ReplyPart[] {
  if (!parts.some(({ signature }) => signature)) return parts;
  const last = parts.findLastIndex(hasBlock);
  return parts.map((part, at) => {
    if (at < last || part.kind !== 'text' || part.signature === undefined) return part;
    const { signature: _, ...unsigned } = part;
    return unsigned;
  });
}

/** Tells whether a part becomes a block. A part that only another format can read stands beside the content. */
function hasBlock(part: ReplyPart): boolean {
  switch (part.kind) {
    case 'opaque':
      return part.format === 'messages';
    case 'thinking':
      return hasThought(part) || part.redacted !== undefined;
    default:
      return part.kind !== 'text' || part.text !== '';
  }
}

function renderPart(part: ReplyPart, callRenderer: CallRenderer, others: Foreign): readonly JsonObject[] {
  switch (part.kind) {
    case 'text':
    case 'refusal':
      return renderText(part, others);
    case 'thinking':
      return renderThinking(part);
    case 'tool-call': {
      const call = asFunctionCall(part);
      const block = callRenderer.render(part, part.formatSpecific, argumentsObject(call.arguments));
      return [...renderCarrierBlocks(part.signature, 'next'), block];
    }
    case 'opaque':
      if (part.format === 'messages') return [part.value];
      others.block(part.format, part.value);
      return [];
  }
}

function renderText(part: TextPart | RefusalPart, others: Foreign): readonly JsonObject[] {
  if (part.text === '') return renderCarrierBlocks(part.signature, 'next');
  const cited = part.kind === 'text' ? (part.citations ?? []) : [];
  const citations = cited.flatMap((citation): JsonObject[] => {
    const rendered = renderCitation(citation);
    if (rendered) return [rendered];
    others.cite(citation);
    return [];
  });
  const block = {
    ...findFormatFields(part.formatSpecific, 'messages'),
    type: 'text',
    text: part.text,
    citations,
  };
  return [block, ...renderCarrierBlocks(part.signature, 'previous')];
}

function renderThinking(part: ThinkingPart): readonly JsonObject[] {
  const { redacted } = part;
  const fields = findFormatFields(part.formatSpecific, 'messages');
  return [
    ...(redacted ? [renderRedactedBlock(redacted, fields)] : []),
    ...(hasThought(part) ? [renderThinkingBlock(part, fields)] : []),
  ];
}

function hasThought({ text, signature }: ThinkingPart): boolean {
  return text !== '' || signature !== undefined;
}
