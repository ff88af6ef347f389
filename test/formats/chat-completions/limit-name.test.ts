/** A limit of tokens under its older name, which models refuse that reason. */

import { expect, test } from 'vitest';
import { limitName } from '../../../src/formats/chat-completions/outbound/limit-name.ts';
import { GatewayError } from '../../../src/lib/errors.ts';

const refused = new Set(['max_tokens']);
const messages = [{ role: 'user', content: 'Hi' }];

test('it gets its newer name where it stood alone', () => {
  expect(limitName.without({ model: 'm', max_tokens: 9, messages }, refused)).toEqual({
    model: 'm',
    messages,
    max_completion_tokens: 9,
  });
  for (const request of [{ max_tokens: 9, max_completion_tokens: 9, messages }, { messages }])
    expect(limitName.without(request, refused)).toBe(request);
  const request = { max_tokens: 9 };
  expect(limitName.without(request, new Set(['betas']))).toBe(request);
});

test.each([
  [
    ['max_tokens'],
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  [[], "Setting 'max_completion_tokens' is not supported."],
  [[], 'max_tokens is too large: 99999. This model supports at most 16384 completion tokens.'],
])('%j is refused by: %s', (fields, message) => {
  expect(limitName.refusedIn(new GatewayError('invalid-request', message), [])).toEqual(fields);
});
