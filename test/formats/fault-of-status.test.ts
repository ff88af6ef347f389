/** A refusal without words means the same in every format. */

import { expect, test } from 'vitest';
import { formats } from '../../src/formats/formats.ts';

const STATUSES = Array.from({ length: 200 }, (_, at) => 400 + at);

test.each(['', '<html>No.</html>', '{}'])('by its status alone: %j', (body) => {
  const of = (name: keyof typeof formats) =>
    STATUSES.map((status) => `${status} ${formats[name].outbound.parseError(status, body).fault}`);
  const expected = of('chat-completions');
  expect(expected).toContain('524 upstream-timeout');
  expect(expected).toContain('405 upstream-broken');
  expect(of('responses')).toEqual(expected);
  expect(of('messages')).toEqual(expected);
  expect(of('generate-content')).toEqual(expected);
});
