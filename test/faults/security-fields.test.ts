/** What a key that is restricted to models may send: a field that is not known to be harmless is refused by name. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { FORMAT_NAMES } from '../../src/conversation/prompt.ts';
import { asObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { scanned } from '../../src/pipeline/body/scanned.ts';
import { harmlessFields, REFUSED } from '../../src/pipeline/restrictions/harmless-fields.ts';
import { requireHarmless } from '../../src/pipeline/restrictions/require-harmless.ts';
import { requireUniqueKeys } from '../../src/pipeline/restrictions/unique-keys.ts';
import type { KnownFields } from '../../src/translate/known-fields.ts';
import { connect } from '../server/websocket/stage.ts';
import { growthOf, SQUARE } from '../support/cost.ts';
import { KEY } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { FIXTURES } from '../support/recording.ts';
import { sdkFields } from '../support/sdk-fields.ts';
import { useStage } from './stage.ts';

const HELD = 'gw-held-key-of-the-tests';
const GROUPED = 'gw-grouped-key-of-the-tests';

const MODELS = [
  'openai/gpt-4o-mini',
  'anthropic/claude-haiku-4-5',
  'google/gemini-2.5-pro',
  'deepseek/deepseek-v4-flash',
];

const stage = useStage({
  generateContent: { models: 'all' },
  groups: [{ name: 'team', models: MODELS }],
  keys: [
    { name: 'held', key: HELD, models: MODELS },
    { name: 'grouped', key: GROUPED, group: 'team' },
  ],
});

/** The smallest possible request, by the endpoint's name. */
const CALLS: Readonly<Record<string, { readonly path: string; readonly body: JsonObject }>> = {
  chat: {
    path: '/v1/chat/completions',
    body: { model: 'deepseek/deepseek-v4-flash', messages: [{ role: 'user', content: 'x' }] },
  },
  responses: { path: '/v1/responses', body: { model: 'openai/gpt-4o-mini', input: 'x' } },
  compact: { path: '/v1/responses/compact', body: { model: 'openai/gpt-4o-mini', input: 'x' } },
  inputTokens: { path: '/v1/responses/input_tokens', body: { model: 'openai/gpt-4o-mini', input: 'x' } },
  messages: {
    path: '/v1/messages',
    body: { model: 'anthropic/claude-haiku-4-5', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  },
  countTokens: {
    path: '/v1/messages/count_tokens',
    body: { model: 'anthropic/claude-haiku-4-5', messages: [{ role: 'user', content: 'x' }] },
  },
  gemini: {
    path: '/v1beta/models/gemini-2.5-pro:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
  },
  geminiCount: {
    path: '/v1beta/models/gemini-2.5-pro:countTokens',
    body: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
  },
  // Translated, each to a vendor of another format.
  chatTranslated: {
    path: '/v1/chat/completions',
    body: { model: 'anthropic/claude-haiku-4-5', messages: [{ role: 'user', content: 'x' }] },
  },
  messagesTranslated: {
    path: '/v1/messages',
    body: { model: 'openai/gpt-4o-mini', max_tokens: 9, messages: [{ role: 'user', content: 'x' }] },
  },
  responsesTranslated: { path: '/v1/responses', body: { model: 'google/gemini-2.5-pro', input: 'x' } },
  geminiTranslated: {
    path: '/v1beta/models/openai%2Fgpt-4o-mini:generateContent',
    body: { contents: [{ role: 'user', parts: [{ text: 'x' }] }] },
  },
  cursor: { path: '/v1/chat/completions', body: { model: 'openai/gpt-4o-mini', input: 'x' } },
};

async function post(call: string, more: JsonObject | string, key: string, query = '') {
  const { path = '', body } = CALLS[call] ?? {};
  // As text, since the exact bytes count.
  const text =
    typeof more === 'string'
      ? `${JSON.stringify(body).slice(0, -1)},${more}}`
      : JSON.stringify({ ...body, ...more });
  const before = stage.upstream.received.length;
  const response = await postJson(`${stage.gateway.url}${path}${query}`, text, {
    key,
    headers: { connection: 'close' },
  });
  return {
    status: response.status,
    text: await response.text(),
    asked: stage.upstream.received.length - before,
  };
}

/** Expects an error that names the field that a restricted key may not send, and that no vendor is asked. */
async function expectRefused(call: string, more: JsonObject | string, named: string): Promise<void> {
  for (const key of [HELD, GROUPED]) {
    const refused = await post(call, more, key);
    expect(refused, refused.text).toMatchObject({ status: 403, asked: 0 });
    const { error } = asObject(parseJson(refused.text)) ?? {};
    expect(String(asObject(error)?.['message'])).toContain(`"${named}"`);
  }
}

describe('S-33 fields', () => {
  test.each(Object.keys(CALLS))(
    '%s: an unknown field, and fields whose names fold to known ones',
    async (call) => {
      await expectRefused(call, { a_field_of_tomorrow: 1 }, 'a_field_of_tomorrow');
      await expectRefused(call, { fallback_models: ['gpt-5-pro'] }, 'fallback_models');
      await expectRefused(call, '"fallback\u017f":[]', 'fallback?');
      await expectRefused(call, '"fallbac\u212as":[]', 'fallbac?s');
      await expectRefused(call, '"Fallbacks":[]', 'Fallbacks');
      await expectRefused(call, '"\\u0046allbacks":[]', 'Fallbacks');
      await expectRefused(call, { compound_custom: { models: { answering_model: 'x' } } }, 'compound_custom');
      await expectRefused(call, { api_base: 'https://elsewhere.example' }, 'api_base');
    },
  );

  test.each(['gemini', 'geminiCount', 'geminiTranslated'])(
    '%s: fields inside it that choose a model',
    async (call) => {
      const manualMode = { modelName: 'gemini-2.5-flash' };
      const named = 'generationConfig.routingConfig';
      await expectRefused(call, { generationConfig: { routingConfig: { manualMode } } }, named);
      await expectRefused(
        call,
        { generationConfig: { routing_config: { manualMode } } },
        'generationConfig.routing_config',
      );
      await expectRefused(
        call,
        { generation_config: { routingConfig: {} } },
        'generation_config.routingConfig',
      );
      await expectRefused(
        call,
        { generationConfig: { modelSelectionConfig: { featureSelectionPreference: 'X' } } },
        'generationConfig.modelSelectionConfig',
      );
      await expectRefused(call, { tools: [{ aToolOfTomorrow: {} }] }, 'tools.aToolOfTomorrow');
      // Known fields are known in each spelling, whatever those around them have.
      const level = { generation_config: { thinkingConfig: { thinking_level: 1 } } };
      expect(await post(call, level, HELD)).toMatchObject({ asked: 1 });
      expect(await post(call, {}, HELD, '?$alt=json;enum-encoding=int')).toMatchObject({ asked: 1 });
      const within = {
        model: 'models/gemini-2.5-pro',
        contents: [],
        generationConfig: { routingConfig: {} },
      };
      await expectRefused(
        call,
        { generateContentRequest: within },
        'generateContentRequest.generationConfig.routingConfig',
      );
      const ranking = { llmRanker: { modelName: 'gemini-2.5-flash' } };
      await expectRefused(
        call,
        { tools: [{ retrieval: { vertexRagStore: { ragRetrievalConfig: { ranking } } } }] },
        'tools.retrieval.vertexRagStore.ragRetrievalConfig.ranking',
      );
    },
  );

  test('a duplicate key in a field that is read is refused, at any depth', async () => {
    const twice = '"generationConfig":{"thinkingConfig":{"x":1},"thinkingConfig":{}}';
    expect(await post('gemini', twice, HELD)).toMatchObject({ status: 400, asked: 0 });
  });

  test.each<[call: string, more: JsonObject, named: string]>([
    ['chat', { extra_body: { model: 'gpt-5-pro' } }, 'extra_body.model'],
    [
      'chat',
      { extra_body: { google: { cached_content: 'cachedContents/x' } } },
      'extra_body.google.cached_content',
    ],
    ['chat', { providerOptions: { openai: { model: 'gpt-5-pro' } } }, 'providerOptions.openai'],
    ['chat', { plugins: [{ id: 'auto-router', allowed_models: ['*'] }] }, 'plugins.allowed_models'],
    ['chat', { plugins: [{ id: 'a-plugin-of-tomorrow' }] }, 'plugins.id: a-plugin-of-tomorrow'],
    ['chat', { tools: [{ type: 'a_tool_of_tomorrow' }] }, 'tools.type: a_tool_of_tomorrow'],
    ['chat', { tools: [{ type: 'openrouter:router' }] }, 'tools.type: openrouter:router'],
    ['chat', { tools: [{ type: 'function', delegate: 'gpt-5-pro' }] }, 'tools.delegate'],
    ['chat', { tools: [[{ type: 'function' }]] }, 'tools'],
    [
      'chat',
      { tools: [{ type: 'openrouter:subagent', parameters: { agents: ['gpt-5-pro'] } }] },
      'tools.parameters.agents',
    ],
    [
      'chat',
      { tools: [{ type: 'openrouter:subagent', parameters: { tools: [{ type: 'x:y' }] } }] },
      'tools.type: x:y',
    ],
    ['responses', { tools: [{ type: 'agent', model: 'gpt-4o-mini' }] }, 'tools.type: agent'],
    ['responses', { reasoning: { effort: 'low', by: 'gpt-5-pro' } }, 'reasoning.by'],
    ['responses', { input: [{ type: 'additional_tools', tools: [{ type: 'agent' }] }] }, 'tools.type: agent'],
    ['messages', { tools: [{ type: 'advisor_20990101', name: 'a' }] }, 'tools.type: advisor_20990101'],
    ['messages', { thinking: { type: 'adaptive', summarizer: 'x' } }, 'thinking.summarizer'],
    ['messages', { fallbacks: { router: 'x' } }, 'fallbacks.router'],
    ['messages', { workspace_id: 'wrkspc_1' }, 'workspace_id'],
  ])('%s %j', async (call, more, named) => {
    if (named === 'fallbacks.router')
      expect(await post(call, more, HELD)).toMatchObject({ status: 403, asked: 0 });
    else await expectRefused(call, more, named);
    expect(await post(call, more, KEY)).toMatchObject({ asked: 1 });
  });

  test.each<[fields: JsonObject]>([
    [{ fallbacks: { model: 'gpt-5-pro' } }],
    [{ fallbacks: { 'deepseek/deepseek-v4-flash': 'gpt-5-pro' } }],
    [{ fallbacks: { 'deepseek/deepseek-v4-flash': [{ model: 'gpt-5-pro' }] } }],
    [{ fallbacks: [{ 'deepseek/deepseek-v4-flash': { first: ['gpt-5-pro'] } }] }],
    [{ context_window_fallbacks: { any: ['gpt-5-pro'] } }],
  ])('fallbacks, however they are written: %j', async (fields) => {
    const refused = await post('chat', fields, HELD);
    expect(refused, refused.text).toMatchObject({ status: 403, asked: 0 });
    expect(await post('chat', fields, KEY)).toMatchObject({ status: 200, asked: 1 });
  });

  test('over a WebSocket, as by POST', async () => {
    const client = await connect(stage.gateway.url, { authorization: `Bearer ${HELD}` });
    client.send({ type: 'response.create', ...CALLS['responses']?.body, fallback_models: ['gpt-5-pro'] });
    expect(await client.next()).toMatchObject({
      type: 'error',
      status: 403,
      error: { code: 'field_not_allowed', param: 'fallback_models' },
    });
    client.socket.terminate();
  });

  test('unrestricted keys may send any field', async () => {
    for (const call of ['chat', 'responses', 'messages', 'gemini']) {
      expect(await post(call, { a_field_of_tomorrow: 1 }, KEY)).toMatchObject({ asked: 1 });
      expect(stage.upstream.received.at(-1)?.body.toString()).toContain('"a_field_of_tomorrow":1');
    }
  });
});

describe('S-34 query parameters and headers', () => {
  test.each(['access_token', 'callback', '$httpHeaders', '$callback', 'quotaUser', 'Alt', 'alt\u0131'])(
    '%s is refused by name in all formats',
    async (name) => {
      for (const call of ['chat', 'responses', 'messages', 'countTokens', 'gemini', 'messagesTranslated']) {
        const refused = await post(call, {}, HELD, `?${encodeURIComponent(name)}=x`);
        expect(refused, call).toMatchObject({ status: 403, asked: 0 });
        expect(refused.text).toContain(name === 'alt\u0131' ? '?alt?' : name);
      }
    },
  );

  test('known ones pass', async () => {
    expect(await post('messages', {}, HELD, '?beta=true')).toMatchObject({ status: 200, asked: 1 });
    expect(await post('gemini', {}, HELD, '?alt=json&prettyPrint=false')).toMatchObject({ asked: 1 });
    expect(stage.upstream.received.at(-1)?.url).toMatch(/\?alt=json&prettyPrint=false$/);
    expect(await post('gemini', {}, KEY, '?callback=x')).toMatchObject({ asked: 1 });
  });

  /** The headers that the vendor receives when a call is made with these. */
  async function headersReceived(name: string, given: Readonly<Record<string, string>>) {
    await fetch(`${stage.gateway.url}${CALLS[name]?.path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', connection: 'close', ...given },
      body: JSON.stringify(CALLS[name]?.body),
    });
    return stage.upstream.received.at(-1)?.headers ?? {};
  }

  test("Google's headers that could route a call are not forwarded", async () => {
    for (const [key, isSent] of [
      [HELD, false],
      [KEY, true],
    ] as const) {
      const headers = await headersReceived('gemini', {
        'x-goog-api-key': key,
        'x-goog-request-params': 'model=gemini-2.5-flash',
        'x-goog-api-client': 'tests',
      });
      expect(headers['x-goog-api-client']).toBe('tests');
      expect('x-goog-request-params' in headers).toBe(isSent);
    }
  });

  test("nor is the header that names somebody in Anthropic's account, as the field of that name is refused", async () => {
    for (const [key, isSent] of [
      [HELD, false],
      [KEY, true],
    ] as const) {
      const headers = await headersReceived('messages', {
        'x-api-key': key,
        'anthropic-beta': 'tests',
        'anthropic-user-profile-id': 'uprof_1',
      });
      expect(headers['anthropic-beta']).toBe('tests');
      expect('anthropic-user-profile-id' in headers).toBe(isSent);
    }
  });
});

describe('the list', () => {
  const isKnown = (known: KnownFields, path: string): boolean => {
    let at: KnownFields | undefined = known;
    for (const name of path.split('.')) {
      if (at?.isOpen === true || at === undefined) return at !== undefined;
      at = name === '*' ? undefined : at.fields.get(name);
    }
    return at !== undefined;
  };

  /**
   * Where a model name is checked against the key (`other-models.ts`, `resolve-model.ts`), or the field names no
   * model.
   */
  const DECIDED = [
    /^model$/,
    /^tools\.(?:svg\.)?model$/,
    /^fallbacks\.model$|^fallbacks$/,
    // The model that it checks does not answer it.
    /^moderation\.model$/,
    // Templates of a filter; a kind of map; a token for paid credit.
    /^modelArmorConfig\b/,
    /^tools\.googleMaps\.groundingTypes\.routing\b/,
    /^fallback_credit_token\b/,
    // An app that searches, with the project's account.
    /^tools\.retrieval\.vertexAiSearch\.engine$/,
    // In a dialogue: tools that it brings along are checked like declared ones.
    /^(?:input|messages)\.(?:.+\.)?(?:tools|tool|definition)\.(?:.+\.)?model$/,
    // The model that gave an answer, and the model that made an image.
    /^input\.svg_usage\.model$/,
    /^messages\.content\.(?:.+\.)?(?:from|to)\.model$/,
  ];

  let fields: ReturnType<typeof sdkFields>;
  beforeAll(() => {
    fields = sdkFields(true);
  });

  test.each(FORMAT_NAMES)('%s: each field of the SDKs that names a model is decided on', (format) => {
    const all = fields[format].fields;
    const naming = all.filter((path) =>
      /(?:^|\.)[^.]*(?:model(?!i)|fallback|routing|engine|deployment)[^.]*$/i.test(path),
    );
    const undecided = naming.filter(
      (path) =>
        !/^fallbacks\..+\./.test(path) &&
        !DECIDED.some((each) => each.test(path)) &&
        !REFUSED[format].some((each) => path === each || path.startsWith(`${each}.`)),
    );
    expect(undecided).toEqual([]);
    for (const path of REFUSED[format]) {
      expect(all, `${path} is still there to be refused`).toContain(path);
      expect(isKnown(harmlessFields(format), path), path).toBe(false);
    }
  });

  const requests = FORMAT_NAMES.flatMap((format) =>
    readdirSync(join(FIXTURES, 'requests', format))
      .filter((name) => name !== 'unknown-fields.json')
      .map((name) => [format, name] as const),
  );
  test.each(requests)('contains what clients send: %s %s', (format, name) => {
    const body = readFileSync(join(FIXTURES, 'requests', format, name));
    expect(() => requireHarmless(format, scanned(body).tree(), false)).not.toThrow();
  });

  test('the cost of scanning a body is linear in its size', () => {
    const body = (size: number): Buffer =>
      Buffer.from(
        JSON.stringify({
          model: 'x',
          tools: Array.from({ length: size }, (_, at) => ({
            type: 'function',
            name: `f${at}`,
            parameters: { type: 'object', properties: { a: { type: 'string' } } },
          })),
          input: [
            { type: 'additional_tools', tools: Array.from({ length: size }, () => ({ type: 'function' })) },
          ],
        }),
      );
    const bodies = new Map([2_000, 8_000].map((size) => [size, body(size)]));
    const look = (size: number): void => {
      const bytes = bodies.get(size) ?? body(size);
      const sent = scanned(bytes);
      requireUniqueKeys(sent, 'responses');
      requireHarmless('responses', sent.tree(), false);
    };
    expect(growthOf(look, 2_000)).toBeLessThan(SQUARE);
  });
});
