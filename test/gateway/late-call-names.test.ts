/** Calls of a streamed response whose name or arguments come only with the whole item or the whole response. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { CALLERS, MODELS, namedInputs, startFourCallers } from '../support/four-callers.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const four = whileTestsRun(startFourCallers);

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
    four().answers(events);
    expect(namedInputs(await four().ask(caller, MODELS.responses, true))).toEqual([['f', { x: 1 }]]);
  });

  test('without any name is an error', async () => {
    four().answers([added(0, nameless), argumentsDone, completed([])]);
    await expect(four().ask(caller, MODELS.responses, true)).rejects.toThrow(
      /502: .*a tool call without a name/,
    );
  });
});
