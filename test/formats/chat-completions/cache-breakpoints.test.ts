/** Cache breakpoints that a caller of this format has written, in a request that is rendered in this format again. */

import { expect, test } from 'vitest';
import type { Avoidance } from '../../../src/conversation/rules/avoidance.ts';
import { parseRequest } from '../../../src/formats/chat-completions/inbound/parse-request.ts';
import { renderRequest } from '../../../src/formats/chat-completions/outbound/render-request.ts';
import { unreported } from '../../../src/formats/format.ts';

const MARK = { cache_control: { type: 'ephemeral' } };
const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } };

const written = {
  model: 'm',
  ...MARK,
  messages: [
    { role: 'system', content: [{ type: 'text', text: 's', ...MARK }] },
    { role: 'user', content: 'x', ...MARK },
    { role: 'assistant', content: 'a', ...MARK },
    { role: 'user', content: 'y' },
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'call_1', content: '5', ...MARK },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } }, ...MARK }],
};

/** The fields about caching, by how often they stand in the request to a model. */
function marksFor(model: string, dialect: string, ...avoids: Avoidance[]): readonly number[] {
  const target = {
    model,
    dialect,
    maxOutputTokens: 100,
    sampling: true,
    structuredOutput: true,
    avoids: new Set(avoids),
  };
  const sent = JSON.stringify(renderRequest(parseRequest(written, unreported), target, unreported));
  return ['"cache_control"', '"prompt_cache_breakpoint"'].map((field) => sent.split(field).length - 1);
}

test('they keep their spelling, except for OpenAI, which knows only its own', () => {
  expect(marksFor('m', 'compatible')).toEqual([6, 0]);
  expect(marksFor('gpt-5.6', 'openai')).toEqual([0, 4]);
  expect(marksFor('gpt-5.4', 'openai')).toEqual([0, 0]);
});

test.each([
  ['m', 'compatible'],
  ['gpt-5.6', 'azure'],
  ['qwen3-max', 'alibaba'],
])('none is left for %s (%s) once the service has refused one', (model, dialect) => {
  expect(marksFor(model, dialect, 'service-fields')).toEqual([0, 0]);
});
