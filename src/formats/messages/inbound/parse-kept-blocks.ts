/**
 * Blocks that only Anthropic can read. They are kept whole for it. Other vendors receive what the block says, as a text or
 * as a file.
 */

import type { MediaPart, TextPart } from '../../../conversation/prompt.ts';
import { asObjects, asText, isList, type Json, type JsonObject } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { keepBlock } from '../wire/kept-blocks.ts';

/** Parses a `search_result` block: a text that begins with the result's title and source. */
export function parseSearchResult(block: JsonObject, report: ParseReport): TextPart {
  return keepAsText(block, [block['title'], block['source']], block['content'], report);
}

/** Parses a `tool_reference`, a tool that a search found. Its name is enough: other vendors are offered all tools at once. */
export function parseToolReference(block: JsonObject, report: ParseReport): TextPart {
  return keepAsText(block, [`Found: ${asText(block['tool_name']) ?? 'a tool'}`], undefined, report);
}

/**
 * Parses a `compaction` block, which replaces all that was said before it ("Compaction" guide).
 * @returns its summary, or undefined if it has none that others could read.
 */
export function parseCompaction(block: JsonObject, report: ParseReport): TextPart | undefined {
  const { content } = block;
  if (!asText(content)?.trim()) return undefined;
  return keepAsText(block, ['Summary of the conversation so far:'], content, report);
}

/** Parses a `container_upload`: a file in Anthropic's store, for the container in which Anthropic runs code. */
export function parseUpload(block: JsonObject): MediaPart {
  const id = asText(block['file_id']) ?? '';
  return {
    kind: 'media',
    media: 'document',
    source: { kind: 'file', id, format: 'messages' },
    ...keepBlock(block),
  };
}

/**
 * Makes a text of a block, and keeps the block.
 * @param firstLines lines that come before the content. Those that are not texts, or empty, are left out.
 * @param content one text, or a list of text blocks.
 */
export function keepAsText(
  block: JsonObject,
  firstLines: readonly (Json | undefined)[],
  content: Json | undefined,
  report: ParseReport,
): TextPart {
  const texts = isList(content) ? asObjects(content).map(({ text }) => text) : [content];
  const lines = [...firstLines, ...texts].filter((line) => typeof line === 'string' && line !== '');
  report('messages[].content', 'approximated', `a ${asText(block['type'])} as plain text, with its title`);
  return { kind: 'text', text: lines.join('\n'), ...keepBlock(block) };
}
