/** The response object, as a whole answer and as the first and last events of a stream have it. */

import { asList, asObject, isObject, type JsonObject } from '../../lib/json.ts';
import { misfit, show } from '../shape.ts';
import type { Rule } from './rules.ts';
import { checkUsage } from './usage.ts';

/** From the API reference, "The response object". Strict clients read `text.format`. */
const FIELDS = {
  error: 'an object|null',
  incomplete_details: 'an object|null',
  instructions: 'present',
  metadata: 'an object|null',
  parallel_tool_calls: 'a flag',
  temperature: 'a number|null',
  text: 'an object',
  tool_choice: 'present',
  tools: 'a list',
  top_p: 'a number|null',
} as const;

const CORE = {
  id: 'a non-empty string',
  created_at: 'present',
  status: 'a non-empty string',
  model: 'a non-empty string',
  output: 'a list',
} as const;

const STATUS = new Set(['completed', 'failed', 'in_progress', 'cancelled', 'queued', 'incomplete']);

/** Reports what is wrong with a response object, apart from its items. */
export function checkResponse(response: JsonObject, say: (rule: Rule, detail: string) => void): void {
  const { object, created_at: created, status, error, incomplete_details: details, text, usage } = response;
  const core = misfit(response, CORE);
  if (core !== undefined) say('response-core', core);
  if (object !== 'response') say('response-core', `\`object\` is ${show(object)}`);
  if (typeof created !== 'number') say('response-core', `\`created_at\` is ${show(created)}`);
  const wrong = misfit(response, FIELDS);
  if (wrong !== undefined) say('response-fields', wrong);
  else if (!isObject(asObject(text)?.['format'])) say('response-fields', 'no `text.format`');
  if (typeof status === 'string' && !STATUS.has(status)) say('status-word', show(status));
  const reason = asObject(details)?.['reason'];
  if ((status === 'incomplete') !== (typeof reason === 'string'))
    say('incomplete', `${show(status)}: ${show(details)}`);
  if (status === 'failed' && typeof asObject(error)?.['message'] !== 'string')
    say('error-shape', show(error));
  if (isObject(usage)) checkUsage(usage, say);
  else if (status === 'completed' || status === 'incomplete') say('usage-missing', show(usage));
}

/** The items in a response's `output` that are objects. */
export function getOutput(response: JsonObject): readonly JsonObject[] {
  return asList(response['output']).filter(isObject);
}
