/** Limits for some models, of keys and of groups, in addition to their limits for all models together. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { limitsInMemory } from '../../../src/access/limits/open-limits.ts';
import { charging } from '../../../src/accounting/usage/consumption.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import { type ConfigInput, configSchema } from '../../../src/config/schema.ts';
import { hashKey } from '../../../src/store/keys/key-secret.ts';
import { chatCompletion } from '../../support/chat-completion.ts';
import { startGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { hasRedis, startRedis, type TestRedis } from '../../support/redis.ts';
import { soon } from '../../support/soon.ts';
import { useStoppedClock } from '../../support/stopped-clock.ts';
import { json, startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { serveSharing } from './support.ts';

const ONE = 'gw-test-key-by-model';
const TWO = 'gw-test-key-by-model-too';
const MINI = 'openai/gpt-4.1-mini';
const LARGE = 'openai/gpt-4.1';

type Limit = NonNullable<NonNullable<ConfigInput['keys']>[number]['modelLimits']>[number];

let vendor: TestUpstream;
/** The models for which the vendor fails. */
const failing = new Set<string>();
/** The models for which every prompt is too long. */
const short = new Set<string>();
/** The models whose answers are held back; undefined: none. */
let held: (() => void)[] | undefined;
let input = 3;
const closing: (() => Promise<void>)[] = [];

const clock = useStoppedClock();

beforeEach(async () => {
  // No window ends during a test, however long a busy machine takes.
  clock.stop();
  failing.clear();
  short.clear();
  held = undefined;
  input = 3;
  vendor = await startUpstream((request, response) => {
    const { model } = JSON.parse(String(request.body));
    if (failing.has(model)) {
      json(response, { error: { message: 'No.', type: 'server_error' } }, 500);
      return;
    }
    if (short.has(model)) {
      json(response, { error: { message: 'Too long.', code: 'context_length_exceeded' } }, 400);
      return;
    }
    const usage = { prompt_tokens: input, completion_tokens: 0, total_tokens: input };
    const answer = (): void => json(response, chatCompletion('Yes.', { model, usage }));
    if (held === undefined) answer();
    else held.push(answer);
  });
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await vendor.close();
});

function configOf(own: Limit[], group: Limit[] = [], more: ConfigInput = {}): ConfigInput {
  return {
    vendors: vendorsAtUrl(vendor.url),
    groups: [{ name: 'search', modelLimits: group }],
    keys: [
      { name: 'one', key: ONE, group: 'search', modelLimits: own },
      { name: 'two', key: TWO, group: 'search' },
    ],
    ...more,
  };
}

async function serveLimited(...said: Parameters<typeof configOf>): Promise<string> {
  const counted = limitsInMemory();
  const gateway = await startGateway(configOf(...said), undefined, (opened) => ({
    ...opened,
    limits: counted,
    record: recording(charging(counted.charge)),
  }));
  closing.push(gateway.close);
  return gateway.url;
}

const turn = { role: 'user', content: 'Is it?' };
const REQUESTS = {
  'chat-completions': ['/v1/chat/completions', { messages: [turn] }],
  responses: ['/v1/responses', { input: 'Is it?' }],
  messages: ['/v1/messages', { max_tokens: 9, messages: [turn] }],
} as const;

async function ask(
  url: string,
  model: string,
  {
    key = ONE,
    format = 'chat-completions',
    more = {},
  }: { key?: string; format?: string; more?: object } = {},
): Promise<{ status: number; text: string; headers: Headers }> {
  const [path, body] =
    format === 'generate-content'
      ? [
          `/v1beta/models/${model}:generateContent`,
          { contents: [{ role: 'user', parts: [{ text: 'Is it?' }] }] },
        ]
      : REQUESTS[format === 'messages' || format === 'responses' ? format : 'chat-completions'];
  const response = await postJson(
    `${url}${path}`,
    { ...(format !== 'generate-content' && { model }), ...body, ...more },
    { key },
  );
  return { status: response.status, text: await response.text(), headers: response.headers };
}

describe.each(['chat-completions', 'responses', 'messages', 'generate-content'])('in %s', (format) => {
  test('a model has a limit of its own, and the answer reports it', async () => {
    const model = format === 'generate-content' ? 'gemini-2.5-flash' : LARGE;
    const id = format === 'generate-content' ? 'google/gemini-2.5-flash' : LARGE;
    const url = await serveLimited([{ models: [id], requestsPerMinute: 1 }]);
    await ask(url, model, { format });
    const sent = vendor.received.length;
    const refused = await ask(url, model, { format });
    expect(refused.status).toBe(429);
    expect(refused.text).toContain(`this API key is limited to 1 request per minute for ${id}.`);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30);
    expect(refused.headers.get('x-ratelimit-limit-requests')).toBe('1');
    expect(refused.headers.get('x-ratelimit-remaining-requests')).toBe('0');
    expect(refused.headers.get('anthropic-ratelimit-requests-remaining')).toBe(
      format === 'messages' ? '0' : null,
    );
    expect(vendor.received).toHaveLength(sent);
    const other = await ask(url, MINI);
    expect(other.status).toBe(200);
    expect(other.headers.get('x-ratelimit-limit-requests')).toBeNull();
    expect((await ask(url, LARGE, { key: TWO })).status).toBe(200);
  });
});

test('every limit that covers the model applies, and the tightest is reported', async () => {
  const url = await serveLimited(
    [
      { models: ['openai/*'], requestsPerMinute: 4 },
      { models: [LARGE], requestsPerMinute: 1 },
    ],
    [{ models: [MINI], requestsPerMinute: 2 }],
  );
  const first = await ask(url, LARGE);
  expect([first.status, first.headers.get('x-ratelimit-limit-requests')]).toEqual([200, '1']);
  expect((await ask(url, MINI)).headers.get('x-ratelimit-limit-requests')).toBe('2');
  expect((await ask(url, MINI, { key: TWO })).status).toBe(200);
  const ofGroup = await ask(url, MINI, { key: TWO });
  expect(ofGroup.text).toContain(
    `the group search of this API key is limited to 2 requests per minute for ${MINI}.`,
  );
});

test('the limits for all models and those for one are reported together', async () => {
  const url = await serveLimited([], [], {
    keys: [
      {
        name: 'one',
        key: ONE,
        limits: { requestsPerMinute: 5, tokensPerMinute: 900 },
        modelLimits: [{ models: [LARGE], requestsPerMinute: 2 }],
      },
    ],
  });
  const told = async (model: string) => {
    const { headers } = await ask(url, model);
    return ['limit-requests', 'remaining-requests', 'limit-tokens'].map((name) =>
      headers.get(`x-ratelimit-${name}`),
    );
  };
  expect(await told(LARGE)).toEqual(['2', '1', '900']);
  expect(await told(MINI)).toEqual(['5', '3', '900']);
});

test('an alias is limited as its model is, and a limit may name the alias', async () => {
  const url = await serveLimited([{ models: ['house/best'], requestsPerMinute: 1 }], [], {
    aliases: { 'house/best': LARGE },
  });
  expect((await ask(url, 'house/best')).status).toBe(200);
  expect((await ask(url, LARGE)).status).toBe(429);
  expect((await ask(url, 'GPT-4.1')).status).toBe(429);
});

test('tokens and money count for the model that used them', async () => {
  const url = await serveLimited([
    { models: [LARGE], tokensPerMinute: 1_000 },
    { models: [MINI], budgetDay: 0.1 },
  ]);
  input = 1_000_000;
  expect((await ask(url, LARGE)).status).toBe(200);
  await soon(async () => expect((await ask(url, LARGE)).status).toBe(429));
  expect((await ask(url, MINI)).status).toBe(200);
  await soon(async () => {
    const refused = await ask(url, MINI);
    expect(refused.status).toBe(429);
    expect(refused.text).toContain(`This API key has used up its budget for ${MINI} for today.`);
    expect(refused.headers.get('x-should-retry')).toBe('false');
  });
});

test('a concurrent request counts for its model until it ends', async () => {
  const url = await serveLimited([{ models: [LARGE], concurrentRequests: 1 }]);
  const waiting: (() => void)[] = [];
  held = waiting;
  const running = ask(url, LARGE);
  await soon(() => expect(vendor.received).toHaveLength(1));
  const refused = await ask(url, LARGE);
  expect(refused.text).toContain(`is limited to 1 request at a time for ${LARGE}.`);
  held = undefined;
  expect((await ask(url, MINI)).status).toBe(200);
  for (const answer of waiting) answer();
  expect((await running).status).toBe(200);
  failing.add('gpt-4.1');
  await soon(async () => expect((await ask(url, LARGE)).status).toBe(500));
  await soon(async () => expect((await ask(url, LARGE)).status).toBe(500));
});

test('a fallback is bound by the limits of its own model, and that model is charged', async () => {
  const nano = 'openai/gpt-4.1-nano';
  const url = await serveLimited(
    [
      { models: [MINI], requestsPerMinute: 2, tokensPerMinute: 100 },
      { models: [LARGE], tokensPerMinute: 100 },
    ],
    [],
    { fallbacks: { [LARGE]: [MINI, nano] } },
  );
  failing.add('gpt-4.1');
  input = 100;
  const first = await ask(url, LARGE);
  expect([first.status, first.headers.get('x-gateway-model')]).toEqual([200, MINI]);
  expect(first.headers.get('x-ratelimit-limit-requests')).toBe('2');
  // The next fallback answers if this one is over its limit.
  await soon(async () => expect((await ask(url, LARGE)).headers.get('x-gateway-model')).toBe(nano));
  expect((await ask(url, MINI)).status).toBe(429);
  // The model that failed was charged nothing.
  failing.clear();
  expect((await ask(url, LARGE)).status).toBe(200);
});

test('so is one for long prompts', async () => {
  const nano = 'openai/gpt-4.1-nano';
  const url = await serveLimited([{ models: [MINI], requestsPerMinute: 1 }], [], {
    longPromptFallbacks: { [LARGE]: [MINI, nano] },
  });
  short.add('gpt-4.1');
  const answering = async () => (await ask(url, LARGE)).headers.get('x-gateway-model');
  expect([await answering(), await answering()]).toEqual([MINI, nano]);
  expect((await ask(url, MINI)).status).toBe(429);
});

test('a request with many limits of requests at a time causes no warning of a leak', async () => {
  const covering = [[MINI], [MINI, LARGE], ['openai/*'], [MINI, 'anthropic/*'], [MINI, 'google/*']];
  const limits = covering.map((models) => ({ models, concurrentRequests: 5, budgetDay: 5 }));
  const warnings: Error[] = [];
  const warned = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warned);
  const url = await serveLimited(limits, limits);
  expect((await ask(url, MINI)).status).toBe(200);
  process.off('warning', warned);
  expect(warnings).toEqual([]);
});

test('a further model that a body names is limited too', async () => {
  const url = await serveLimited([{ models: [LARGE], requestsPerMinute: 1 }]);
  const more = { fallbacks: [LARGE] };
  expect((await ask(url, MINI, { more })).status).toBe(200);
  expect((await ask(url, MINI, { more })).status).toBe(429);
  expect((await ask(url, MINI)).status).toBe(200);
});

test.each([ONE, TWO])('it is charged too, whatever else is asked meanwhile: %s', async (key) => {
  const limits = [
    { models: [MINI], requestsPerMinute: 9 },
    { models: [LARGE], tokensPerMinute: 100 },
  ];
  // The key has them itself, or its group has.
  const url = await (key === ONE ? serveLimited(limits) : serveLimited([], limits));
  input = 100;
  const waiting: (() => void)[] = [];
  held = waiting;
  const further = ask(url, MINI, { key, more: { fallbacks: [LARGE] } });
  await soon(() => expect(waiting).toHaveLength(1));
  const plain = ask(url, MINI, { key });
  await soon(() => expect(waiting).toHaveLength(2));
  held = undefined;
  for (const answer of waiting) answer();
  expect([(await further).status, (await plain).status]).toEqual([200, 200]);
  // What asks from here on uses nothing itself.
  input = 0;
  await soon(async () => expect((await ask(url, LARGE, { key })).status).toBe(429));
});

test('two limits for the same models, in whatever spelling, are rejected: one would count twice', () => {
  const keys = (models: string[]) => [
    { name: 'one', hash: hashKey(ONE), modelLimits: [{ models: [LARGE, MINI] }, { models }] },
  ];
  expect(configSchema.safeParse({ keys: keys([MINI.toUpperCase(), LARGE]) }).error?.issues[0]).toMatchObject({
    path: ['keys', 0, 'modelLimits'],
    message: 'must not have the same models twice',
  });
  expect(configSchema.safeParse({ keys: keys([MINI]) }).success).toBe(true);
});

describe.skipIf(!hasRedis())('with Redis', () => {
  let redis: TestRedis;
  beforeEach(async () => {
    redis = await startRedis();
  });
  afterEach(() => redis.close());

  async function another(...said: Parameters<typeof configOf>): Promise<string> {
    const config = configSchema.parse({ port: 0, ...configOf(...said) });
    const { url, close } = await serveSharing(config, { redisUrl: redis.url });
    closing.push(close);
    return url;
  }

  test('three replicas share the limits by model of a key and of a group', async () => {
    const own = [{ models: [LARGE], requestsPerMinute: 2 }];
    const group = [{ models: [MINI], budgetDay: 0.1 }];
    const urls: string[] = [];
    for (let count = 0; count < 3; count += 1) urls.push(await another(own, group));
    const [a = '', b = '', c = ''] = urls;
    const statuses: number[] = [];
    for (const url of urls) statuses.push((await ask(url, LARGE)).status);
    expect(statuses).toEqual([200, 200, 429]);
    input = 1_000_000;
    expect((await ask(a, MINI)).status).toBe(200);
    await soon(async () => expect((await ask(b, MINI, { key: TWO })).status).toBe(429));
    await soon(async () => expect((await ask(c, MINI)).status).toBe(429));
    expect((await ask(c, LARGE, { key: TWO })).status).toBe(200);
  });
});
