/** Several messages of one answer stay apart where a service takes one text for them. */

import { expect, test } from 'vitest';
import { asObjects, type JsonObject } from '../../src/lib/json.ts';
import { type FormatName, type TranslatedRequest, translateRequest } from '../../src/translate/index.ts';

function said(...texts: readonly string[]): JsonObject {
  const content = texts.map((text) => ({ type: 'output_text', text, annotations: [] }));
  return { type: 'message', role: 'assistant', content };
}

function translated(
  body: JsonObject,
  from: FormatName = 'responses',
  to: FormatName = 'chat-completions',
): TranslatedRequest {
  return translateRequest({ from, to, model: 'deepseek/deepseek-v4.1-flash', body });
}

const call = { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' };
const result = { type: 'function_call_output', call_id: 'call_1', output: 'x' };
const ask = { role: 'user', content: 'Go on.' };

test.each<[string, readonly JsonObject[], string]>([
  ['two messages', [said('One'), said('Two'), ask], 'One\n\nTwo'],
  ['messages around a call', [said('One'), call, said('Two'), result], 'One\n\nTwo'],
  ['a message of two texts', [said('One', 'Two'), ask], 'OneTwo'],
  ['a message that ends with a line', [said('One\n'), said('Two'), ask], 'One\nTwo'],
])('%s', (_, history, content) => {
  const given: JsonObject = { model: 'm', input: [{ role: 'user', content: 'Hi' }, ...history] };
  const { body } = translated(given);
  expect(asObjects(body['messages']).find(({ role }) => role === 'assistant')?.['content']).toBe(content);
});
