/** Models and errors as Anthropic's own SDK sees them, and callers that disconnect. */

import Anthropic from '@anthropic-ai/sdk';
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
  keys: [{ name: 'restricted', key: RESTRICTED, models: ['anthropic/claude-sonnet-4-5', 'google/*'] }],
});
const scripted = useScripted();

const client = (apiKey = KEY): Anthropic => new Anthropic({ baseURL: gateway().url, apiKey });
const hello = (model: string) =>
  ({
    model,
    max_tokens: 1000,
    messages: [{ role: 'user', content: 'Hello' }],
  }) satisfies Anthropic.MessageCreateParams;

describe.each(SUBJECTS)('errors with $model', ({ model, spoken, thinks }) => {
  /** The format in which the vendor is asked, if it is not chat-completions. */
  const format = model.startsWith('openai/') && thinks ? 'responses' : spoken;

  test('an invalid value is a BadRequestError that names it', async () => {
    // @ts-expect-error: what the SDK's types do not allow, plain JavaScript does.
    const asked = client().messages.create({ ...hello(model), temperature: 'hot' });
    const error = await rejection(asked, Anthropic.BadRequestError);
    expect(error).toMatchObject({ status: 400, type: 'invalid_request_error' });
    expect(error.message).toContain('temperature');
    expect(error.requestID).toMatch(/^req_/);
  });

  test('max_tokens is required', async () => {
    const { max_tokens: _, ...body } = hello(model);
    // @ts-expect-error: so say the SDK's types as well.
    const error = await rejection(client().messages.create(body), Anthropic.BadRequestError);
    expect(error.message).toContain('max_tokens: Field required');
  });

  test('a failure in the middle of a stream is thrown, after the content before it', async () => {
    const { answerUntilFailure, gateway: behind } = scripted();
    const { begun, fail } = answerUntilFailure(format);
    const { messages } = new Anthropic({ baseURL: behind.url, apiKey: KEY });
    const stream = await messages.create({ ...hello(model), stream: true });
    let heard = '';
    const read = async (): Promise<void> => {
      for await (const event of stream) {
        if (event.type === 'content_block_delta' && event.delta.type === 'text_delta')
          heard += event.delta.text;
        if (heard === begun) fail();
      }
    };
    const error = await rejection(read(), Anthropic.APIError);
    expect(error.type).toMatch(/^(?:overloaded|api)_error$/);
    expect(heard).toBe(begun);
    const helper = messages.stream(hello(model));
    helper.on('text', (_, snapshot) => {
      if (snapshot === begun) fail();
    });
    await rejection(helper.finalMessage(), Anthropic.APIError);
  });

  test('a stream that breaks off does not count as complete', async () => {
    const { breakOff, gateway: behind } = scripted();
    breakOff(format);
    const { messages } = new Anthropic({ baseURL: behind.url, apiKey: KEY, maxRetries: 0 });
    await rejection(messages.stream(hello(model)).finalMessage(), Error);
  });

  test('a caller that disconnects in the middle of a stream is no longer served', async () => {
    const { upstream, stall, gateway: behind } = scripted();
    stall(format);
    const closed = upstream.closed();
    const anthropic = new Anthropic({ baseURL: behind.url, apiKey: KEY });
    const stream = anthropic.messages.stream(hello(model));
    stream.on('text', () => stream.abort());
    await rejection(stream.finalMessage(), Anthropic.APIUserAbortError);
    await closed;
    expect(upstream.received).toHaveLength(1);
  });

  test('a rate limit of the vendor: RateLimitError, after the requested number of retries', async () => {
    const { upstream, answer, gateway: behind } = scripted();
    answer((_, response) => {
      response.setHeader('retry-after', '0');
      json(response, RATE_LIMITED[format], 429);
    });
    const anthropic = new Anthropic({ baseURL: behind.url, apiKey: KEY, maxRetries: 1 });
    const error = await rejection(anthropic.messages.create(hello(model)), Anthropic.RateLimitError);
    expect(error).toMatchObject({ status: 429, type: 'rate_limit_error' });
    expect(error.message).toContain('Too many requests');
    expect(upstream.received).toHaveLength(2);
  });

  test('a rejection of the gateway by the vendor is not retried', async () => {
    const { upstream, answer, gateway: behind } = scripted();
    answer((_, response) => json(response, UNAUTHENTICATED[format], 401));
    const anthropic = new Anthropic({ baseURL: behind.url, apiKey: KEY });
    const error = await rejection(anthropic.messages.create(hello(model)), Anthropic.InternalServerError);
    expect(error).toMatchObject({ status: 502, type: 'api_error' });
    expect(upstream.received).toHaveLength(1);
  });
});

describe('errors of the gateway are typed, and not retried', () => {
  const cases: {
    name: string;
    key?: string;
    model: string;
    error: new (...args: never[]) => InstanceType<typeof Anthropic.APIError>;
    like: JsonObject;
  }[] = [
    {
      name: 'a wrong key',
      key: 'gw-not-a-key',
      model: 'claude-sonnet-4-5',
      error: Anthropic.AuthenticationError,
      like: { status: 401, type: 'authentication_error' },
    },
    {
      name: 'an unknown model',
      model: 'anthropic/claude-none',
      error: Anthropic.NotFoundError,
      like: {
        status: 404,
        type: 'not_found_error',
        apiMessage: 'Model not supported: anthropic/claude-none',
      },
    },
    {
      name: 'the short name of another vendor',
      model: 'gpt-4.1',
      error: Anthropic.NotFoundError,
      like: {
        status: 404,
        apiMessage: 'Model not supported: anthropic/gpt-4.1. Did you mean openai/gpt-4.1?',
      },
    },
    {
      name: 'a model that the key may not use',
      key: RESTRICTED,
      model: 'anthropic/claude-opus-4-8',
      error: Anthropic.PermissionDeniedError,
      like: { status: 403, type: 'permission_error' },
    },
  ];
  test.each(cases)('$name', async ({ key, model, error: type, like }) => {
    const { fetch, count } = countingFetch();
    const anthropic = new Anthropic({ baseURL: gateway().url, apiKey: key ?? KEY, fetch });
    const whole = await rejection(anthropic.messages.create(hello(model)), type);
    expect(whole).toMatchObject(like);
    expect(whole.requestID).toMatch(/^req_/);
    await rejection(anthropic.messages.stream(hello(model)).finalMessage(), type);
    await rejection(anthropic.messages.countTokens({ model, messages: hello(model).messages }), type);
    expect(count()).toBe(3);
  });

  test('the key is also accepted as `x-api-key`, as older SDKs send it', async () => {
    const old = new Anthropic({ baseURL: gateway().url, apiKey: null, defaultHeaders: { 'x-api-key': KEY } });
    expect((await old.messages.create(hello('claude-sonnet-4-5'))).stop_reason).toBe('end_turn');
  });
});

describe('models', () => {
  test('are listed, of every vendor', async () => {
    const ids: string[] = [];
    for await (const model of client().models.list()) {
      expect(model).toMatchObject({ type: 'model', display_name: expect.any(String) });
      expect(Date.parse(model.created_at)).toBeGreaterThan(0);
      // The SDK expects these on every model, even if they are null.
      for (const value of [model.capabilities, model.deprecated_at, model.line]) expect(value).toBeNull();
      expect(model.lifecycle).toBe(model.retires_at === null ? 'active' : 'deprecated');
      ids.push(model.id);
    }
    for (const { model } of SUBJECTS) expect(ids).toContain(model);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test.each(SUBJECTS)('$model is found by its id', async ({ model }) => {
    expect(await client().models.retrieve(model)).toMatchObject({ id: model, type: 'model' });
  });

  test('an Anthropic model is found by its name alone; an unknown one is not', async () => {
    expect(await client().models.retrieve('claude-sonnet-4-5')).toMatchObject({
      id: 'anthropic/claude-sonnet-4-5',
    });
    await rejection(client().models.retrieve('no-such-model'), Anthropic.NotFoundError);
  });

  test('one that its vendor will shut down has the date', async () => {
    expect(await client().models.retrieve('openai/o3-mini')).toMatchObject({
      lifecycle: 'deprecated',
      retires_at: '2026-10-23T00:00:00.000Z',
    });
    expect(await client().models.retrieve('claude-sonnet-5-5')).toMatchObject({
      lifecycle: 'active',
      retires_at: null,
    });
  });

  test('are those that the key may use', async () => {
    const { data } = await client(RESTRICTED).models.list();
    expect(data.filter(({ id }) => id.startsWith('anthropic/')).map(({ id }) => id)).toEqual([
      'anthropic/claude-sonnet-4-5',
    ]);
    expect(data.some(({ id }) => id.startsWith('openai/'))).toBe(false);
  });
});
