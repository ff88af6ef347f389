import { describe, expect, test } from 'vitest';
import { hashKey, keysOf, makeKey } from '../src/keys.ts';

describe('keys', () => {
  test('a key made is unlike any other, and found by itself alone', () => {
    const made = makeKey();
    const keys = keysOf([{ name: 'a', hash: hashKey(made) }]);
    expect(made).toMatch(/^gw_[\w-]{43}_[0-9a-f]{8}$/);
    expect(makeKey()).not.toBe(made);
    expect(keys.find(made)?.name).toBe('a');
    expect(keys.find(`${made} `)).toBeUndefined();
    expect(keys.find(hashKey(made))).toBeUndefined();
    expect(keys.find('')).toBeUndefined();
  });

  test.each([
    [undefined, 'openai/gpt-4o', true],
    [[], 'openai/gpt-4o', false],
    [['openai/gpt-4o'], 'openai/gpt-4o', true],
    [['OpenAI/GPT-4o'], 'openai/gpt-4o', true],
    [['openai/gpt-4o'], 'openai/gpt-4o-mini', false],
    [['openai/*'], 'openai/gpt-4o', true],
    [['openai/*'], 'openai2/gpt-4o', false],
    [['open/*'], 'openai/gpt-4o', false],
    [['anthropic/*', 'openai/gpt-4o'], 'openai/gpt-4o', true],
  ])('restricted to %j, %s: %s', (models, id, allowed) => {
    const keys = keysOf([{ name: 'a', hash: hashKey('secret-key'), ...(models && { models }) }]);
    expect(keys.find('secret-key')?.allows(id)).toBe(allowed);
  });
});
