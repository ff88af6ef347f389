/** Cerebras takes a request whose tools are all strict, or none of them. */

import { describe, expect, test } from 'vitest';
import { asObject, type JsonObject } from '../../src/lib/json.ts';
import { CEREBRAS, listAt, QWEN, useDoor } from '../checklist/support.ts';

const { sentFor } = useDoor();

const closed = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};
const fn = (name: string, strict: boolean, parameters: JsonObject = closed): JsonObject => ({
  type: 'function',
  name,
  parameters,
  strict,
});

async function strictOf(model: string, tools: readonly JsonObject[]): Promise<unknown[]> {
  const sent = await sentFor('responses', model, { tools });
  return listAt(sent, 'tools').map(({ function: told }) => asObject(told)?.['strict']);
}

describe('strict tools beside others', () => {
  test.each<[string, JsonObject[], unknown[]]>([
    ['a strict one and one that is not', [fn('f', true), fn('g', false)], [undefined, undefined]],
    ['only strict ones', [fn('f', true), fn('g', true)], [true, true]],
    [
      'one that cannot be enforced',
      [fn('f', true), fn('g', true, { type: 'object' })],
      [undefined, undefined],
    ],
    ['none', [fn('f', false)], [undefined]],
  ])('%s', async (_, tools, expected) => {
    expect(await strictOf(CEREBRAS, tools)).toEqual(expected);
  });

  test('other services get them as they are', async () => {
    expect(await strictOf(QWEN, [fn('f', true), fn('g', false)])).toEqual([true, undefined]);
  });
});
