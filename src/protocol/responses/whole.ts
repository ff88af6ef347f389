/** A whole response (OpenAI API reference, "The response object"). */

import { asList, asObject, isObject, type JsonObject } from '../../lib/json.ts';
import { show } from '../shape.ts';
import { checkArguments, checkIds, checkItem, type ItemIds } from './item.ts';
import { checkResponse, getOutput } from './response.ts';
import type { Report } from './rules.ts';

/** Reports what is wrong with a whole answer. @returns whether it reports a failure, which has rules of its own. */
export function checkWhole(body: JsonObject, report: Report): boolean {
  const { error, status } = body;
  if (body['object'] === undefined && error !== undefined && error !== null) {
    if (!isObject(error) || typeof error['message'] !== 'string') report('error-shape', show(error));
    return true;
  }
  checkResponse(body, report);
  const items = getOutput(body);
  const ids: ItemIds = { items: new Set(), calls: new Set() };
  if (items.length !== asList(body['output']).length) report('item-shape', 'an item is not an object');
  for (const item of items) {
    checkItem(item, report);
    checkIds(item, ids, report);
    checkArguments(item, report);
  }
  return status === 'failed' || asObject(error) !== undefined;
}
