/**
 * Blocks that Anthropic gets back as they were, and everybody else as what they say: text, or a file of its store; and
 * the parts that stand beside such a block for everybody else alone.
 */

import { roundTripOf } from '../../../conversation/format-specific.ts';
import type { MediaPart, Part, TextPart } from '../../../conversation/prompt.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asObject, asObjects, asText, isList } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { FORMAT } from './wire.ts';

/** A search result: text with its title and source to everybody else, and kept whole for Anthropic. */
export function parseSearchResult(block: JsonObject, report: ParseReport): TextPart {
  return asTextPart(block, [block['title'], block['source']], block['content'], report);
}

/** A tool that a search has found. Elsewhere all tools are offered from the start, so that to name it is enough. */
export function parseToolReference(block: JsonObject, report: ParseReport): TextPart {
  return asTextPart(block, [`Found: ${asText(block['tool_name']) ?? 'a tool'}`], undefined, report);
}

/**
 * What stands for all that was said before it: its summary, which others can read, where it has one ("Compaction"
 * guide), and kept whole for Anthropic.
 */
export function parseCompaction(block: JsonObject, report: ParseReport): TextPart | undefined {
  const { content } = block;
  if (!asText(content)?.trim()) return undefined;
  return asTextPart(block, ['Summary of the conversation so far:'], content, report);
}

/** A file for the container that Anthropic runs code in: one in its store, and kept whole for it. */
export function parseUpload(block: JsonObject): MediaPart {
  const id = asText(block['file_id']) ?? '';
  return {
    kind: 'media',
    media: 'document',
    source: { kind: 'file', id, format: FORMAT },
    formatSpecific: { format: FORMAT, fields: {}, roundTrip: { block } },
  };
}

/** @param head lines that stand before the text of `content`, which is one or a list of blocks. */
export function asTextPart(
  block: JsonObject,
  head: readonly (Json | undefined)[],
  content: Json | undefined,
  report: ParseReport,
): TextPart {
  const texts = isList(content) ? asObjects(content).map(({ text }) => text) : [content];
  const text = [...head, ...texts].filter((line) => typeof line === 'string' && line !== '').join('\n');
  report('messages[].content', 'approximated', `a ${asText(block['type'])} as plain text, with its title`);
  return { kind: 'text', text, formatSpecific: { format: FORMAT, fields: {}, roundTrip: { block } } };
}

/** The block that a part was made of which is kept whole. */
export function wholeBlock(part: Part): JsonObject | undefined {
  return asObject(roundTripOf(part.formatSpecific, FORMAT)['block']);
}

/** Marks a part of which all stands in the block that the part beside it is rendered as. */
export const IN_BLOCK = {
  formatSpecific: { format: FORMAT, fields: {}, roundTrip: { isInBlock: true } },
} as const;

export function isInBlock(part: Part): boolean {
  return roundTripOf(part.formatSpecific, FORMAT)['isInBlock'] === true;
}
