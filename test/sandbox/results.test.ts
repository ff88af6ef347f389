/** An image that a tool answers with is named as one of the user's own is, in each format that has such results. */

import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { post, useSandbox, type Vendor } from './support.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==';
const NO_FIELDS = { type: 'object', properties: {} };
const CALL = { name: 'draw', args: {} };
const sandbox = useSandbox();

/** A dialogue in which the tool `draw` has answered with these parts. */
const DIALOGUES: Readonly<Record<string, (parts: readonly Json[]) => [Vendor, string, JsonObject]>> = {
  responses: (output) => [
    'openai',
    '/responses',
    {
      model: 'gpt-4.1',
      input: [
        { role: 'user', content: 'Draw it.' },
        { type: 'function_call', call_id: 'call_1', name: 'draw', arguments: '{}' },
        { type: 'function_call_output', call_id: 'call_1', output },
      ],
    },
  ],
  messages: (content) => [
    'anthropic',
    '/v1/messages',
    {
      model: 'claude-haiku-4-5',
      max_tokens: 500,
      tools: [{ name: 'draw', input_schema: NO_FIELDS }],
      messages: [
        { role: 'user', content: 'Draw it.' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'draw', input: {} }] },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content }] },
      ],
    },
  ],
  'generate-content': (parts) => [
    'google',
    '/v1beta/models/gemini-2.5-flash:generateContent',
    {
      contents: [
        { role: 'user', parts: [{ text: 'Draw it.' }] },
        { role: 'model', parts: [{ functionCall: CALL }] },
        { role: 'user', parts: [{ functionResponse: { name: 'draw', response: { output: '' }, parts } }] },
      ],
    },
  ],
};

const IMAGES: Readonly<Record<string, JsonObject>> = {
  responses: { type: 'input_image', image_url: `data:image/png;base64,${PIXEL}` },
  messages: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PIXEL } },
  'generate-content': { inlineData: { mimeType: 'image/png', data: PIXEL } },
};

test.each(Object.entries(DIALOGUES))('%s', async (format, dialogue) => {
  const drawn = await post(sandbox(), ...dialogue([IMAGES[format] ?? {}]));
  expect(drawn.text).toContain('answered without text.\\n\\nWith it came: image.');
  const empty = await post(sandbox(), ...dialogue([]));
  expect(empty.text).toContain('answered nothing.');
});
