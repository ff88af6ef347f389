/** Errors as OpenAI's own SDK throws them, and callers that disconnect. */

import OpenAI from 'openai';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import { json } from '../support/upstream.ts';
import {
  countingFetch,
  RATE_LIMITED,
  rejection,
  SUBJECTS,
  UNAUTHENTICATED,
  useGateway,
  useScripted,
} from './support.ts';

const RESTRICTED = 'gw-restricted-key-of-the-tests';
const gateway = useGateway({
  keys: [{ name: 'restricted', key: RESTRICTED, models: ['openai/gpt-4.1', 'anthropic/*'] }],
});
const scripted = useScripted();

const client = (apiKey = KEY): OpenAI => new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey });
const asks = (content: string): OpenAI.ChatCompletionMessageParam[] => [{ role: 'user', content }];

describe.each(SUBJECTS)('chat completions of $model', ({ model, spoken }) => {
  test('an invalid value is a BadRequestError that names it', async () => {
    const asked = client().chat.completions.create({
      model,
      messages: asks('Hello'),
      // @ts-expect-error: what the SDK's types do not allow, plain JavaScript does.
      temperature: 'hot',
    });
    const error = await rejection(asked, OpenAI.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error', param: 'temperature' });
    expect(error.requestID).toMatch(/^req_/);
  });

  test('a failure in the middle of a stream is thrown, after the content before it', async () => {
    const { answerUntilFailure, gateway: behind } = scripted();
    const { begun, fail } = answerUntilFailure(spoken);
    const { completions } = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY }).chat;
    const messages = asks('Hello');
    const stream = await completions.create({ model, messages, stream: true });
    let content = '';
    const read = async (): Promise<void> => {
      for await (const chunk of stream) {
        content += chunk.choices[0]?.delta.content ?? '';
        if (content === begun) fail();
      }
    };
    await rejection(read(), OpenAI.APIError);
    expect(content).toBe(begun);
    const helper = completions.stream({ model, messages });
    helper.on('content', (_, snapshot) => snapshot === begun && fail());
    await expect(helper.finalChatCompletion()).rejects.toBeInstanceOf(OpenAI.APIError);
  });

  test('a stream that breaks off does not count as complete', async () => {
    const { breakOff, gateway: behind } = scripted();
    breakOff(spoken);
    const { completions } = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY, maxRetries: 0 }).chat;
    const request = { model, messages: asks('Hello') };
    await rejection(completions.stream(request).finalChatCompletion(), Error);
    const read = async (): Promise<void> => {
      for await (const chunk of await completions.create({ ...request, stream: true })) {
        expect(chunk.choices[0]?.finish_reason ?? null).toBeNull();
      }
    };
    await rejection(read(), Error);
  });

  test('a caller that disconnects in the middle of a stream is no longer served', async () => {
    const { upstream, stall, gateway: behind } = scripted();
    stall(spoken);
    const closed = upstream.closed();
    const openai = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY });
    const stream = await openai.chat.completions.create({ model, messages: asks('Hello'), stream: true });
    for await (const chunk of stream) {
      if ((chunk.choices[0]?.delta.content ?? '') !== '') break;
    }
    await closed;
    expect(upstream.received).toHaveLength(1);
  });

  test('a rate limit of the vendor: RateLimitError, after the requested number of retries', async () => {
    const { upstream, answer, gateway: behind } = scripted();
    answer((_, response) => {
      response.setHeader('retry-after', '0');
      json(response, RATE_LIMITED[spoken], 429);
    });
    const openai = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY, maxRetries: 1 });
    const error = await rejection(
      openai.chat.completions.create({ model, messages: asks('Hello') }),
      OpenAI.RateLimitError,
    );
    expect(error).toMatchObject({ status: 429, message: expect.stringContaining('Too many requests') });
    expect(upstream.received).toHaveLength(2);
  });

  test('a rejection of the gateway by the vendor is not retried', async () => {
    const { upstream, answer, gateway: behind } = scripted();
    answer((_, response) => json(response, UNAUTHENTICATED[spoken], 401));
    const openai = new OpenAI({ baseURL: `${behind.url}/v1`, apiKey: KEY });
    const error = await rejection(
      openai.chat.completions.create({ model, messages: asks('Hello') }),
      OpenAI.InternalServerError,
    );
    expect(error).toMatchObject({
      status: 502,
      code: 'upstream_auth',
      message: expect.stringContaining('Whoever runs it has to look at its key and account there.'),
    });
    expect(upstream.received).toHaveLength(1);
  });
});

describe('errors of the gateway are typed, and not retried', () => {
  const hello = (model: string) => ({ model, messages: asks('Hello') });
  const cases: {
    name: string;
    key?: string;
    body: OpenAI.ChatCompletionCreateParamsNonStreaming;
    error: new (...args: never[]) => InstanceType<typeof OpenAI.APIError>;
    like: JsonObject;
  }[] = [
    {
      name: 'a wrong key',
      key: 'gw-not-a-key',
      body: hello('gpt-4.1'),
      error: OpenAI.AuthenticationError,
      like: { status: 401, code: 'invalid_api_key' },
    },
    {
      name: 'an unknown model',
      body: hello('openai/gpt-none'),
      error: OpenAI.NotFoundError,
      like: { status: 404, code: 'model_not_found', param: 'model' },
    },
    {
      name: 'the short name of another vendor',
      body: hello('claude-sonnet-4-5'),
      error: OpenAI.NotFoundError,
      like: {
        status: 404,
        message:
          '404 Model not supported: openai/claude-sonnet-4-5. Did you mean anthropic/claude-sonnet-4-5?',
      },
    },
    {
      name: 'a model that the key may not use',
      key: RESTRICTED,
      body: hello('google/gemini-2.5-flash'),
      error: OpenAI.PermissionDeniedError,
      like: { status: 403, code: 'model_not_allowed' },
    },
  ];
  test.each(cases)('$name', async ({ key, body, error: type, like }) => {
    const { fetch, count } = countingFetch();
    const openai = new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: key ?? KEY, fetch });
    const whole = await rejection(openai.chat.completions.create(body), type);
    expect(whole).toMatchObject(like);
    expect(whole.requestID).toMatch(/^req_/);
    await rejection(openai.chat.completions.create({ ...body, stream: true }), type);
    expect(count()).toBe(2);
  });

  test('an endpoint that is not supported is not retried', async () => {
    const { fetch, count } = countingFetch();
    const openai = new OpenAI({ baseURL: `${gateway().url}/v1`, apiKey: KEY, fetch });
    const error = await rejection(
      openai.embeddings.create({ model: 'text-embedding-3-small', input: 'x' }),
      OpenAI.NotFoundError,
    );
    expect(error).toMatchObject({ code: 'endpoint_not_available' });
    expect(count()).toBe(1);
  });

  test('a key for one model works for it', async () => {
    const completion = await client(RESTRICTED).chat.completions.create(hello('anthropic/claude-sonnet-4-5'));
    expect(completion.choices[0]?.message.content).toContain('> Hello');
  });
});
