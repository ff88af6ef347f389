import { expect, test } from 'vitest';
import { openMemories } from '../../../src/server/websocket/memories.ts';

const dialogue = (id: string, length: number) => ({ id, items: ['x'.repeat(length)] });

test('dialogues are bounded for each key and in total: the oldest is dropped first, of the same key before others', () => {
  const memories = openMemories(() => ({ perKey: 400, total: 700 }));
  const [one, two, three] = [memories.open('a', 1_000), memories.open('a', 1_000), memories.open('a', 1_000)];
  const other = memories.open('b', 1_000);
  other.keep('', dialogue('b1', 100));
  one.keep('', dialogue('a1', 100));
  two.keep('', dialogue('a2', 100));
  expect(memories.bytes()).toBe(600);
  // The key has reached its bound: its own oldest is dropped, though another key's is older.
  three.keep('', dialogue('a3', 100));
  expect([
    one.find('a1', ''),
    two.find('a2', '')?.id,
    three.find('a3', '')?.id,
    other.find('b1', '')?.id,
  ]).toEqual([undefined, 'a2', 'a3', 'b1']);
  // The total has reached its bound: the oldest of all is dropped.
  memories.open('c', 1_000).keep('', dialogue('c1', 100));
  expect([other.find('b1', ''), two.find('a2', '')?.id]).toEqual([undefined, 'a2']);
  expect(memories.bytes()).toBe(600);
});

test('a dialogue above the total bound is not kept, and a closed one takes no space', () => {
  const memories = openMemories(() => ({ perKey: 400, total: 700 }));
  const one = memories.open('a', 1_000);
  one.keep('', dialogue('large', 300));
  expect(one.find('large', '')).toBeUndefined();
  one.keep('', dialogue('small', 30));
  expect(memories.bytes()).toBe(60);
  one.forgetAll();
  expect([memories.bytes(), one.find('small', '')]).toEqual([0, undefined]);
});
