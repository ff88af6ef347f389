/** Errors as Google's own SDK throws them, and callers that disconnect. */

import { ApiError, GoogleGenAI } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { json } from '../support/upstream.ts';
import { RATE_LIMITED, rejection, UNAUTHENTICATED, useGateway, useScripted } from './support.ts';

const RESTRICTED = 'gw-restricted-key-of-the-tests';
const gateway = useGateway({
  keys: [{ name: 'restricted', key: RESTRICTED, models: ['google/gemini-2.5-flash', 'openai/*'] }],
});
const scripted = useScripted();

const MODEL = 'gemini-3-flash-preview';

/** The SDK's own default below `/v1`, and the version of the specification. */
describe.each([undefined, 'v1beta'])('version %s', (apiVersion) => {
  const at = (baseUrl: string, apiKey: string): GoogleGenAI =>
    new GoogleGenAI({ apiKey, httpOptions: { baseUrl, ...(apiVersion !== undefined && { apiVersion }) } });

  const ask = (apiKey: string, model: string, contents = 'Hello') =>
    at(gateway().url, apiKey).models.generateContent({ model, contents });

  test.each<[string, string, string, number, string]>([
    ['a wrong key', 'gw-not-a-key', MODEL, 401, 'UNAUTHENTICATED'],
    ['an unknown model', KEY, 'gemini-none', 404, 'NOT_FOUND'],
    ['a model of another vendor', KEY, 'gpt-4.1', 404, 'NOT_FOUND'],
    ['a model that the key may not use', RESTRICTED, MODEL, 403, 'PERMISSION_DENIED'],
  ])('%s is an ApiError, whole, streamed and counted', async (_, key, model, status, word) => {
    const { models } = at(gateway().url, key);
    const request = { model, contents: 'Hello' };
    for (const asked of [
      () => models.generateContent(request),
      () => models.generateContentStream(request),
      () => models.countTokens(request),
    ]) {
      const error = await rejection(asked(), ApiError);
      expect(error.status).toBe(status);
      expect(JSON.parse(error.message)).toMatchObject({ error: { code: status, status: word } });
    }
  });

  test('a key for one model works for it, and lists it alone', async () => {
    expect((await ask(RESTRICTED, 'gemini-2.5-flash')).text).toContain('> Hello');
    const names: (string | undefined)[] = [];
    for await (const { name } of await at(gateway().url, RESTRICTED).models.list()) names.push(name);
    expect(names).toEqual(['models/gemini-2.5-flash']);
  });

  test('an invalid value is reported in the words of the vendor', async () => {
    const { models } = at(gateway().url, KEY);
    const asked = models.generateContent({ model: MODEL, contents: 'Hello', config: { temperature: 9 } });
    const error = await rejection(asked, ApiError);
    expect(error.status).toBe(400);
    expect(error.message).toContain('INVALID_ARGUMENT');
  });

  const streaming = async (url: string, abortSignal?: AbortSignal) =>
    at(url, KEY).models.generateContentStream({
      model: MODEL,
      contents: 'Hello',
      ...(abortSignal && { config: { abortSignal } }),
    });

  test('a failure in the middle of a stream is thrown, after the content before it', async () => {
    const { answerUntilFailure, gateway: behind } = scripted();
    const { begun, fail } = answerUntilFailure('generate-content');
    const stream = await streaming(behind.url);
    let heard = '';
    const read = async (): Promise<void> => {
      for await (const chunk of stream) {
        heard += chunk.text ?? '';
        if (heard === begun) fail();
      }
    };
    const error = await rejection(read(), ApiError);
    expect(error.status).toBe(503);
    expect(heard).toBe(begun);
  });

  test('a stream that breaks off does not count as complete', async () => {
    const { breakOff, gateway: behind } = scripted();
    breakOff('generate-content');
    const read = async (): Promise<void> => {
      for await (const chunk of await streaming(behind.url)) expect(chunk.text).toMatch(/./);
    };
    await rejection(read(), Error);
  });

  test('a caller that disconnects in the middle of a stream is no longer served', async () => {
    const { upstream, stall, gateway: behind } = scripted();
    stall('generate-content');
    const closed = upstream.closed();
    const gone = new AbortController();
    const read = async (): Promise<void> => {
      for await (const chunk of await streaming(behind.url, gone.signal)) if (chunk.text !== '') gone.abort();
    };
    expect((await rejection(read(), Error)).name).toBe('AbortError');
    await closed;
    expect(upstream.received).toHaveLength(1);
  });

  test('a rate limit of the vendor: 429, and only the requested attempt', async () => {
    const { upstream, answer, gateway: behind } = scripted();
    answer((_, response) => json(response, RATE_LIMITED['generate-content'], 429));
    const asked = at(behind.url, KEY).models.generateContent({ model: MODEL, contents: 'Hello' });
    const error = await rejection(asked, ApiError);
    expect(error.status).toBe(429);
    expect(error.message).toContain('Too many requests');
    expect(upstream.received).toHaveLength(1);
  });

  test('a rejection of the gateway by the vendor does not look like a rejection of the caller', async () => {
    const { answer, gateway: behind } = scripted();
    answer((_, response) => json(response, UNAUTHENTICATED['generate-content'], 401));
    const asked = at(behind.url, KEY).models.generateContent({ model: MODEL, contents: 'Hello' });
    const error = await rejection(asked, ApiError);
    expect(error.status).toBe(502);
    expect(error.message).not.toContain('Bad key');
  });
});
