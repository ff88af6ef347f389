import { describe, expect, test } from 'vitest';
import { GatewayError } from '../../src/lib/errors.ts';
import { hidden, hiddenInJson, withoutSecrets, withoutSecretsIn } from '../../src/upstream/redact.ts';
import { growthOf, SQUARE } from '../support/cost.ts';

/** The beginnings of the credentials that clouds issue. */
const CLOUDS = [
  'eyJ',
  'eyJ-',
  'eyJaaaaaaaa.',
  'ya29.',
  'AKIA',
  'AKIA ',
  'Signature=0',
  'x-amz-security-token: ',
];

describe('withoutSecrets', () => {
  test.each([
    ['a key a-key-of-ours-0123, twice a-key-of-ours-0123', 'a key [hidden], twice [hidden]'],
    ['Incorrect API key provided: sk-proj-abcdefghijklmnop_1234.', 'Incorrect API key provided: [hidden].'],
    ['sk-ant-api03-AAAABBBBCCCCDDDD-xyz', '[hidden]'],
    ['key=AIzaSyA1234567890123456789012345678901', 'key=[hidden]'],
    ['"Authorization: Bearer abc.def-ghi/jkl="', '"Authorization: [hidden]"'],
    ['postgres://user:pa55word@db/x', 'postgres://[hidden]@db/x'],
    ['a token eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJodHRwcyJ9.c2lnbmF0dXJl.', 'a token [hidden].'],
    ['gw_0123456789012345678901234567890123456789abc_0011aabb', '[hidden]'],
    ['not ya29.c.b0AXv0zTN-abc_def012345', 'not [hidden]'],
    ['assertion eyJhbGciOiJSUzI1NiJ9.eyJpc3MiOiJ4In0.c2lnbmF0dXJl is bad', 'assertion [hidden] is bad'],
    ['Credential=AKIAIOSFODNN7EXAMPLE/20261123/us-east-1', 'Credential=[hidden]/20261123/us-east-1'],
    ['x-amz-security-token:IQoJb3JpZ2luX2VjEJr/+x==\\n', 'x-amz-security-token:[hidden]\\n'],
    [`SignedHeaders=host, Signature=${'0a'.repeat(32)}`, 'SignedHeaders=host, [hidden]'],
  ])('%s', (text, shown) => {
    expect(withoutSecrets(text, 'a-key-of-ours-0123')).toBe(shown);
    // It first looks whether a text can hold any of them at all.
    expect(hidden(text, 'a-key-of-ours-0123')).toBe(shown);
  });

  test.each(['sk-', 'rk_', 'gsk_', 'xai-', 'pplx-', 'gw_', 'r8_', 'hf_', 'SK-'])(
    '%s and 16 more',
    (prefix) => {
      expect(withoutSecrets(`a ${prefix}0123456789abcdef.`, '')).toBe('a [hidden].');
      expect(hidden(`${prefix}0123456789abcdef`, '')).toBe('[hidden]');
      expect(withoutSecrets(`a ${prefix}0123456789abcde.`, '')).toBe(`a ${prefix}0123456789abcde.`);
    },
  );

  test('a key of this gateway is recognized from 12 characters on', () => {
    expect(withoutSecrets('abcdef-12345 is abcdef-1234 5', 'abcdef-12345')).toBe('[hidden] is abcdef-1234 5');
    expect(hidden('abcdef-12345', 'abcdef-12345')).toBe('[hidden]');
    expect(hidden('Bearer 12345678', '')).toBe('[hidden]');
    expect(withoutSecrets('abcdef-1234 5', 'abcdef-1234')).toBe('abcdef-1234 5');
  });

  test.each([
    'max_tokens: Field required',
    'The bearer of this message asks for a risk-free desk-top.',
    'https://example.com/a:b@c',
    'sk-short',
    'the disk-0123456789abcdef of task_0123456789abcdef',
    '10.5 and 127.0 are numbers; 8.8.8.8 is public',
  ])('leaves alone: %s', (text) => {
    expect(withoutSecrets(text, 'ollama')).toBe(text);
    expect(withoutSecretsIn(new GatewayError('internal', text), 'ollama').message).toBe(text);
  });

  test('takes no longer for text that almost matches, over and over', () => {
    for (const piece of [
      'sk-',
      'Bearer ',
      '://',
      '://a',
      'AIza',
      'sk-aaaaaaaaaaaaaaa ',
      '10.1.',
      '://:',
      '::',
      'a:',
      '[0:0:0:0:',
      'fd00::1%',
      '\\u0041',
      '"\\',
      '"\\"',
      ...CLOUDS,
    ]) {
      const hide = (count: number): void => {
        withoutSecrets(piece.repeat(count), 'a-key-of-ours-0123');
        withoutSecretsIn(new GatewayError('internal', piece.repeat(count)), '');
        hiddenInJson(piece.repeat(count), 'a-key-of-ours-0123');
      };
      expect(growthOf(hide, 1_000), piece).toBeLessThan(SQUARE);
    }
  });
});

describe('tellable', () => {
  test.each([
    ['10.0.0.1', true],
    ['10.255.255.255:65535', true],
    ['127.0.0.1:8787', true],
    ['127.255.255.254', true],
    ['169.254.169.254', true],
    ['172.16.0.1', true],
    ['172.20.0.1:80', true],
    ['172.31.255.255', true],
    ['192.168.0.1:8', true],
    ['172.15.0.1', false],
    ['172.32.0.1', false],
    ['110.0.0.1', false],
    ['11.0.0.1', false],
    ['192.169.0.1', false],
  ])('%s is private: %s', (address, isPrivate) => {
    const { message } = withoutSecretsIn(new GatewayError('internal', `at ${address}, no`), '');
    expect(message).toBe(isPrivate ? 'at [hidden], no' : `at ${address}, no`);
  });

  test('hides addresses of private networks, and keeps the rest of an error', () => {
    const error = new GatewayError('upstream-broken', 'no route to 10.1.2.3:8000 or 192.168.7.9', {
      status: 503,
      param: 'p',
      code: 'c',
      retryAfter: 3,
      headers: { a: 'b' },
    });
    const shown = withoutSecretsIn(error, '');
    expect(shown.message).toBe('no route to [hidden] or [hidden]');
    expect(shown).toMatchObject({
      fault: 'upstream-broken',
      status: 503,
      param: 'p',
      code: 'c',
      retryAfter: 3,
    });
    expect(shown.headers).toEqual({ a: 'b' });
  });
});

describe('hidden', () => {
  test.each([
    ['::1', true],
    ['0:0:0:0:0:0:0:1', true],
    ['fc00::', true],
    ['fd12:3456:789a:1::1', true],
    ['FD12:3456:789A:1::1', true],
    ['fe80::1ff:fe23:4567:890a', true],
    ['fe80::1%eth0', true],
    ['::ffff:10.0.0.1', true],
    ['2001:db8::1', false],
    ['2606:4700::1111', false],
    ['12:34:56', false],
    ['std::string', false],
    ['a::b::c', false],
  ])('%s is private: %s', (address, isPrivate) => {
    expect(hidden(`at ${address}, no`, '')).toBe(isPrivate ? 'at [hidden], no' : `at ${address}, no`);
  });

  test('an address in brackets is hidden with its port', () => {
    expect(hidden('http://[fd00::1]:8080/v1', '')).toBe('http://[hidden]/v1');
    expect(hidden('http://[2001:db8::1]:8080/v1', '')).toBe('http://[2001:db8::1]:8080/v1');
  });

  test('a key that truncation has cut in half is hidden', () => {
    const text = `${'x '.repeat(1_000)}a-key-of-ours-0123`.slice(0, 2_000 + 10);
    expect(hidden(text, 'a-key-of-ours-0123')).toBe(`${'x '.repeat(1_000)}[hidden]`);
  });
});

test('hiddenInJson sees through escapes, and leaves the rest unchanged', () => {
  const key = 'a-key-of-ours-0123';
  const text =
    '{ "a":1.0, "a" : "\\u0061-key-of-ours-0123", "b":"\\u00e9\\/", "sk-\\u0061bcdefghijklmnopqrst":[-0] }';
  expect(hiddenInJson(text, key)).toBe('{ "a":1.0, "a" : "[hidden]", "b":"\\u00e9\\/", "[hidden]":[-0] }');
  expect(hiddenInJson('{"a":"\\\\","b":"\\u0061-key-of-ours-0123"}', key)).toBe(
    '{"a":"\\\\","b":"[hidden]"}',
  );
});
