/** An answer takes minutes to arrive: what is kept of its request for so long does not grow with the dialogue. */

import { expect, test } from 'vitest';
import { unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import { requestContext } from '../../src/translate/write-request.ts';

const TEXT = 'a word of the dialogue';
const parts = [{ text: TEXT }];

const BODIES = {
  'chat-completions': {
    messages: [
      { role: 'system', content: TEXT },
      { role: 'user', content: TEXT },
      {
        role: 'assistant',
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'find', arguments: `{"a":"${TEXT}"}` } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_1', content: TEXT },
    ],
  },
  responses: {
    input: [
      { role: 'user', content: TEXT },
      { type: 'function_call', call_id: 'call_1', name: 'find', arguments: `{"a":"${TEXT}"}` },
      { type: 'function_call_output', call_id: 'call_1', output: TEXT },
    ],
  },
  messages: {
    max_tokens: 9,
    system: TEXT,
    messages: [
      { role: 'user', content: TEXT },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'call_1', name: 'find', input: { a: TEXT } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'call_1', content: TEXT }] },
    ],
  },
  'generate-content': {
    systemInstruction: { parts },
    contents: [
      { role: 'user', parts },
      { role: 'model', parts: [{ functionCall: { id: 'call_1', name: 'find', args: { a: TEXT } } }] },
      { role: 'user', parts: [{ functionResponse: { id: 'call_1', name: 'find', response: { a: TEXT } } }] },
    ],
  },
} as const;

test.each(['chat-completions', 'responses', 'messages', 'generate-content'] as const)('%s', (format) => {
  const body = { model: 'm', ...BODIES[format] };
  const prompt = formats[format].inbound.parseRequest(body, unreported);
  expect(JSON.stringify(prompt)).toContain(TEXT);
  const context = requestContext('id', prompt, body);
  expect(JSON.stringify(context)).not.toContain(TEXT);
  expect(context.prompt.calls).toEqual([{ id: 'call_1', name: 'find' }]);
  expect(context.body['model']).toBe('m');
});

test.each([
  ['req_0aF9', 'req0aF9'],
  ['a-b_c_d', 'abcd'],
  ['-', ''],
])("the exchange's id %j has the letters and digits %j", (id, plain) => {
  const body = { model: 'm', ...BODIES.messages };
  const prompt = formats.messages.inbound.parseRequest(body, unreported);
  expect(requestContext(id, prompt, body).id).toBe(plain);
});
