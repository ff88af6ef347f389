import { expect, test } from 'vitest';
import { fieldOf, itemOf } from '../../src/lib/place.ts';

test('a place is put into words where it is shown', () => {
  const call = itemOf(fieldOf(itemOf('messages', 12), 'tool_calls'), 0);
  expect(`${call}.id`).toBe('messages[12].tool_calls[0].id');
  expect(String(fieldOf(fieldOf('messages', 3), 'content'))).toBe('messages.3.content');
});
