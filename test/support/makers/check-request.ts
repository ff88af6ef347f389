/** What the services of open models demand of a request, each by its row. */

import type { Model } from '../../../src/catalog/model.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { asObject, asObjects, asText } from '../../../src/lib/json.ts';
import { checkHistory } from './check-history.ts';
import { serviceRefusal } from './refuse.ts';
import { findService, type Service } from './services.ts';

/**
 * Checks a request of chat completions by the rules of its model's service.
 * @throws Refused with the service's own error
 */
export function checkService(body: JsonObject, model: Model): void {
  const service = findService(model.id);
  checkFields(body, service);
  checkTools(body, service);
  const format = asObject(body['response_format'])?.['type'];
  if (service.refusesSchemas && format === 'json_schema') {
    throw serviceRefusal(service, 'setting', ['response_format', 'type']);
  }
  checkHistory(asObjects(body['messages']), service, thinks(body, model));
}

function checkFields(body: JsonObject, service: Service): void {
  const refused = service.refuses?.find((field) => body[field] != null);
  if (refused !== undefined) throw serviceRefusal(service, 'unknown field', [refused]);
  const { messageFields } = service;
  if (messageFields === undefined) return;
  for (const [index, message] of asObjects(body['messages']).entries()) {
    const role = asText(message['role']) ?? '';
    const known = Object.hasOwn(messageFields, role) ? (messageFields[role] ?? []) : [];
    const stray = Object.keys(message).find((field) => !known.includes(field));
    if (stray !== undefined) throw serviceRefusal(service, 'unknown field', ['messages', index, role, stray]);
  }
}

function checkTools(body: JsonObject, service: Service): void {
  const tools = asObjects(body['tools']).map((tool) => asObject(tool['function']) ?? {});
  const names = tools.map(({ name }) => asText(name) ?? '');
  if (service.uniqueToolNames && new Set(names).size < names.length) {
    throw serviceRefusal(service, 'tool names', ['tools']);
  }
  // What is absent counts as false.
  const strict = tools.filter((tool) => tool['strict'] === true).length;
  if (service.refusesMixedStrict && strict > 0 && strict < tools.length) {
    throw serviceRefusal(service, 'setting', ['tools', 0, 'function', 'strict']);
  }
}

/** Models with a switch think unless it is off ("Thinking mode", api-docs.deepseek.com; platform.kimi.ai). */
function thinks(body: JsonObject, model: Model): boolean {
  const type = asText(asObject(body['thinking'])?.['type']);
  if (type !== undefined) return type !== 'disabled';
  return model.thinking !== undefined && body['reasoning_effort'] !== 'none';
}
