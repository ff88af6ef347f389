/** Names of their own for different tools of one name. */

import { expect, test } from 'vitest';
import type { NamedTool, Tool } from '../../src/conversation/prompt.ts';
import { distinctTools, renameCalls } from '../../src/conversation/rules/distinct-tools.ts';
import { excessOf } from '../support/cost.ts';

const keyOf = ({ kind, name, description }: NamedTool): string => `${kind} ${description} ${name}`;
const fn = (name: string, description = ''): Tool => ({ kind: 'function', name, description });

test('tools of one key keep their name, and a free number is found', () => {
  const same = [fn('f'), fn('f')];
  expect(distinctTools(same, keyOf)).toEqual({ tools: same, names: new Map() });
  const { tools, names } = distinctTools(
    [fn('f'), fn('f', 'B'), fn('f_2'), fn('f', 'C'), fn('f', 'B')],
    keyOf,
  );
  expect(tools.map((tool) => tool.kind !== 'hosted' && [tool.name, tool.givenName])).toEqual([
    ['f', undefined],
    ['f_3', 'f'],
    ['f_2', undefined],
    ['f_4', 'f'],
    ['f_3', 'f'],
  ]);
  expect(names.get('function B f')).toBe('f_3');
});

test('a result has the name of the latest call of its id', () => {
  const call = (name: string) => ({ kind: 'tool-call', id: 'a', name, arguments: '' }) as const;
  const result = { kind: 'tool-result', id: 'a', name: 'f', content: [] } as const;
  const turns = [
    { role: 'assistant', parts: [call('f')] },
    { role: 'user', parts: [result] },
    { role: 'assistant', parts: [call('g')] },
    { role: 'user', parts: [{ ...result, name: 'g' }] },
  ] as const;
  const renamed = renameCalls(turns, ({ name }) => (name === 'f' ? 'f_2' : undefined));
  expect(renamed.map(({ parts }) => parts[0])).toMatchObject([
    { name: 'f_2' },
    { name: 'f_2' },
    { name: 'g' },
    { name: 'g' },
  ]);
});

test('many tools of one name, beside many that have the next names, cost no more than their number', () => {
  const many = (size: number): Tool[] =>
    Array.from({ length: size }, (_, at) => (at % 2 === 0 ? fn('f', `${at}`) : fn(`f_${at}`)));
  expect(excessOf(many, (tools) => distinctTools(tools, keyOf), 10_000)).toBeUndefined();
});
