/** Content blocks of a request as parts. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { Part, TextPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { unseal, unsealReturned } from '../../../conversation/signature.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asFlag, asObjects, withoutFields } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { OF_CLIENTS } from '../../of-clients.ts';
import { parseCitation } from '../wire/citations.ts';
import { parseBlockFields } from './block-fields.ts';
import { collectParts, parseCarrier } from './parse-carriers.ts';
import { parseCompaction, parseSearchResult, parseToolReference } from './parse-kept-blocks.ts';
import { parseDocument, parseImage } from './parse-media.ts';
import { checkOpaque, createOpaquePart } from './parse-opaque.ts';
import { parseRequiredBlocks, parseRequiredText } from './required-fields.ts';

/** What parsing a block needs to know about the request. */
export interface Context {
  /** Names of the calls so far, by their ids. A result has only the id of its call. */
  readonly names: Map<string, string>;
  readonly report: ParseReport;
}

/**
 * Parses `content`, which is a string or a list of blocks.
 * @param at path of the content, such as `messages.0.content`, for error messages.
 * @throws GatewayError `invalid-request` if it is neither, or if a block lacks a required field.
 */
export function parseContent(content: Json | undefined, at: string, context: Context): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (content === undefined) throw invalid(`${at}: Field required`, at);
  const collector = collectParts();
  parseRequiredBlocks(content, at).forEach((block, index) => {
    const carried = parseCarrier(block);
    if (carried) collector.carry(carried);
    else for (const part of parseBlock(block, `${at}.${index}`, context)) collector.add(part);
  });
  return collector.parts();
}

function parseBlock(block: JsonObject, at: string, context: Context): readonly Part[] {
  return parseResultBlock(block, at, context.report) ?? [parseMessageBlock(block, at, context)];
}

/** Parses a block that may also be in the result of a tool; undefined for any other block. */
function parseResultBlock(
  block: JsonObject,
  at: string,
  report: ParseReport,
): ToolResultPart['content'] | undefined {
  switch (block['type']) {
    case 'text':
      return [parseText(block, at)];
    case 'image':
      return [parseImage(block, at) ?? createOpaquePart(block)];
    case 'document':
      return parseDocument(block, at, report) ?? [createOpaquePart(block)];
    case 'search_result':
      return [parseSearchResult(block, report)];
    default:
      return undefined;
  }
}

/** Parses a block that may be in a message only. */
function parseMessageBlock(block: JsonObject, at: string, context: Context): Part {
  switch (block['type']) {
    case 'compaction':
      return parseCompaction(block, context.report) ?? createOpaquePart(block);
    case 'thinking': {
      const { type: _, thinking, signature: proof, ...rest } = block;
      const signature = unsealReturned(proof, 'anthropic');
      return {
        kind: 'thinking',
        // Clients that drop empty fields leave nothing of a thought but its signature.
        text: thinking == null && signature ? '' : parseRequiredText(thinking, `${at}.thinking.thinking`),
        ...(signature && { signature }),
        ...withUnknownFields(rest),
      };
    }
    case 'redacted_thinking': {
      const { type: _, data, ...rest } = block;
      const redacted = unseal(parseRequiredText(data, `${at}.redacted_thinking.data`), 'anthropic');
      return { kind: 'thinking', text: '', redacted, ...withUnknownFields(rest) };
    }
    case 'tool_use':
      return parseCall(block, at, context);
    case 'tool_result':
      return parseToolResult(block, at, context);
    default:
      return createOpaquePart(block);
  }
}

function parseText(block: JsonObject, at: string): TextPart {
  const { type: _, text, cache_control, citations, ...rest } = block;
  const cited = asObjects(citations).map(parseCitation);
  return {
    kind: 'text',
    text: parseRequiredText(text, `${at}.text.text`),
    ...(cited.length > 0 && { citations: cited }),
    ...parseBlockFields(cache_control),
    ...withUnknownFields(withoutFields(rest, OF_CLIENTS)),
  };
}

function parseCall(block: JsonObject, at: string, { names }: Context): Part {
  const { type: _, id, name, input, cache_control, caller, toolset_name, ...rest } = block;
  const call = {
    id: parseRequiredText(id, `${at}.tool_use.id`),
    name: parseRequiredText(name, `${at}.tool_use.name`),
  };
  names.set(call.id, call.name);
  return {
    kind: 'tool-call',
    ...call,
    arguments: argumentsText(input),
    ...parseBlockFields(cache_control, { caller, toolset_name }),
    ...withUnknownFields(rest),
  };
}

function parseToolResult(block: JsonObject, at: string, context: Context): ToolResultPart {
  const { type: _, tool_use_id, content, is_error, cache_control, toolset_name, ...rest } = block;
  const id = parseRequiredText(tool_use_id, `${at}.tool_result.tool_use_id`);
  const name = context.names.get(id);
  const isError = asFlag(is_error);
  return {
    kind: 'tool-result',
    id,
    ...(name !== undefined && { name }),
    content: parseResultContent(content, `${at}.content`, context.report),
    ...(isError !== undefined && { isError }),
    ...parseBlockFields(cache_control, { toolset_name }),
    ...withUnknownFields(rest),
  };
}

/** A result contains no calls, thoughts or other results. Any block of another kind is kept whole. */
function parseResultContent(
  content: Json | undefined,
  at: string,
  report: ParseReport,
): ToolResultPart['content'] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return parseRequiredBlocks(content, at).flatMap((block, index): ToolResultPart['content'] => {
    if (block['type'] === 'tool_reference') return [parseToolReference(block, report)];
    const here = `${at}.${index}`;
    const parts = parseResultBlock(block, here, report) ?? [createOpaquePart(block)];
    return parts.map((part) => (part.kind === 'opaque' ? checkOpaque(part, here) : part));
  });
}
