/** Content blocks of a request as parts. */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { OpaquePart, Part, TextPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { broughtBack, unseal } from '../../../conversation/signature.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asFlag, asObjects, asText, isList, isObject, withoutFields } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { OF_CLIENTS } from '../../of-clients.ts';
import { parseCitation } from '../wire/citations.ts';
import { requiredText, unknownTag } from '../wire/fields.ts';
import { parseDocument, parseImage } from '../wire/media.ts';
import { parseCarrier, partList } from '../wire/signature-carriers.ts';
import { parseCompaction, parseSearchResult, parseToolReference } from '../wire/whole-blocks.ts';
import { FORMAT, markAndOwn } from '../wire/wire.ts';

/** What reading a block needs to know of the request around it. */
export interface Context {
  /** Names of the calls so far, by id: results name their call by its id only. */
  readonly names: Map<string, string>;
  readonly report: ParseReport;
}

/**
 * `content`, a string or a list of blocks, as parts.
 * @param at where it stands, e.g. `messages.0.content`, for the message of an error.
 * @throws GatewayError `invalid-request` where it is neither, or where a block lacks what it needs.
 */
export function parseContent(content: Json | undefined, at: string, context: Context): readonly Part[] {
  if (typeof content === 'string') return content === '' ? [] : [{ kind: 'text', text: content }];
  if (content === undefined) throw invalid(`${at}: Field required`, at);
  const list = partList();
  blocksOf(content, at).forEach((block, index) => {
    const carried = parseCarrier(block);
    if (carried) list.carry(carried);
    else for (const part of parseBlock(block, `${at}.${index}`, context)) list.add(part);
  });
  return list.parts();
}

function parseBlock(block: JsonObject, at: string, context: Context): readonly Part[] {
  return parseShown(block, at, context.report) ?? [parseSaid(block, at, context)];
}

/** What may stand in a result as well; undefined of any other block. */
function parseShown(
  block: JsonObject,
  at: string,
  report: ParseReport,
): ToolResultPart['content'] | undefined {
  switch (block['type']) {
    case 'text':
      return [parseText(block, at)];
    case 'image':
      return [parseImage(block, at) ?? opaque(block)];
    case 'document':
      return parseDocument(block, at, report) ?? [opaque(block)];
    case 'search_result':
      return [parseSearchResult(block, report)];
    default:
      return undefined;
  }
}

function parseSaid(block: JsonObject, at: string, context: Context): Part {
  switch (block['type']) {
    case 'compaction':
      return parseCompaction(block, context.report) ?? opaque(block);
    case 'thinking': {
      const { type: _, thinking, signature: proof, ...rest } = block;
      const signature = broughtBack(proof, 'anthropic');
      return {
        kind: 'thinking',
        text: requiredText(thinking, `${at}.thinking.thinking`),
        ...(signature && { signature }),
        ...unknownFieldsOf(rest),
      };
    }
    case 'redacted_thinking': {
      const { type: _, data, ...rest } = block;
      const redacted = unseal(requiredText(data, `${at}.redacted_thinking.data`), 'anthropic');
      return { kind: 'thinking', text: '', redacted, ...unknownFieldsOf(rest) };
    }
    case 'tool_use':
      return parseCall(block, at, context);
    case 'tool_result':
      return parseResult(block, at, context);
    default:
      return opaque(block);
  }
}

function parseText(block: JsonObject, at: string): TextPart {
  const { type: _, text, cache_control, citations, ...rest } = block;
  const cited = asObjects(citations).map(parseCitation);
  return {
    kind: 'text',
    text: requiredText(text, `${at}.text.text`),
    ...(cited.length > 0 && { citations: cited }),
    ...markAndOwn(cache_control),
    ...unknownFieldsOf(withoutFields(rest, OF_CLIENTS)),
  };
}

function parseCall(block: JsonObject, at: string, { names }: Context): Part {
  const { type: _, id, name, input, cache_control, caller, toolset_name, ...rest } = block;
  const call = {
    id: requiredText(id, `${at}.tool_use.id`),
    name: requiredText(name, `${at}.tool_use.name`),
  };
  names.set(call.id, call.name);
  return {
    kind: 'tool-call',
    ...call,
    arguments: argumentsText(input),
    ...markAndOwn(cache_control, { caller, toolset_name }),
    ...unknownFieldsOf(rest),
  };
}

function parseResult(block: JsonObject, at: string, context: Context): ToolResultPart {
  const { type: _, tool_use_id, content, is_error, cache_control, toolset_name, ...rest } = block;
  const id = requiredText(tool_use_id, `${at}.tool_result.tool_use_id`);
  const name = context.names.get(id);
  const isError = asFlag(is_error);
  return {
    kind: 'tool-result',
    id,
    ...(name !== undefined && { name }),
    content: parseResultContent(content, `${at}.content`, context.report),
    ...(isError !== undefined && { isError }),
    ...markAndOwn(cache_control, { toolset_name }),
    ...unknownFieldsOf(rest),
  };
}

/** A result holds no calls, thoughts or other results: a block that is none of the usual ones is kept whole. */
function parseResultContent(
  content: Json | undefined,
  at: string,
  report: ParseReport,
): ToolResultPart['content'] {
  if (content === undefined || content === null || content === '') return [];
  if (typeof content === 'string') return [{ kind: 'text', text: content }];
  return blocksOf(content, at).flatMap((block, index): ToolResultPart['content'] => {
    if (block['type'] === 'tool_reference') return [parseToolReference(block, report)];
    const here = `${at}.${index}`;
    const shown = parseShown(block, here, report) ?? [opaque(block)];
    return shown.map((part) => (part.kind === 'opaque' ? passedOver(part, here) : part));
  });
}

/** Blocks without a meaning elsewhere: what Anthropic's tools and features leave in a conversation (its SDK's types). */
const PASSED_OVER =
  /^(?:compaction|fallback|server_tool_use|mcp_tool_use|mcp_tool_listing|tool_(?:addition|removal|reference)|browser_state|\w+_tool_result)$/;

/**
 * A block of what is given to the model, by the user or in a result, that others cannot read.
 * @throws GatewayError `invalid-request` for one that nobody knows: what it says would be lost in silence.
 */
export function passedOver(part: OpaquePart, at: string): OpaquePart {
  const { type: given, source } = part.value;
  const type = asText(given) ?? typeof given;
  if (PASSED_OVER.test(type)) return part;
  if (type !== 'image' && type !== 'document') throw unknownTag(at, type);
  const place = `${at}.${type}.source`;
  if (!isObject(source)) throw invalid(`${place}: Field required`, place);
  throw unknownTag(place, asText(source['type']) ?? '');
}

function blocksOf(content: Json, at: string): readonly JsonObject[] {
  if (!isList(content)) throw invalid(`${at}: Input should be a valid list`, at);
  return content.map((block, index) => {
    const here = `${at}.${index}`;
    if (!isObject(block)) throw invalid(`${here}: Input should be an object`, here);
    if (block['type'] === undefined) throw invalid(`${here}.type: Field required`, `${here}.type`);
    return block;
  });
}

function opaque(block: JsonObject): OpaquePart {
  return { kind: 'opaque', format: FORMAT, value: block };
}
