/** The response object, as a whole answer and as the first and last events of a stream have it. */

import { asList, asObject, isObject, type JsonObject } from '../../lib/json.ts';
import { misfit, show } from '../shape.ts';
import type { Report } from './rules.ts';
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
export function checkResponse(response: JsonObject, report: Report): void {
  const { object, created_at: created, status, error, incomplete_details: details, text, usage } = response;
  const core = misfit(response, CORE);
  if (core !== undefined) report('response-core', core);
  if (object !== 'response') report('response-core', `\`object\` is ${show(object)}`);
  if (typeof created !== 'number') report('response-core', `\`created_at\` is ${show(created)}`);
  const wrong = misfit(response, FIELDS);
  if (wrong !== undefined) report('response-fields', wrong);
  else if (!isObject(asObject(text)?.['format'])) report('response-fields', 'no `text.format`');
  if (typeof status === 'string' && !STATUS.has(status)) report('status-word', show(status));
  const reason = asObject(details)?.['reason'];
  if ((status === 'incomplete') !== (typeof reason === 'string'))
    report('incomplete', `${show(status)}: ${show(details)}`);
  if (status === 'failed' && typeof asObject(error)?.['message'] !== 'string')
    report('error-shape', show(error));
  if (isObject(usage)) checkUsage(usage, report);
  else if (status === 'completed' || status === 'incomplete') report('usage-missing', show(usage));
}

/** The items in a response's `output` that are objects. */
export function getOutput(response: JsonObject): readonly JsonObject[] {
  return asList(response['output']).filter(isObject);
}
