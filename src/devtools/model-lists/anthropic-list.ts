/**
 * Anthropic's list: `GET /v1/models`, paged by `after_id`. The fields are those of the types of `@anthropic-ai/sdk`
 * 1.11 (resources/models.d.ts), where the list keeps retired models and marks them so.
 */

import { asFlag, asObject, asObjects, asText, isList, isObject, type JsonObject } from '../../lib/json.ts';
import {
  effortsAmong,
  type Listed,
  type ListedThinking,
  type ListReader,
  parseDay,
  parseTitle,
  parseTokens,
} from './listed.ts';

/** "Must be between 1,024 and max_tokens" (Anthropic documentation, "Extended thinking"). */
const MIN_BUDGET = 1024;

/** Reads Anthropic's list, for `askList`. */
export const anthropicList: ListReader = {
  path: (next) => `/v1/models?limit=1000${next === undefined ? '' : `&after_id=${encodeURIComponent(next)}`}`,
  page(body) {
    if (!isObject(body) || !isList(body['data'])) return undefined;
    const last = asText(body['last_id']);
    return {
      models: asObjects(body['data']).flatMap(parseModel),
      ...(body['has_more'] === true && last !== undefined && { next: last }),
    };
  },
};

function parseModel(model: JsonObject): readonly Listed[] {
  const name = asText(model['id']);
  if (name === undefined) return [];
  const capabilities = asObject(model['capabilities']);
  const maxOutputTokens = parseTokens(model['max_tokens']);
  const lifecycle = model['lifecycle'];
  const structured = capabilities && supported(capabilities['structured_outputs']);
  // An unknown date is given as the beginning of Unix time.
  const created = Date.parse(asText(model['created_at']) ?? '') / 1000;
  return [
    {
      name,
      title: parseTitle(model['display_name']),
      created: created > 0 ? Math.floor(created) : undefined,
      contextWindow: parseTokens(model['max_input_tokens']),
      maxOutputTokens,
      input: capabilities && [
        'text',
        ...(supported(capabilities['image_input']) ? (['image'] as const) : []),
        ...(supported(capabilities['pdf_input']) ? (['document'] as const) : []),
      ],
      thinking: capabilities && parseThinking(capabilities, maxOutputTokens),
      structuredOutput: structured === false ? false : undefined,
      shutdown: parseDay(model['retires_at']),
      deprecated: parseDay(model['deprecated_at']) ?? (lifecycle === 'deprecated' || undefined),
      withdrawn: lifecycle === 'retired' || undefined,
    },
  ];
}

function parseThinking(capabilities: JsonObject, longest: number | undefined): ListedThinking | undefined {
  const thinking = asObject(capabilities['thinking']);
  if (thinking === undefined || !supported(thinking)) return undefined;
  const effort = asObject(capabilities['effort']) ?? {};
  const words = Object.keys(effort).filter((word) => supported(effort[word]));
  const efforts = supported(effort) ? effortsAmong(new Set(words)) : [];
  const budgeted = supported(asObject(thinking['types'])?.['enabled']) && longest !== undefined;
  if (efforts.length === 0 && !budgeted) return undefined;
  return {
    kinds: [...(efforts.length > 0 ? (['effort'] as const) : []), ...(budgeted ? (['budget'] as const) : [])],
    efforts,
    budget: budgeted ? { min: MIN_BUDGET, max: longest - 1 } : undefined,
  };
}

function supported(capability: JsonObject[string]): boolean {
  return asFlag(asObject(capability)?.['supported']) ?? false;
}
