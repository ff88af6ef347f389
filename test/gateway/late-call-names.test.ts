/** Calls of a streamed response whose name or arguments come only with the whole item or the whole response. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type JsonObject, parseJson } from '../../src/lib/json.ts';
import { CALLERS, type FourCallers, MODELS, type Read, startFourCallers } from '../support/four-callers.ts';

let four: FourCallers;
beforeAll(async () => {
  four = await startFourCallers();
});
afterAll(() => four.close());

/** The names and the arguments of an answer's calls. */
function callsOf({ calls }: Read): readonly unknown[] {
  return calls.map(({ name, input }) => [name, typeof input === 'string' ? parseJson(input) : input]);
}

const added = (at: number, item: JsonObject): JsonObject => ({
  type: 'response.output_item.added',
  output_index: at,
  item,
});
const completed = (output: readonly JsonObject[]): JsonObject => ({
  type: 'response.completed',
  response: { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output },
});
const whole: JsonObject = {
  type: 'function_call',
  id: 'fc_1',
  call_id: 'c1',
  name: 'f',
  arguments: '{"x":1}',
};

const { name: _name, arguments: _arguments, ...nameless } = whole;
const itemDone: JsonObject = { type: 'response.output_item.done', output_index: 0, item: whole };
const argumentsDone: JsonObject = {
  type: 'response.function_call_arguments.done',
  output_index: 0,
  item_id: 'fc_1',
  arguments: '{"x":1}',
};

const notResponses = CALLERS.filter((caller) => caller !== 'responses');
describe.each(notResponses)('a call of a response, to a caller of %s', (caller) => {
  test.each([
    ['with its name at its end', [added(0, nameless), argumentsDone, itemDone, completed([])]],
    ['with its name in the finished response', [added(0, nameless), argumentsDone, completed([whole])]],
    [
      'with its arguments in the finished response, at another place',
      [added(1, { ...nameless, name: 'f' }), completed([whole])],
    ],
  ])('%s', async (_, events) => {
    four.answers(events);
    expect(callsOf(await four.ask(caller, MODELS.responses, true))).toEqual([['f', { x: 1 }]]);
  });

  test('without any name is an error', async () => {
    four.answers([added(0, nameless), argumentsDone, completed([])]);
    await expect(four.ask(caller, MODELS.responses, true)).rejects.toThrow(
      /502: .*a tool call without a name/,
    );
  });
});
