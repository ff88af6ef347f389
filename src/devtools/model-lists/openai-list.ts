/**
 * OpenAI's list, and that of every service that speaks chat-completions: `GET /models` below the base address, one
 * page. OpenAI itself gives a name, a day and `shutdown_date` (developers.openai.com, "List models"). Others give more,
 * each under names of its own, and all of them are read here: OpenRouter (openrouter.ai/docs, "Model"), Mistral
 * (docs.mistral.ai, "Model card"), Together (docs.together.ai, "List all models"; a list without an object around it),
 * Groq (console.groq.com, "Models"), vLLM (`max_model_len`).
 */

import {
  asFlag,
  asList,
  asNumber,
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../lib/json.ts';
import {
  effortsAmong,
  type Input,
  type Listed,
  type ListedPrices,
  type ListedThinking,
  type ListReader,
  parseDay,
  parseTitle,
  parseTokens,
} from './listed.ts';

/** Reads OpenAI's list and those like it, for `askList`. */
export const openaiList: ListReader = {
  path: () => '/models',
  page(body) {
    const data = isObject(body) ? body['data'] : body;
    return isList(data) ? { models: asObjects(data).flatMap(parseModel) } : undefined;
  },
};

function parseModel(model: JsonObject): readonly Listed[] {
  const name = asText(model['id']);
  if (name === undefined) return [];
  const top = asObject(model['top_provider']) ?? {};
  const takes = isList(model['supported_parameters']) ? asList(model['supported_parameters']) : undefined;
  const created = asNumber(model['created']) ?? 0;
  return [
    {
      name,
      title: parseTitle(model['display_name']) ?? parseTitle(model['name']),
      created: created > 0 ? Math.floor(created) : undefined,
      contextWindow: first(model, [
        'context_length',
        'context_window',
        'max_context_length',
        'max_model_len',
      ]),
      maxOutputTokens:
        parseTokens(top['max_completion_tokens']) ??
        first(model, ['max_completion_tokens', 'max_output_length']),
      prices: parsePrices(asObject(model['pricing'])),
      input: parseInput(model),
      thinking: parseThinking(asObject(model['reasoning'])),
      sampling: takes?.includes('temperature') === false ? false : undefined,
      structuredOutput: takes?.includes('structured_outputs') === false ? false : undefined,
      shutdown: parseDay(model['shutdown_date']) ?? parseDay(model['expiration_date']),
      deprecated: parseDay(model['deprecation']),
      withdrawn: model['active'] === false || model['archived'] === true || undefined,
      kind: parseKind(model),
    },
  ];
}

function first(model: JsonObject, fields: readonly string[]): number | undefined {
  return fields.map((field) => parseTokens(model[field])).find((tokens) => tokens !== undefined);
}

/** OpenRouter's prices are per token, Together's per million tokens. */
function parsePrices(pricing: JsonObject | undefined): ListedPrices | undefined {
  if (pricing === undefined) return undefined;
  if (pricing['prompt'] === undefined) {
    return { input: dollars(pricing['input'], 1), output: dollars(pricing['output'], 1) };
  }
  return {
    input: dollars(pricing['prompt'], 1e6),
    output: dollars(pricing['completion'], 1e6),
    cacheRead: dollars(pricing['input_cache_read'], 1e6),
    cacheWrite: dollars(pricing['input_cache_write'], 1e6),
  };
}

/** A price, from a number or its digits. A negative price means that it depends. */
function dollars(value: Json | undefined, times: number): number | undefined {
  const price = /^\d/.test(asText(value) ?? '') ? Number(value) : asNumber(value);
  if (price === undefined || !(price >= 0) || price === Number.POSITIVE_INFINITY) return undefined;
  return Number((price * times).toPrecision(12));
}

const INPUTS: ReadonlyMap<string, Input> = new Map([
  ['text', 'text'],
  ['image', 'image'],
  ['file', 'document'],
  ['audio', 'audio'],
  ['video', 'video'],
]);

function modalities(model: JsonObject, way: 'input' | 'output'): readonly string[] | undefined {
  const told = asObject(model['architecture'])?.[`${way}_modalities`] ?? model[`${way}_modalities`];
  return isList(told) ? told.flatMap((word) => asText(word) ?? []) : undefined;
}

function parseInput(model: JsonObject): readonly Input[] | undefined {
  const told = modalities(model, 'input')?.flatMap((word) => INPUTS.get(word) ?? []);
  return told === undefined || told.length === 0 ? undefined : [...new Set(told)];
}

function parseThinking(reasoning: JsonObject | undefined): ListedThinking | undefined {
  const words = asList(reasoning?.['supported_efforts']).flatMap((word) => asText(word) ?? []);
  const mandatory = asFlag(reasoning?.['mandatory']);
  const efforts = effortsAmong(new Set(words)).filter((word) => word !== 'none' || mandatory !== true);
  if (efforts.length === 0) return undefined;
  return { kinds: ['effort'], efforts, canDisable: mandatory === undefined ? undefined : !mandatory };
}

/** Together's types of the models that answer in text. */
const TEXT_TYPES = new Set(['chat', 'language', 'code', 'base', 'model']);

function parseKind(model: JsonObject): string | undefined {
  const output = modalities(model, 'output');
  if (output !== undefined && !output.includes('text')) return plain(output.join(' and '));
  if (asObject(model['capabilities'])?.['completion_chat'] === false) return 'no chat';
  const type = asText(model['type']);
  return type === undefined || TEXT_TYPES.has(type) ? undefined : plain(type);
}

function plain(kind: string): string {
  return parseTitle(kind) ?? 'no text';
}
