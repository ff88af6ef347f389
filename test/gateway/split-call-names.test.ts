/** Names of calls that come in pieces, from services that speak chat-completions. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, namedInputs, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

const delta = (fields: JsonObject, finish: string | null = null): JsonObject => ({
  id: 'c',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'm',
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const piece = (fn: JsonObject, id?: string, index = 0): JsonObject =>
  delta({ tool_calls: [{ index, ...(id !== undefined && { id }), type: 'function', function: fn }] });
const end = delta({}, 'tool_calls');

const schema = { type: 'object', properties: {} };
const tools = ['get_weather', 'get_weather_of_day', 'set_alarm'].map((name) => ({ name, schema }));
const TOOLS: Readonly<Record<(typeof CALLERS)[number], JsonObject>> = {
  'chat-completions': {
    tools: tools.map(({ name }) => ({ type: 'function', function: { name, parameters: schema } })),
  },
  responses: { tools: tools.map(({ name }) => ({ type: 'function', name, parameters: schema })) },
  messages: { tools: tools.map(({ name }) => ({ name, input_schema: schema })) },
  'generate-content': {
    tools: [{ functionDeclarations: tools.map(({ name }) => ({ name, parameters: schema })) }],
  },
};

const notChat = CALLERS.filter((caller) => caller !== 'chat-completions');
describe.each(notChat)('to a caller of %s, a name', (caller) => {
  const named = async (events: readonly JsonObject[]) => {
    four().answers(events);
    return namedInputs(await four().ask(caller, MODELS['chat-completions'], true, TOOLS[caller]));
  };

  test.each([
    ['without its id again', [piece({ name: 'get_' }, 'a'), piece({ name: 'weather', arguments: '' })]],
    ['with its id again', [piece({ name: 'get_', arguments: '' }, 'a'), piece({ name: 'weather' }, 'a')]],
    ['with another id', [piece({ name: 'get_', arguments: '' }, 'a'), piece({ name: 'weather' }, 'b')]],
    ['without any id', [piece({ name: 'get_w' }), piece({ name: 'eath' }), piece({ name: 'er' })]],
    ['whole, several times', [piece({ name: 'get_weather' }, 'a'), piece({ name: 'get_weather' })]],
  ])('in pieces, %s', async (_, pieces) => {
    expect(await named([...pieces, piece({ arguments: '{"x"' }), piece({ arguments: ':1}' }), end])).toEqual([
      ['get_weather', { x: 1 }],
    ]);
  });

  test('in pieces, the first of which is the name of another tool', async () => {
    const pieces = [piece({ name: 'get_weather' }, 'a'), piece({ name: '_of_day' }, 'a')];
    expect(await named([...pieces, piece({ arguments: '{}' }), end])).toEqual([['get_weather_of_day', {}]]);
  });

  test('that a longer one begins with, in a call without arguments', async () => {
    expect(await named([piece({ name: 'get_weather' }, 'a'), end])).toEqual([['get_weather', {}]]);
    expect(
      await named([
        piece({ name: 'get_weather' }, 'a'),
        piece({ name: 'set_' }, 'b', 1),
        piece({ name: 'alarm', arguments: '{"x":1}' }, 'b', 1),
        end,
      ]),
    ).toEqual([
      ['get_weather', {}],
      ['set_alarm', { x: 1 }],
    ]);
  });

  test('beside another call at the same index', async () => {
    const calls = [
      piece({ name: 'get_weather', arguments: '{"x":1}' }, 'a'),
      piece({ name: 'get_', arguments: '' }, 'b'),
      piece({ name: 'weather_of_day', arguments: '{"x":2}' }, 'b'),
    ];
    expect(await named([...calls, end])).toEqual([
      ['get_weather', { x: 1 }],
      ['get_weather_of_day', { x: 2 }],
    ]);
  });

  test('of no tool', async () => {
    expect(await named([piece({ name: 'get' }, 'a'), piece({ arguments: '{"x":1}' }), end])).toEqual([
      ['get', { x: 1 }],
    ]);
  });
});
