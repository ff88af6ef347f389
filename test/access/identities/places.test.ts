/**
 * A token works wherever a key does: in every format, whole and streamed, and in the vendors' own SDKs. No
 * vendor receives it.
 */

import { GoogleGenAI } from '@google/genai';
import OpenAI from 'openai';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { ExchangeRecord } from '../../../src/accounting/usage/exchange-record.ts';
import { KEY, startRecorded, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { eventually } from '../../support/raw.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { type Provider, startProvider } from './provider.ts';

let provider: Provider;
let upstream: TestUpstream;
let sandboxed: TestGateway & { readonly records: ExchangeRecord[] };
let behind: TestGateway & { readonly records: ExchangeRecord[] };
beforeAll(async () => {
  provider = await startProvider();
  upstream = await startUpstream((_, response) => response.writeHead(418).end('{}'));
  const identities = [provider.identity({ subject: 'email' })];
  sandboxed = await startRecorded({ identities });
  behind = await startRecorded({ identities, vendors: vendorsAtUrl(upstream.url), retries: { limit: 0 } });
});
afterAll(async () => {
  await sandboxed.close();
  await behind.close();
  await upstream.close();
  await provider.close();
});

const said = [{ role: 'user', content: 'Say hello.' }];
const chat = { model: 'openai/gpt-4.1', messages: said };
const responses = { model: 'openai/gpt-4.1', input: 'Say hello.', store: false };
const messages = { model: 'anthropic/claude-sonnet-4-5', max_tokens: 100, messages: said };
const google = { contents: [{ role: 'user', parts: [{ text: 'Say hello.' }] }] };
const generate = '/v1beta/models/gemini-2.5-flash:generateContent';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

type Headers = Readonly<Record<string, string>>;
const PLACES: readonly [
  where: string,
  path: string,
  body: object | undefined,
  headers: (token: string) => Headers,
][] = [
  ['chat-completions', '/v1/chat/completions', chat, bearer],
  ['chat-completions, streamed', '/v1/chat/completions', { ...chat, stream: true }, bearer],
  ['chat-completions, translated', '/v1/chat/completions', { ...chat, model: messages.model }, bearer],
  ['responses', '/v1/responses', responses, bearer],
  ['responses, streamed', '/v1/responses', { ...responses, stream: true }, bearer],
  ['messages, X-API-Key', '/v1/messages', messages, (token) => ({ 'x-api-key': token })],
  ['messages, Bearer', '/v1/messages', { ...messages, stream: true }, bearer],
  ['messages, both', '/v1/messages', messages, (token) => ({ ...bearer(token), 'x-api-key': token })],
  ['generateContent, x-goog-api-key', generate, google, (token) => ({ 'x-goog-api-key': token })],
  ['generateContent, the neutral name', generate, google, (token) => ({ 'x-vendorc-api-key': token })],
  ['generateContent, Bearer', generate, google, bearer],
  ['generateContent, ?key=', `${generate}?key=TOKEN`, google, () => ({})],
  ['models', '/v1/models', undefined, bearer],
  ['models, X-API-Key', '/v1/models/openai/gpt-4.1', undefined, (token) => ({ 'x-api-key': token })],
  ['models of Google, ?key=', '/v1beta/models?key=TOKEN', undefined, () => ({})],
  ['prices', '/console/models.json', undefined, bearer],
];

function ask(
  gateway: TestGateway,
  path: string,
  body: object | undefined,
  headers: Headers,
): Promise<Response> {
  return fetch(gateway.url + path, {
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    headers: { 'content-type': 'application/json', ...headers },
  });
}

describe.each(PLACES)('%s', (_, path, body, headers) => {
  let token: string;
  let at: string;
  beforeEach(async () => {
    token = await provider.token({ email: 'alice@example.com', email_verified: true });
    at = path.replace('TOKEN', token);
  });

  test('is accepted, the first time and again, and recorded under its name', async () => {
    for (const _ of ['verified', 'remembered']) {
      sandboxed.records.length = 0;
      const response = await ask(sandboxed, at, body, headers(token));
      const answer = await response.text();
      expect(response.status, answer).toBe(200);
      if (body === undefined) continue;
      await eventually(() => sandboxed.records.length === 1, 'it is noted');
      expect(sandboxed.records).toMatchObject([{ key: 'okta/alice@example.com', status: 200 }]);
    }
  });

  test('is not sent to a vendor', async () => {
    upstream.received.length = 0;
    await (await ask(behind, at, body, headers(token))).text();
    expect(upstream.received).toHaveLength(body === undefined ? 0 : 1);
    const [, claims = ''] = token.split('.');
    for (const { url, headers: sent, body: bytes } of upstream.received)
      expect(url + JSON.stringify(sent) + bytes.toString()).not.toContain(claims);
  });

  test('is rejected next to another credential, and when it is corrupted', async () => {
    const [signature = ''] = token.split('.').slice(-1);
    const spoilt = token.replace(signature, signature.toLowerCase());
    const refused = await ask(sandboxed, at.replace(token, spoilt), body, headers(spoilt));
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain(
      'The token is not valid: its signature does not match any key of its issuer.',
    );
  });
});

test('two tokens, or a token and a key, are rejected as two keys are', async () => {
  const [one, other] = [await provider.token({ email: 'a@b.c' }), await provider.token({ email: 'd@e.f' })];
  for (const key of [other, KEY]) {
    const answer = await ask(sandboxed, '/v1/messages', messages, { ...bearer(one), 'x-api-key': key });
    expect(answer.status).toBe(401);
    expect(await answer.text()).toContain('The API key is not valid');
  }
});

test('a key is still accepted', async () => {
  expect((await ask(sandboxed, '/v1/chat/completions', chat, bearer(KEY))).status).toBe(200);
});

test("OpenAI's SDK accepts a token as its key", async () => {
  const apiKey = await provider.token({ email: 'sdk@example.com' });
  const client = new OpenAI({ baseURL: `${sandboxed.url}/v1`, apiKey });
  const completion = await client.chat.completions.create({
    model: 'anthropic/claude-sonnet-4-5',
    messages: [{ role: 'user', content: 'Hi' }],
  });
  expect(completion.choices[0]?.finish_reason).toBe('stop');
  const late = await provider.token({ email: 'sdk@example.com', exp: Math.floor(Date.now() / 1_000) - 60 });
  const expired = new OpenAI({ baseURL: `${sandboxed.url}/v1`, apiKey: late });
  await expect(expired.models.list()).rejects.toThrow('The token is not valid: it has expired.');
});

test("Google's SDK accepts a token as its key", async () => {
  const apiKey = await provider.token({ email: 'sdk@example.com' });
  const client = new GoogleGenAI({ apiKey, httpOptions: { baseUrl: sandboxed.url } });
  const answer = await client.models.generateContent({ model: 'gemini-2.5-flash', contents: 'Hi' });
  expect(answer.text).toBeTruthy();
});
