/**
 * Outputs that answer no call of the dialogue that a request continues. The connection itself holds that dialogue, so only
 * the client can be wrong, and a model would answer as if something else had been asked.
 */

import { invalid } from '../../lib/errors.ts';
import { asObjects, asText, type JsonObject, tryParseJson } from '../../lib/json.ts';
import type { Dialogue } from './dialogue-memory.ts';

/**
 * Refuses them as OpenAI does.
 * @param items of the request, as JSON without the brackets of a list
 * @throws GatewayError `invalid-request`
 */
export function refuseStrayOutputs(items: string, { items: before }: Dialogue): void {
  if (!items.includes('_output"')) return;
  const read = asObjects(tryParseJson(`[${items}]`));
  const outputs = read.filter(isOutput);
  if (outputs.length === 0) return;
  const known = new Set(read.filter((item) => !isOutput(item)).map(callId));
  for (const piece of before) for (const id of callIdsIn(piece)) known.add(id);
  const stray = outputs.map(callId).find((id) => id !== undefined && !known.has(id));
  if (stray === undefined) return;
  throw invalid(`No tool call found for function call output with call_id ${stray}.`, 'input');
}

function isOutput({ type }: JsonObject): boolean {
  return typeof type === 'string' && type.endsWith('_output');
}

function callId(item: JsonObject): string | undefined {
  return asText(item['call_id']);
}

/** All values of `call_id` in a text of JSON: to parse a long dialogue for each request would cost much more. */
function* callIdsIn(json: string): Generator<string | undefined> {
  for (const [, value = ''] of json.matchAll(/"call_id"\s*:\s*("(?:[^"\\]|\\.)*")/g))
    yield asText(tryParseJson(value));
}
