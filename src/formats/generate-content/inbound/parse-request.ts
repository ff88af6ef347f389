/** A generateContent body to a neutral prompt. */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { OutputFormat, Prompt, Tool, ToolChoice, Turn } from '../../../conversation/prompt.ts';
import { resultsFirst } from '../../../conversation/rules/strict-turns.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asFlag, asNumber, asObject, asText, compact, isEmpty, isObject } from '../../../lib/json.ts';
import type { ParseReport } from '../../format.ts';
import { type CallIds, callIds } from '../wire/ids.ts';
import { parseTier } from '../wire/service-tier.ts';
import { parseThinking } from '../wire/thinking.ts';
import {
  CONFIG_FIELDS,
  CONFIG_OWN,
  FORMAT,
  listOf,
  REQUEST_FIELDS,
  REQUEST_OWN,
  sortFields,
} from '../wire/wire.ts';
import { fromOpenApi } from './from-openapi.ts';
import { joinPieces } from './join-pieces.ts';
import { parseParts } from './parse-parts.ts';
import { type Choosing, parseToolConfig, parseTools } from './parse-tools.ts';

/**
 * What a caller asked in Gemini's words. The model stands in the path, not in the body, and whether the answer is to
 * be a stream does too: `model` and `stream` are the pipeline's to set.
 * @throws GatewayError `invalid-request` where the vendor itself would refuse: no contents, an unknown role, a part
 *   with nothing in it.
 */
export function parseRequest(body: JsonObject, report: ParseReport): Prompt {
  const { known, own, extra } = sortFields(body, REQUEST_FIELDS, REQUEST_OWN);
  const contents = known['contents'];
  if (contents === undefined) {
    throw invalid('* GenerateContentRequest.contents: contents is not specified', 'contents');
  }
  const ids = callIds();
  const choosing = parseToolConfig(known['toolConfig']);
  const tools = withStrictness(parseTools(known['tools']), choosing.validated);
  const config = parseConfig(asObject(known['generationConfig']) ?? {}, report);
  const serviceTier = parseTier(known['serviceTier']);
  const kept = { ...own, ...config.own, ...ownToolConfig(choosing, tools) };
  const unknown = { ...extra, ...(!isEmpty(config.extra) && { generationConfig: config.extra }) };
  return {
    model: asText(known['model'])?.replace(/^models\//, '') ?? '',
    turns: [...parseSystem(known['systemInstruction'], ids), ...parseContents(contents, ids)],
    stream: false,
    ...(tools.length > 0 && { tools }),
    ...(choosing.choice && { toolChoice: besideSearch(choosing.choice, tools) }),
    ...config.fields,
    ...compact({ serviceTier, cachedContent: asText(known['cachedContent']) }),
    ...formatSpecificOf(FORMAT, kept),
    ...unknownFieldsOf(unknown),
  };
}

/** A choice here is of functions alone: where some of them may be called, the search stays as it is. */
function besideSearch(choice: ToolChoice, tools: readonly Tool[]): ToolChoice {
  const searches = tools.some((tool) => tool.kind === 'hosted' && tool.webSearch);
  return searches && choice.mode === 'auto' && choice.allowed ? { ...choice, search: true } : choice;
}

function parseSystem(value: Json | undefined, ids: CallIds): readonly Turn[] {
  const instruction = isObject(value) ? sortFields(value, ['parts', 'role']).known['parts'] : value;
  const parts = parseParts(instruction, 'systemInstruction.parts', ids);
  return parts.length > 0 ? [{ role: 'system', parts }] : [];
}

function parseContents(value: Json, ids: CallIds): readonly Turn[] {
  const turns = listOf(value).map((content, index) => parseContent(content, `contents[${index}]`, ids));
  return joinPieces(turns);
}

function parseContent(value: Json, param: string, ids: CallIds): Turn {
  if (typeof value === 'string') return { role: 'user', parts: [{ kind: 'text', text: value }] };
  if (!isObject(value)) throw invalid(`Invalid value at '${param}': a content is an object.`, param);
  const { known, extra } = sortFields(value, ['role', 'parts']);
  const parts = parseParts(known['parts'], `${param}.parts`, ids);
  if (parts.length === 0)
    throw invalid(`${param}.parts: contents.parts must not be empty.`, `${param}.parts`);
  const role = parseRole(asText(known['role']), `${param}.role`);
  return {
    role,
    parts: role === 'user' ? resultsFirst(parts) : parts,
    ...unknownFieldsOf(extra),
  };
}

/** `function` is the role of results in old code, `tool` in Google's own examples; none at all is a user's. */
function parseRole(role: string | undefined, param: string): Turn['role'] {
  if (role === 'model') return 'assistant';
  if (!role || role === 'user' || role === 'function' || role === 'tool') return 'user';
  throw invalid('Please use a valid role: user, model.', param);
}

/** VALIDATED holds all functions to their schemas, which elsewhere is said of each. */
function withStrictness(tools: readonly Tool[], validated: boolean): readonly Tool[] {
  return validated
    ? tools.map((tool) => (tool.kind === 'function' ? { ...tool, strict: true } : tool))
    : tools;
}

function ownToolConfig(choosing: Choosing, tools: readonly Tool[]): JsonObject {
  const isSaidByTools = !choosing.validated || tools.some((tool) => tool.kind === 'function');
  const toolConfig = {
    ...choosing.own,
    ...(!isSaidByTools && {
      functionCallingConfig: { ...asObject(choosing.own['functionCallingConfig']), mode: 'VALIDATED' },
    }),
  };
  return isEmpty(toolConfig) ? {} : { toolConfig };
}

/** `own` is to stand in the body, `extra` in its generationConfig. */
function parseConfig(config: JsonObject, report: ParseReport) {
  const { known, own, extra } = sortFields(config, CONFIG_FIELDS, CONFIG_OWN);
  const output = parseOutput(known, report);
  const kept = { ...own, ...output.own };
  const stop = listOf(known['stopSequences']).filter((sequence) => typeof sequence === 'string');
  const fields = compact({
    temperature: numberIn(known, 'temperature'),
    topP: numberIn(known, 'topP'),
    topK: numberIn(known, 'topK'),
    choices: numberIn(known, 'candidateCount'),
    maxTokens: numberIn(known, 'maxOutputTokens'),
    topLogprobs: numberIn(known, 'logprobs'),
    presencePenalty: numberIn(known, 'presencePenalty'),
    frequencyPenalty: numberIn(known, 'frequencyPenalty'),
    seed: numberIn(known, 'seed'),
    stop: stop.length > 0 ? stop : undefined,
    logprobs: asFlag(known['responseLogprobs']),
    thinking: parseThinking(known['thinkingConfig']),
    output: output.format,
  });
  return { fields, own: isEmpty(kept) ? {} : { generationConfig: kept }, extra };
}

/** Protobuf reads a number written as text, too. */
function numberIn(config: JsonObject, name: string): number | undefined {
  const value = config[name];
  if (value === undefined) return undefined;
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : asNumber(value);
  if (number !== undefined && Number.isFinite(number)) return number;
  const param = `generationConfig.${name}`;
  throw invalid(`Invalid value at '${param}': a number is expected.`, param);
}

function parseOutput(known: JsonObject, report: ParseReport): { format?: OutputFormat; own?: JsonObject } {
  const { responseMimeType, responseSchema, responseJsonSchema } = known;
  const mimeType = asText(responseMimeType);
  const subset = asObject(responseSchema);
  const schema = asObject(responseJsonSchema) ?? (subset && fromOpenApi(subset));
  if (mimeType === 'application/json') {
    return { format: schema ? { kind: 'json-schema', schema } : { kind: 'json' } };
  }
  if (schema === undefined && (mimeType === undefined || mimeType === 'text/plain')) {
    return mimeType === undefined ? {} : { format: { kind: 'text' } };
  }
  report('generationConfig.responseMimeType', 'passed-on', 'only Google answers in this type');
  return {
    own: Object.fromEntries(
      Object.entries(known).filter(([name]) => name.startsWith('response') && name !== 'responseLogprobs'),
    ),
  };
}
