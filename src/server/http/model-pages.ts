/** Pages of a model list, as the clients of Anthropic and of Google ask for them. Without a size, all models are one page. */

import type { Model } from '../../catalog/model.ts';
import { invalid } from '../../lib/errors.ts';
import type { Query } from '../../lib/query.ts';

export interface ModelPage {
  readonly items: readonly Model[];
  /** Whether more follow, in the direction in which the client goes through the list. */
  readonly more: boolean;
}

/** The longest page of either API. If Google's client asks for a longer one, it gets this many models. */
const MAX_PAGE_SIZE = 1000;

/**
 * The page that Anthropic's client asks for by `limit`, and `after_id` or `before_id` (API reference, "List Models").
 * @throws GatewayError `invalid-request` for a limit that is out of range, and an id that is not in the list
 */
export function anthropicPage(models: readonly Model[], query: Query): ModelPage {
  const size = sizeIn(query, 'limit', models.length);
  if (size > MAX_PAGE_SIZE && query.has('limit')) {
    throw invalid(`limit: Input should be less than or equal to ${MAX_PAGE_SIZE}`, 'limit');
  }
  const before = placeIn(models, query, 'before_id');
  if (before !== undefined) {
    const begin = Math.max(0, before - size);
    return { items: models.slice(begin, before), more: begin > 0 };
  }
  return pageFrom(models, (placeIn(models, query, 'after_id') ?? -1) + 1, size);
}

/**
 * The page that Google's client asks for by `pageSize` and `pageToken` (Gemini API, "models.list"). The token is the id of
 * the last model of the page before.
 * @throws GatewayError `invalid-request` for a size that is no number, and a token that the gateway has not made
 */
export function googlePage(models: readonly Model[], query: Query): ModelPage {
  const size = Math.min(MAX_PAGE_SIZE, sizeIn(query, 'pageSize', models.length));
  return pageFrom(models, (placeIn(models, query, 'pageToken') ?? -1) + 1, size);
}

function pageFrom(models: readonly Model[], begin: number, size: number): ModelPage {
  return { items: models.slice(begin, begin + size), more: begin + size < models.length };
}

function sizeIn(query: Query, field: string, otherwise: number): number {
  const text = query.get(field) ?? '';
  // Google's clients write 0 where nothing is set.
  if (text === '' || (field === 'pageSize' && text === '0')) return otherwise;
  if (!/^[1-9]\d{0,8}$/.test(text)) {
    throw invalid(`${field}: Input should be an integer that is greater than or equal to 1`, field);
  }
  return Number(text);
}

/** Where the model that a field of the query names stands; undefined if the field is empty. */
function placeIn(models: readonly Model[], query: Query, field: string): number | undefined {
  const id = query.get(field) ?? '';
  if (id === '') return undefined;
  const at = models.findIndex((model) => model.id === id);
  if (at < 0) throw invalid(`${field}: ${id.slice(0, 200)} is not in the list of models`, field);
  return at;
}
