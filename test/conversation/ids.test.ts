import fc from 'fast-check';
import { expect, test } from 'vitest';
import { prefixedId } from '../../src/conversation/ids.ts';

test.each([
  ['msg_01AbC', 'chatcmpl-01AbC'],
  ['chatcmpl-x', 'chatcmpl-x'],
  ['gen-1730-a_b', 'chatcmpl-1730ab'],
  ['0f8c1b1e-77', 'chatcmpl-0f8c1b1e77'],
  ['_a-b', 'chatcmpl-ab'],
  ['resp_', 'chatcmpl-'],
  ['', 'chatcmpl-'],
  ['abc', 'chatcmpl-abc'],
])('the id %j becomes %j', (id, prefixed) => {
  expect(prefixedId('chatcmpl-', id)).toBe(prefixed);
});

test('an id keeps its letters and digits, without the prefix that it has', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('a', 'Z', '0', '9', '_', '-', '@', '[', 'é') }), (id) => {
      const stem = id.replace(/^[a-z]+[_-]/i, '').replaceAll(/[^A-Za-z0-9]/g, '');
      expect(prefixedId('!', id)).toBe(`!${stem}`);
    }),
  );
});
