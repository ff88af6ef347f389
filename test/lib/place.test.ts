import { expect, test } from 'vitest';
import { fieldPlace, itemPlace } from '../../src/lib/place.ts';

test('a place is put into words where it is shown', () => {
  const call = itemPlace(fieldPlace(itemPlace('messages', 12), 'tool_calls'), 0);
  expect(`${call}.id`).toBe('messages[12].tool_calls[0].id');
  expect(String(fieldPlace(fieldPlace('messages', 3), 'content'))).toBe('messages.3.content');
});
