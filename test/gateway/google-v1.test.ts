/** Google's SDK (3 and later) without a configured version: it sends requests below /v1, as other formats do. */

import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { googleClient, streamedText } from '../support/google-client.ts';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const model = 'gemini-2.5-flash';
const client = () => googleClient(gateway.url);

test('answers, streams and counts', async () => {
  const { models } = client();
  const whole = await models.generateContent({ model, contents: 'Who are you?' });
  expect(whole.text).toContain('> Who are you?');
  expect(await streamedText(gateway.url, { model, contents: 'Who are you?' })).toBe(whole.text);
  const { totalTokens } = await models.countTokens({ model, contents: 'Who are you?' });
  expect(totalTokens).toBeGreaterThan(0);
});

test("lists Google's models in Google's format", async () => {
  const { models } = client();
  expect((await models.get({ model })).name).toBe(`models/${model}`);
  const names: (string | undefined)[] = [];
  for await (const { name } of await models.list()) names.push(name);
  expect(names).toContain(`models/${model}`);
  expect(names.every((name) => name?.startsWith('models/gemini'))).toBe(true);
});

test("an error is in Google's format", async () => {
  await expect(client().models.generateContent({ model: 'gemini-0', contents: 'Hi' })).rejects.toMatchObject({
    name: 'ApiError',
    status: 404,
    message: expect.stringContaining('Model not supported: google/gemini-0'),
  });
  const headers = { 'x-goog-api-key': KEY, 'content-type': 'application/json' };
  for (const called of [model, `${model}:embedContent`, ':generateContent', 'generateContent']) {
    const path = `${gateway.url}/v1/models/${called}`;
    const noMethod = await fetch(path, { method: 'POST', headers, body: '{}' });
    expect(noMethod.status).toBe(404);
    const message = expect.stringContaining('There is no such method.');
    expect(await noMethod.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND', message } });
  }
});

test("an unsupported method is an error in Google's format too", async () => {
  const { files, caches } = client();
  const like = { name: 'ApiError', status: 404, message: expect.stringContaining('"status":"NOT_FOUND"') };
  await expect(files.list()).rejects.toMatchObject(like);
  await expect(caches.create({ model, config: { contents: 'Hi' } })).rejects.toMatchObject(like);
});

test('other callers still get their list below /v1', async () => {
  const get = async (path: string) =>
    (await fetch(gateway.url + path, { headers: { authorization: `Bearer ${KEY}` } })).json();
  expect(await get('/v1/models')).toMatchObject({ object: 'list' });
  expect(await get('/v1/models/google/gemini-2.5-flash')).toMatchObject({ id: 'google/gemini-2.5-flash' });
});
