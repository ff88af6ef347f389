/** Content blocks of a request as parts. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { Part, TextPart, ToolCallPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { unseal, unsealReturned } from '../../../conversation/signature.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asFlag, asObjects, isEmpty, otherFields, withoutFields } from '../../../lib/json.ts';
import { joinLists } from '../../../lib/lists.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { wordSet } from '../../../lib/words.ts';
import { OF_CLIENTS } from '../../client-fields.ts';
import type { ParseReport } from '../../format.ts';
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

const TEXT_FIELDS: ReadonlySet<string> = new Set(['type', 'text', 'cache_control', 'citations']);
const CALL_FIELDS = wordSet('type id name input cache_control caller toolset_name');
const RESULT_FIELDS = wordSet('type tool_use_id content is_error cache_control toolset_name');

/**
 * Parses `content`, which is a string or a list of blocks.
 * @param at path of the content, such as `messages.0.content`, for error messages.
 * @throws GatewayError `invalid-request` if it is neither, or if a block lacks a required field.
 */
export function parseContent(content: Json | undefined, at: Place, context: Context): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (content === undefined) throw invalid(`${at}: Field required`, String(at));
  const blocks = parseRequiredBlocks(content, at);
  const [only] = blocks;
  if (only !== undefined && blocks.length === 1 && !isThought(only)) {
    return parseBlock(only, fieldPlace(at, 0), context);
  }
  if (!blocks.some(isThought)) {
    return joinLists(blocks.map((block, index) => parseBlock(block, fieldPlace(at, index), context)));
  }
  const collector = collectParts();
  blocks.forEach((block, index) => {
    const carried = parseCarrier(block);
    if (carried) collector.carry(carried);
    else for (const part of parseBlock(block, fieldPlace(at, index), context)) collector.add(part);
  });
  return collector.parts();
}

/** Whether a block may carry the signature of another one. */
function isThought({ type }: JsonObject): boolean {
  return type === 'thinking';
}

function parseBlock(block: JsonObject, at: Place, context: Context): readonly Part[] {
  return parseResultBlock(block, at, context.report) ?? [parseMessageBlock(block, at, context)];
}

/** Parses a block that may also be in the result of a tool; undefined for any other block. */
function parseResultBlock(
  block: JsonObject,
  at: Place,
  report: ParseReport,
): ToolResultPart['content'] | undefined {
  switch (block['type']) {
    case 'text':
      return [parseText(block, at)];
    case 'image':
      return [parseImage(block, String(at)) ?? createOpaquePart(block)];
    case 'document':
      return parseDocument(block, String(at), report) ?? [createOpaquePart(block)];
    case 'search_result':
      return [parseSearchResult(block, report)];
    default:
      return undefined;
  }
}

/** Parses a block that may be in a message only. */
function parseMessageBlock(block: JsonObject, at: Place, context: Context): Part {
  switch (block['type']) {
    case 'compaction':
      return parseCompaction(block, context.report) ?? createOpaquePart(block);
    case 'thinking': {
      const { type: _, thinking, signature: proof, ...rest } = block;
      const signature = unsealReturned(proof, 'anthropic');
      return {
        kind: 'thinking',
        // Clients that drop empty fields leave nothing of a thought but its signature.
        text: thinking == null && signature ? '' : parseRequiredText(thinking, at, 'thinking.thinking'),
        ...(signature && { signature }),
        ...withUnknownFields(rest),
      };
    }
    case 'redacted_thinking': {
      const { type: _, data, ...rest } = block;
      const redacted = unseal(parseRequiredText(data, at, 'redacted_thinking.data'), 'anthropic');
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

function parseText(block: JsonObject, at: Place): TextPart {
  const { cache_control, citations } = block;
  const unknownFields = otherFields(block, TEXT_FIELDS);
  const text = parseRequiredText(block['text'], at, 'text.text');
  if (cache_control === undefined && citations === undefined && isEmpty(unknownFields)) {
    return { kind: 'text', text };
  }
  const cited = asObjects(citations).map(parseCitation);
  return {
    kind: 'text',
    text,
    ...(cited.length > 0 && { citations: cited }),
    ...parseBlockFields(cache_control),
    ...withUnknownFields(withoutFields(unknownFields, OF_CLIENTS)),
  };
}

function parseCall(block: JsonObject, at: Place, { names }: Context): Part {
  const { cache_control, caller, toolset_name } = block;
  const id = parseRequiredText(block['id'], at, 'tool_use.id');
  const name = parseRequiredText(block['name'], at, 'tool_use.name');
  names.set(id, name);
  const call: ToolCallPart = { kind: 'tool-call', id, name, arguments: argumentsText(block['input']) };
  const unknownFields = otherFields(block, CALL_FIELDS);
  const isPlain = cache_control === undefined && caller === undefined && toolset_name === undefined;
  if (isPlain && isEmpty(unknownFields)) return call;
  return {
    ...call,
    ...parseBlockFields(cache_control, { caller, toolset_name }),
    ...withUnknownFields(unknownFields),
  };
}

function parseToolResult(block: JsonObject, at: Place, context: Context): ToolResultPart {
  const { is_error, cache_control, toolset_name } = block;
  const id = parseRequiredText(block['tool_use_id'], at, 'tool_result.tool_use_id');
  const name = context.names.get(id);
  const isError = asFlag(is_error);
  const content = parseResultContent(block['content'], fieldPlace(at, 'content'), context.report);
  const unknownFields = otherFields(block, RESULT_FIELDS);
  const isPlain = isError === undefined && cache_control === undefined && toolset_name === undefined;
  if (name !== undefined && isPlain && isEmpty(unknownFields)) {
    return { kind: 'tool-result', id, name, content };
  }
  return {
    kind: 'tool-result',
    id,
    ...(name !== undefined && { name }),
    content,
    ...(isError !== undefined && { isError }),
    ...parseBlockFields(cache_control, { toolset_name }),
    ...withUnknownFields(unknownFields),
  };
}

/** A result contains no calls, thoughts or other results. Any block of another kind is kept whole. */
function parseResultContent(
  content: Json | undefined,
  at: Place,
  report: ParseReport,
): ToolResultPart['content'] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  const lists = parseRequiredBlocks(content, at).map((block, index): ToolResultPart['content'] => {
    if (block['type'] === 'tool_reference') return [parseToolReference(block, report)];
    const here = fieldPlace(at, index);
    const parts = parseResultBlock(block, here, report) ?? [createOpaquePart(block)];
    for (const part of parts) if (part.kind === 'opaque') checkOpaque(part, here);
    return parts;
  });
  return joinLists(lists);
}
