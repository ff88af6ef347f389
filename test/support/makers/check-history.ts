/** What the services of open models demand of a dialogue, each by its row. */

import type { JsonObject } from '../../../src/lib/json.ts';
import { asObject, asObjects, asText, isObject, tryParseJson } from '../../../src/lib/json.ts';
import { parseText } from '../../../src/sandbox/chat-completions/ask.ts';
import { serviceRefusal } from './refuse.ts';
import type { Service } from './services.ts';

/**
 * @param thinks whether the model thinks before it answers
 * @throws Refused with the service's own error
 */
export function checkHistory(messages: readonly JsonObject[], service: Service, thinks: boolean): void {
  const ids = new Set<string>();
  for (const [index, message] of messages.entries()) {
    checkPlace(messages, index, service);
    if (message['role'] === 'assistant') checkAnswer(message, index, service, thinks, ids);
  }
}

/** Whether a message may stand where it does. */
function checkPlace(messages: readonly JsonObject[], index: number, service: Service): void {
  const role = messages[index]?.['role'];
  const before = messages[index - 1]?.['role'];
  const path = ['messages', index];
  if (service.refusesUserAfterTool && role === 'user' && before === 'tool') {
    throw serviceRefusal(service, 'user after tool', path);
  }
  if (service.refusesLateSystem && role === 'system' && before !== undefined && before !== 'system') {
    throw serviceRefusal(service, 'late system', path);
  }
  const isRepeated = role === before && (role === 'user' || role === 'assistant');
  if (service.alternates && isRepeated) throw serviceRefusal(service, 'order', path);
}

function checkAnswer(
  message: JsonObject,
  index: number,
  service: Service,
  thinks: boolean,
  ids: Set<string>,
): void {
  const path = ['messages', index];
  const calls = asObjects(message['tool_calls']);
  if (service.refusesEmptyTurns && calls.length === 0 && parseText(message['content']).trim() === '') {
    throw serviceRefusal(service, 'empty text', path);
  }
  const thought = asText(message['reasoning_content']) ?? '';
  if (service.wantsReasoning && thinks && calls.length > 0 && thought === '') {
    throw serviceRefusal(service, 'missing reasoning_content', path);
  }
  for (const [at, call] of calls.entries()) checkCall(call, [...path, 'tool_calls', at], service, ids);
}

/** @param ids of the calls before it, to which its own is added */
function checkCall(
  call: JsonObject,
  place: readonly (string | number)[],
  service: Service,
  ids: Set<string>,
): void {
  const id = asText(call['id']) ?? '';
  if (service.callIds?.test(id) === false) {
    throw serviceRefusal(service, 'foreign ids', [...place, 'id'], id);
  }
  if (service.uniqueIds && ids.has(id)) throw serviceRefusal(service, 'repeated ids', place, id);
  ids.add(id);
  const given = asText(asObject(call['function'])?.['arguments']) ?? '';
  if (service.wantsObjects && !isObject(tryParseJson(given))) {
    throw serviceRefusal(service, 'input no object', [...place, 'function', 'arguments']);
  }
}
