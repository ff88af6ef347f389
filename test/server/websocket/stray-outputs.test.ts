/** Outputs that answer no call of the dialogue which a request over a WebSocket continues. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../src/lib/json.ts';
import { refuseStrayOutputs } from '../../../src/server/websocket/stray-outputs.ts';
import { excessOf } from '../../support/cost.ts';

const call = (call_id: string): JsonObject => ({
  type: 'function_call',
  call_id,
  name: 'f',
  arguments: '{}',
});
const output = (call_id: string | null): JsonObject => ({
  type: 'function_call_output',
  call_id,
  output: '',
});
const textOf = (items: readonly JsonObject[]): string => items.map((item) => JSON.stringify(item)).join();

const check = (items: string, before: readonly string[]): void =>
  refuseStrayOutputs(items, { id: 'resp_1', items: before });

describe('W-07: an output is taken', () => {
  test.each<[name: string, items: string, before: readonly string[]]>([
    ['of a call before', textOf([output('a')]), [textOf([call('a')])]],
    ['of a call beside it', textOf([call('b'), output('b')]), [textOf([call('a')])]],
    ['of a call whose id is spelled otherwise', textOf([output('ä"')]), ['{"call_id" :\n"\\u00e4\\""}']],
    ['without an id', textOf([output(null)]), ['']],
    ['that is no JSON: the endpoint reports it', '{"type":"function_call_output",', ['']],
  ])('%s', (_, items, before) => {
    expect(() => check(items, before)).not.toThrow();
  });
});

describe('W-07: an output is refused', () => {
  test.each<[name: string, items: readonly JsonObject[], before: readonly string[]]>([
    ['of no call', [output('b')], [textOf([call('a')])]],
    ['of a call that a text only mentions', [output('b')], [JSON.stringify({ text: '"call_id":"b"' })]],
    [
      'of another kind',
      [{ type: 'custom_tool_call_output', call_id: 'b', output: '' }],
      [textOf([call('a')])],
    ],
  ])('%s', (_, items, before) => {
    expect(() => check(textOf(items), before)).toThrow(
      'No tool call found for function call output with call_id b.',
    );
  });
});

test.each<[name: string, prepare: (size: number) => readonly [items: string, before: readonly string[]]]>([
  [
    'calls and their outputs',
    (size) => {
      const ids = Array.from({ length: size }, (_, index) => `call_${index}`);
      return [textOf(ids.map(output)), [textOf(ids.map(call))]];
    },
  ],
  [
    'what might be the beginning of an id',
    (size) => [textOf([output(null)]), ['"call_id":"\\'.repeat(size)]],
  ],
  ['blanks before an id', (size) => [textOf([output(null)]), [`"call_id"${' '.repeat(20 * size)}`]]],
])('the cost grows linearly: %s', (_, prepare) => {
  expect(excessOf(prepare, ([items, before]) => check(items, before), 20_000)).toBeUndefined();
});
