/** Laws of cleaning: no spelling of a secret is left, and nothing else is changed. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { configSchema } from '../../../src/config/schema.ts';
import { cleanBytes, identitiesIn } from '../../../src/devtools/recorder/clean.ts';
import { inPieces } from '../../../src/devtools/recorder/pieces.ts';
import { listSecrets } from '../../../src/devtools/recorder/secrets.ts';

const clean = (text: string, ...secrets: readonly string[]): string =>
  cleanBytes(Buffer.from(text), secrets, []).toString();

const secret = fc.string({ minLength: 12, maxLength: 60, unit: fc.constantFrom(...'aZ9-_/+=."\\%ü👋') });
const words = fc.string({ unit: 'grapheme', maxLength: 40 });

test('a secret is removed from any JSON, and the result is still JSON', () => {
  fc.assert(
    fc.property(secret, words, words, fc.boolean(), (key, before, after, ascii) => {
      const value = { text: [before + key + after], [`${key}`]: key };
      const json = JSON.stringify(value);
      const spelt = ascii
        ? json.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
        : json;
      expect(JSON.stringify(JSON.parse(clean(spelt, key)))).not.toContain(JSON.stringify(key).slice(1, -1));
    }),
  );
});

test('bytes without a secret are unchanged, valid UTF-8 or not', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(cleanBytes(bytes, ['a-secret-of-the-tests'], []).equals(bytes)).toBe(true);
    }),
  );
});

test('of two secrets, one within the other, neither is left in part', () => {
  expect(
    clean('x key-of-the-tests-long y key-of-the-tests', 'key-of-the-tests', 'key-of-the-tests-long'),
  ).toBe('x [hidden] y [hidden]');
});

test.each([
  ['in organization org-AbCdEfGhIjKl12345678 on', 'in organization org-recorded on'],
  ['"\\norg-AbCdEfGhIjKl12345678\\u000aproj_AbCdEfGhIjKl1234"', '"\\norg-recorded\\u000aproj_recorded"'],
  ["consumer 'project_number:123456789012'", "consumer 'project_number:0'"],
  ['projects/my-project-1/locations', 'projects/recorded/locations'],
  ['gen-lang-client-0123456789', 'recorded'],
  ['request ID req_011CSHoEeqs5C35K2UUqR7Fy', 'request ID req_recorded'],
  ['workspace "wrkspc_01JwQvzr7rXLA5AGx3HKfFUJ"', 'workspace "account_recorded"'],
  ['by apikey_01JwQvzr7rXLA5AGx3HKfFUJ of acct_1AbCdEfGhIjKlMn', 'by account_recorded of account_recorded'],
  ['seen as user-AbCdEfGhIjKl12345678', 'seen as user-recorded'],
  ['consumer: 123456789012', 'consumer: 0'],
  ['account 0b9f3a52-7a51-4f9a-9a53-1a2b3c4d5e6f', 'account 00000000-0000-4000-8000-000000000000'],
  ['the key sk-ant-api03-AbCdEfGhIjKlMnOp', 'the key [hidden]'],
])('%s', (text, cleaned) => {
  expect(clean(text)).toBe(cleaned);
});

test.each([
  'msg_01XFDUDYJgAACzvnptvVoYEL and toolu_01A09q90qw90lq917835lq9',
  'org-chart, projects/ and user-friendly',
  '{"call_id":"call_AbCdEfGhIjKl12345678","id":"0b9f3a52-7a51-4f9a-9a53-1a2b3c4d5e6f"}',
  'a project of 12 people',
])('leaves alone: %s', (text) => {
  expect(clean(text)).toBe(text);
});

describe('the identity of the caller', () => {
  test('is recognized by known fields of the body and of objects with such fields, and by no others', () => {
    const body = {
      user: 'u1',
      metadata: { user_id: 'user_ab_account_cd', topic: 'x' },
      response: { safety_identifier: 's1', metadata: { org_id: 'o1' } },
      messages: [{ user: 'not this' }],
      tools: [{ input_schema: { properties: { user: { type: 'string' } } } }],
      project: 7,
      request_id: '',
    };
    expect(identitiesIn(body).map(({ value }) => value)).toEqual(['u1', 's1', 'user_ab_account_cd', 'o1']);
    for (const value of [undefined, null, [], 'x', 1]) expect(identitiesIn(value)).toEqual([]);
  });

  test.each([
    ['OpenAI’s, who has asked', { user: 'it', prompt_cache_key: 'it', safety_identifier: 'it' }],
    ['OpenAI’s, whose project it is', { organization: 'it', project: 'it', project_id: 'it' }],
    ['Anthropic’s, in a stream', { message: { organization_id: 'it', workspace_id: 'it' } }],
    ['Anthropic’s, of an account', { organization_uuid: 'it', account_uuid: 'it', account_id: 'it' }],
    ['an error of theirs', { error: { request_id: 'it', org_id: 'it' } }],
    ['an agent’s, of itself', { client_metadata: { user_id: 'it' } }],
    ['a router’s, of whom it has asked', { provider: { account_id: 'it' } }],
  ])('is recognized by each of their fields: %s', (_, body) => {
    const told = JSON.stringify(body).match(/"it"/g);
    expect(identitiesIn(body).map(({ value }) => value)).toEqual(told?.map(() => 'it'));
  });

  test('a short value is only removed if it is the whole text', () => {
    const identities = identitiesIn({ user: 'u1' });
    expect(
      cleanBytes(Buffer.from('{"user":"u1","name":"u1","said":"u12 u1"}'), [], identities).toString(),
    ).toBe('{"user":"user-recorded","name":"user-recorded","said":"u12 u1"}');
  });
});

test.each([
  ['postgres://me:of-the%2Dstore@localhost/x', 'of-the-store'],
  ['postgres://me:100%of-the-store@localhost/x', '100%of-the-store'],
])('of the store at %s, the password is a secret in the form that the server receives', (url, password) => {
  expect(listSecrets(configSchema.parse({ store: { url } }))).toEqual([password]);
});

test('a secret in pieces is found, field by field', () => {
  const stream = (...texts: readonly string[]): Buffer =>
    Buffer.from(texts.map((text) => `data: ${JSON.stringify({ a: [{ text }], other: 'x' })}\n\n`).join(''));
  expect(inPieces(stream('it is a-sec', 'ret-of-the', '-tests.'), ['a-secret-of-the-tests'])).toBe(true);
  expect(inPieces(stream('it is a-sec', 'ret', '-tests.'), ['a-secret-of-the-tests'])).toBe(false);
  expect(inPieces(Buffer.from('data: [DONE]\n\n: nothing\n\n'), ['a-secret-of-the-tests'])).toBe(false);
});

test('cleaning takes time proportional to the body, whatever it contains', () => {
  for (const piece of ['org-', 'project', 'projects/', 'account 0b9f3a52-', '\\n', '"', 'a-sec', '%61', 'x'])
    clean(piece.repeat(300_000), 'a-secret-of-the-tests');
});
