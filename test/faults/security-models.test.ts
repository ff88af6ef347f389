/** Model names and paths: they reach what the catalog and the key allow, however they are written. */

import { describe, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { exchange, post, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { useStage } from './stage.ts';

const RESTRICTED = 'gw-restricted-key-of-the-tests';
const WILD = 'gw-wildcard-key-of-the-tests';
const NARROW = 'gw-narrow-key-of-the-tests';
const MIXED = 'gw-mixed-key-of-the-tests';
const ALIAS = 'gw-alias-key-of-the-tests';
const DOTTED = 'gw-dotted-key-of-the-tests';

const stage = useStage({
  fallbacks: {
    'openai/gpt-4o-mini': ['openai/gpt-4o', 'anthropic/claude-sonnet-4-5'],
    'openai/gpt-4.1': ['anthropic/claude-sonnet-4-5'],
  },
  aliases: {
    'team/best': 'openai/gpt-4o',
    'team/small': 'openai/gpt-4o-mini',
    'anthropic/cheap': 'openai/gpt-4o-mini',
  },
  keys: [
    {
      name: 'restricted',
      key: RESTRICTED,
      models: ['openai/gpt-4o-mini', 'google/gemini-2.5-pro', 'deepseek/deepseek-v4-flash'],
    },
    { name: 'wild', key: WILD, models: ['anthropic/*'] },
    {
      name: 'narrow',
      key: NARROW,
      models: ['openai/gpt-4o-mini', 'anthropic/claude-haiku-4-5', 'deepseek/deepseek-v4-flash'],
    },
    { name: 'alias', key: ALIAS, models: ['Team/Small', 'openai/gpt-5.4-2026-03-05'] },
    { name: 'dotted', key: DOTTED, models: ['anthropic/claude-haiku-4.5'] },
    { name: 'mixed', key: MIXED, models: ['openai/*', 'anthropic/claude-sonnet-4-5'] },
  ],
});

const asked = () => stage.upstream.received.length;
const got = () => stage.upstream.received.at(-1);

const bodies = ['/v1/chat/completions', '/v1/responses', '/v1/messages', '/v1/messages/count_tokens'];
/** The smallest body that an endpoint accepts: a restricted key may send no field that its format does not have. */
const leastFor = (path: string): readonly string[] =>
  path.startsWith('/v1/responses')
    ? ['"input":"x"']
    : ['"max_tokens":9', '"messages":[{"role":"user","content":"x"}]'];
const bodyOf = (path: string, model: string): string =>
  `{${[`"model":${JSON.stringify(model)}`, ...leastFor(path)].join(',')}}`;

const send = (path: string, body: string, key = KEY): Promise<string> =>
  exchange(stage.gateway.port, post(path, body, ['Connection: close']).replace(KEY, key));

/** Expects one of some statuses; only 200 may reach a vendor, and the answer shows little of `name`. */
async function expectStatus(
  answered: Promise<string>,
  statuses: readonly number[],
  name = '',
): Promise<void> {
  const before = asked();
  const answer = await answered;
  expect(statuses, answer).toContain(statusOf(answer));
  if (statusOf(answer) !== 200) expect(asked()).toBe(before);
  expect(answer.length).toBeLessThan(2_000);
  const [head = '', body = ''] = answer.split('\r\n\r\n', 2);
  if (name.length > 64) expect(body).not.toContain(name.slice(0, 80));
  expect(head).not.toMatch(/[^\r\n\x20-\x7e]/);
  expect(body).not.toMatch(/[^\r\n\x20-\x7e]|<script/);
}

/** Names that are paths, URLs, header lines or markup, or that only look like names. */
const hostile = [
  '../gpt-4o',
  '../../admin',
  'openai/../anthropic/claude-sonnet-4-5',
  'openai/gpt-4o/../../x',
  '%2e%2e%2fx',
  'openai%2Fgpt-4o',
  'gpt-4o?key=1',
  'gpt-4o#x',
  'gpt-4o;x',
  'gpt-4o&model=gpt-4o-mini',
  'x@evil.example/gpt-4o',
  '//evil.example/gpt-4o',
  'http://evil.example/gpt-4o',
  'openai\\gpt-4o',
  'gpt-4o\r\nX-Injected: 1',
  'gpt-4o\n\ndata: x',
  'gpt-4o\u0000',
  'gpt-4o\u001b[2J',
  'gpt-4o\u2028',
  '<script>alert(1)</script>',
  '"},"model":"gpt-4o',
  'jndi:ldap://evil.example/x',
  '{{7*7}}',
  '__proto__',
  'constructor/prototype',
  'openai/__proto__',
  'toString',
  '',
  '/',
  'openai/',
  '/gpt-4o',
  ' ',
  'x'.repeat(10_000),
  'openai/'.repeat(2_000),
];

/** Spellings of a model that a key may not use, or of no model. Only the case of ASCII letters makes no difference. */
const lookalikes: [model: string, status: 403 | 404][] = [
  ['GPT-4O', 403],
  ['openai/GPT-4o', 403],
  ['OPENAI/gpt-4o', 403],
  ['team/best', 403],
  ['Team/BEST', 403],
  ['ｇｐｔ-4o', 404],
  ['gpt‑4o', 404],
  ['gpt-４o', 404],
  ['ɡpt-4o', 404],
  ['gpt-4о', 404],
  ['GPT-4O\u0301', 404],
  ['openaİ/gpt-4o', 404],
  ['openaı/gpt-4o', 404],
  ['\u212apt-4o', 404],
  ['gpt-4o-mini\u200b', 404],
  ['\ufeffgpt-4o-mini', 404],
  ['gpt-4o-mini.', 404],
  ['gpt-4o-mini/', 404],
  [' gpt-4o-mini', 404],
  ['gpt-4o-mini\t', 404],
  ['openai /gpt-4o-mini', 404],
  ['openai//gpt-4o-mini', 404],
  ['openai/openai/gpt-4o-mini', 404],
  ['openai2/gpt-4o-mini', 404],
  ['gpt-4o-mini:latest', 404],
  ['gpt-4o-mini@2024', 404],
  ['gpt-4o-mini,gpt-4o', 404],
];

describe.each(bodies)('%s', (path) => {
  test.each(hostile.map((name) => [JSON.stringify(name.slice(0, 50)), name] as const))(
    'S-09 the model %s is not supported, and reaches no vendor',
    async (_, name) => {
      for (const key of [KEY, RESTRICTED])
        await expectStatus(send(path, bodyOf(path, name), key), [404], name);
    },
  );

  test.each([null, 1, true, {}, [], ['gpt-4o'], { id: 'gpt-4o' }])(
    'S-09 the model %j is not a name',
    async (model) => {
      await expectStatus(send(path, `{"max_tokens":9,"model":${JSON.stringify(model)}}`), [400]);
    },
  );

  test.each(lookalikes)('S-11 a restricted key and the model %j', async (model, status) => {
    const full = model.includes('/') ? model : `openai/${model}`;
    await expectStatus(send(path, bodyOf(path, full), RESTRICTED), [status]);
  });

  test('S-12 two models in one body, in either order, in any spelling of the key', async () => {
    const allowed = '"model":"openai/gpt-4o-mini"';
    for (const other of [
      '"model":"openai/gpt-4o"',
      '"mod\\u0065l":"openai/gpt-4o"',
      '"\\u006dodel":"openai/gpt-4o"',
      '"Model":"openai/gpt-4o"',
      '"MODEL":"openai/gpt-4o"',
    ]) {
      await expectStatus(send(path, `{${allowed},"x":1,${other}}`, RESTRICTED), [400]);
      await expectStatus(send(path, `{${other},"x":1,${allowed}}`, RESTRICTED), [400]);
    }
  });

  test('S-16 a model in the query or in a header is ignored', async () => {
    await expectStatus(send(`${path}?model=openai/gpt-4o`, bodyOf(path, 'openai/gpt-4o'), RESTRICTED), [403]);
    await expectStatus(
      send(`${path}?model=openai/gpt-4o-mini`, bodyOf(path, 'openai/gpt-4o'), RESTRICTED),
      [403],
    );
    await expectStatus(send(`${path}?model=openai/gpt-4o`, '{"max_tokens":9}', RESTRICTED), [400]);
  });
});

test('S-12 a model in the query goes to no vendor: some services (LiteLLM) would prefer it to that of the body', async () => {
  for (const query of ['model=openai/gpt-5-pro', 'api-version=1&%6dodel=a&model=b', 'MODEL=a']) {
    for (const key of [RESTRICTED, KEY]) {
      const body = '{"model":"deepseek/deepseek-v4-flash","messages":[{"role":"user","content":"x"}]}';
      await send(`/v1/chat/completions?${query}&beta=true`, body, key);
      expect(got()?.url, query).toMatch(/^\/v1\/chat\/completions\?(?:api-version=1&)?beta=true$/);
    }
  }
});

describe("Claude's names with a dot, as other routers write them", () => {
  const message = (model: string, key: string) =>
    send('/v1/messages', `{"model":"${model}","max_tokens":9,"messages":[]}`, key);

  test.each(['anthropic/claude-haiku-4.5', 'claude-haiku-4.5', 'Claude-Haiku-4.5'])(
    '%s is the model, and the vendor gets its own name',
    async (model) => {
      for (const key of [KEY, NARROW, DOTTED]) await expectStatus(message(model, key), [200]);
      expect(got()?.body.toString()).toContain('"model":"claude-haiku-4-5"');
      await expectStatus(message(model, RESTRICTED), [403]);
    },
  );

  test('any other dot does not match', async () => {
    for (const model of ['claude.haiku-4-5', 'claude-haiku.4.5', 'claude-haiku-4.5.', 'claude-haiku-4.50'])
      await expectStatus(message(model, KEY), [404]);
  });
});

describe('below /v1beta/models', () => {
  const path = (model: string, method = 'generateContent') => `/v1beta/models/${model}:${method}`;

  test.each(
    hostile.filter((name) => name !== '').map((name) => [JSON.stringify(name.slice(0, 50)), name] as const),
  )('S-09 the model %s is not supported, and reaches no vendor', async (_, name) => {
    for (const key of [KEY, RESTRICTED])
      await expectStatus(send(path(encodeURIComponent(name)), '{"contents":[]}', key), [404, 431], name);
  });

  test.each([
    ...'\x01\x1f\x7f"<>\\^`{|}'.split(''),
    ...['%', '%zz', '%ff', '%c0%af', '%u0041', '%00', '%0d%0aX:y', '%252f', '%25', '%E2%80%A8'],
  ])('S-09 raw in a path: %j', async (bytes) => {
    for (const model of [`gemini-2.5-pro${bytes}`, `${bytes}gemini-2.5-pro`, `google/${bytes}`])
      await expectStatus(send(path(model), '{"contents":[]}'), [400, 404]);
  });

  test('S-16 every method requires the same permission', async () => {
    for (const method of ['generateContent', 'streamGenerateContent', 'countTokens']) {
      await expectStatus(send(path('gemini-2.5-pro', method), '{"contents":[]}', RESTRICTED), [200]);
      await expectStatus(send(path('gemini-2.5-flash', method), '{"contents":[]}', RESTRICTED), [403]);
      await expectStatus(send(path('Gemini-2.5-FLASH', method), '{"contents":[]}', RESTRICTED), [403]);
      await expectStatus(
        send(path('gemini-2.5-flash', method).replace('v1beta', 'v1'), '{"contents":[]}', RESTRICTED),
        [403],
      );
      for (const body of [
        '{"model":"models/gemini-2.5-flash","contents":[]}',
        '{"model":"gemini-2.5-flash"}',
        '{"generateContentRequest":{"model":"models/gemini-2.5-flash"}}',
        '{"MODEL":"models/gemini-2.5-flash"}',
      ]) {
        await expectStatus(send(path('gemini-2.5-pro', method), body, RESTRICTED), [400]);
      }
    }
  });

  test.each([
    '',
    ':',
    ':generateContent',
    'gemini-2.5-pro',
    'gemini-2.5-pro:',
    'gemini-2.5-pro:__proto__',
    'gemini-2.5-pro:constructor',
    'gemini-2.5-pro:generatecontent',
    'gemini-2.5-pro:generateContent:countTokens',
    'gemini-2.5-pro:generateContent/x',
    'gemini-2.5-pro/generateContent',
    'gemini-2.5-pro%3AgenerateContent',
    'gemini-2.5-pro:embedContent',
    'gemini-2.5-pro:batchGenerateContent',
  ])('S-17 %j is not a method of a model', async (rest) => {
    await expectStatus(send(`/v1beta/models/${rest}`, '{"contents":[]}'), [404, 405]);
  });
});

describe('short names', () => {
  /** A model of each vendor, by its name alone. */
  const names: Readonly<Record<string, string>> = {
    openai: 'gpt-4o',
    anthropic: 'claude-sonnet-4-5',
    google: 'gemini-2.5-flash',
    deepseek: 'deepseek-v4-flash',
  };
  const endpoints: [path: string, vendor: string][] = [
    ['/v1/chat/completions', 'openai'],
    ['/v1/responses', 'openai'],
    ['/v1/messages', 'anthropic'],
  ];

  test.each(
    endpoints.flatMap(([path, own]) =>
      Object.entries(names).map(([vendor, name]) => [path, vendor, own, name] as const),
    ),
  )(
    'S-13 on %s, of %s: the vendor that is filled in is %s, and the key is checked for it',
    async (path, vendor, own, name) => {
      // A key for another vendor's models alone may not use this one by leaving the vendor out.
      await expectStatus(send(path, bodyOf(path, name), RESTRICTED), [vendor === own ? 403 : 404]);
      await expectStatus(send(path, bodyOf(path, name), WILD), [
        vendor !== own ? 404 : own === 'anthropic' ? 502 : 403,
        ...(own === 'anthropic' ? [200] : []),
      ]);
    },
  );

  test.each([
    ['anthropic/claude-sonnet-4-5', 200],
    ['ANTHROPIC/claude-sonnet-4-5', 200],
    ['anthropic2/claude-sonnet-4-5', 404],
    ['anthropi/claude-sonnet-4-5', 404],
    ['anthropic/*', 404],
    ['*', 404],
    ['openai/gpt-4o', 403],
    ['openai/anthropic', 404],
    ['team/best', 403],
    ['anthropic/cheap', 403],
  ])('S-14 a key for anthropic/*, and the model %s: %d', async (model, status) => {
    await expectStatus(send('/v1/messages', bodyOf('/v1/messages', model), WILD), [status]);
  });
});

describe('a key for a model by another name', () => {
  test.each([
    ['team/small', 200],
    ['openai/gpt-4o-mini', 200],
    ['anthropic/cheap', 200],
    ['openai/gpt-5.4-2026-03-05', 200],
    ['openai/gpt-5.4', 200],
    ['team/best', 403],
    ['openai/gpt-4o', 403],
  ])('allows the model behind it, by all its names: %s %d', async (model, status) => {
    await expectStatus(send('/v1/responses', bodyOf('/v1/responses', model), ALIAS), [status]);
  });

  test('shows it in its list', async () => {
    const listed = await fetch(`${stage.gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${ALIAS}` },
    });
    expect(await listed.json()).toMatchObject({
      data: [{ id: 'openai/gpt-5.4' }, { id: 'openai/gpt-4o-mini' }],
    });
  });
});

describe('S-15 if a model cannot answer', () => {
  test('its fallbacks are checked against the key too: a key that may not use them waits for its own model', async () => {
    const models = (from: number): string[] =>
      stage.upstream.received.slice(from).map(({ body }) => JSON.parse(body.toString()).model);
    stage.respondWith((_, response) =>
      response.writeHead(503, { 'content-type': 'application/json' }).end('{}'),
    );
    let before = asked();
    expect(
      statusOf(await send('/v1/chat/completions', bodyOf('/v1/chat/completions', 'openai/gpt-4o-mini'))),
    ).toBe(503);
    expect(new Set(models(before)).size).toBeGreaterThan(1);
    before = asked();
    expect(
      statusOf(
        await send('/v1/chat/completions', bodyOf('/v1/chat/completions', 'openai/gpt-4o-mini'), RESTRICTED),
      ),
    ).toBe(503);
    expect(new Set(models(before))).toEqual(new Set(['gpt-4o-mini']));
    stage.respondWith((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    );
  });
});

describe('S-12 models that a body names besides its own', () => {
  const chat = '/v1/chat/completions';
  const beside: [path: string, model: string, fields: string][] = [
    ['/v1/messages', 'anthropic/claude-haiku-4-5', '"fallbacks":[{"model":"NAMED"}]'],
    ['/v1/messages', 'anthropic/claude-haiku-4-5', '"fallbacks":[{"max_tokens":1,"mod\\u0065l" : "NAMED"}]'],
    [
      '/v1/messages',
      'anthropic/claude-haiku-4-5',
      '"tools":[{"name":"[],{","input_schema":{"type":"object"}},{"type":"advisor_20260301","name":"advisor","model":"NAMED"}]',
    ],
    ['/v1/messages/count_tokens', 'anthropic/claude-haiku-4-5', '"fallbacks":[{"model":"NAMED"}]'],
    [chat, 'anthropic/claude-haiku-4-5', '"fallbacks":[{"model":"NAMED"}]'],
    [chat, 'deepseek/deepseek-v4-flash', '"models":["deepseek/deepseek-v4-flash","NAMED"]'],
    [chat, 'deepseek/deepseek-v4-flash', '"route":"fallback","MODELS":["anthropic/NAMED"]'],
    ...[
      '"plugins":[{"id":"fusion","analysis_models":["deepseek/deepseek-v4-flash"],"model":"anthropic/NAMED"}]',
      '"plugins":[{"id":"fusion","analysis_models":["deepseek/deepseek-v4-flash","NAMED"]}]',
      '"tools":[{"type":"openrouter:fusion","parameters":{"analysis_models":["NAMED"]}}]',
      '"tools":[{"type":"openrouter:advisor","parameters":{"name":"reviewer","model":"NAMED"}}]',
      '"tools":[{"type":"openrouter:subagent","parameters":{"tools":[{"type":"openrouter:image_generation","parameters":{"model":"NAMED"}}]}}]',
      '"preset":"NAMED"',
      '"providerOptions":{"gateway":{"order":["azure"],"models":["deepseek/deepseek-v4-flash","NAMED"]}}',
      '"fallbacks":[{"deepseek/deepseek-v4-flash":["NAMED"]}]',
      '"context_window_fallbacks":[{"deepseek/deepseek-v4-flash":["NAMED"]}]',
      '"content_policy_fallbacks":[{"deepseek/deepseek-v4-flash":["NAMED"]}]',
    ].map((fields): [string, string, string] => [chat, 'deepseek/deepseek-v4-flash', fields]),
    ['/v1/responses', 'openai/gpt-4o-mini', '"tools":[{"type":"image_generation","model":"NAMED"}]'],
    [
      '/v1/responses',
      'openai/gpt-4o-mini',
      '"tools":[{"type":"image_generation","output_format":"svg","svg":{"reasoning":{"effort":"low"},"model":"NAMED"}}]',
    ],
    ...['additional_tools', 'tool_search_output'].map((type): [string, string, string] => [
      '/v1/responses',
      'openai/gpt-4o-mini',
      `"input":[{"type":"${type}","tools":[{"type":"image_generation","model":"NAMED"}]}]`,
    ]),
    ...['"model"', '"mod\\u0065l"'].flatMap((key): [string, string, string][] => {
      const definition = `{"type":"advisor_20260301","name":"advisor",${key}:"NAMED"}`;
      const change = `{"type":"tool_addition","tool":{"type":"tool_definition","definition":${definition}}}`;
      return [change, `{"type":"compaction","content":"x","tool_changes":[${change}]}`].map((block) => [
        '/v1/messages',
        'anthropic/claude-haiku-4-5',
        `"messages":[{"role":"user","content":"x"},{"role":"system","content":[${block}]}]`,
      ]);
    }),
  ];
  const bodyWith = (path: string, model: string, fields: string, other: string): string => {
    const others = leastFor(path).filter(
      (field) => !fields.startsWith(field.slice(0, field.indexOf(':') + 1)),
    );
    return `{"model":"${model}",${[...others, fields.replace('NAMED', other)].join(',')}}`;
  };

  test.each(beside)('%s %s %s', async (path, model, fields) => {
    for (const other of [
      'claude-opus-4-6',
      'CLAUDE-OPUS-4-6',
      'gpt-5-pro',
      'no-such-model',
      'x\\u0000<script>',
    ]) {
      await expectStatus(send(path, bodyWith(path, model, fields, other), NARROW), [403]);
      // A key that may use all models passes on unknown names.
      const before = asked();
      await send(path, bodyWith(path, model, fields, other));
      expect(asked(), other).toBe(before + 1);
    }
  });

  test('the fallbacks that Anthropic itself chooses are for keys that may use all of its models', async () => {
    const body = bodyWith('/v1/messages', 'claude-haiku-4-5', '"fallbacks":"default"', '');
    await expectStatus(send('/v1/messages', body, NARROW), [403]);
    for (const key of [WILD, KEY]) {
      const before = asked();
      await send('/v1/messages', body, key);
      expect(asked(), key).toBe(before + 1);
    }
  });

  test.each([
    '"tools":[{"type":"openrouter:advisor"}]',
    '"tools":[{"type":"openrouter:advisor","parameters":{"name":"reviewer"}}]',
    '"tools":[{"type":"openrouter:fusion","parameters":{"model":"deepseek/deepseek-v4-flash"}}]',
    '"tools":[{"type":"openrouter:fusion","parameters":{"analysis_models":[]}}]',
    '"tools":[{"type":"openrouter:image_generation"}]',
    '"plugins":[{"id":"fusion","preset":"general-high"}]',
  ])('a tool that chooses its own model needs a key for that model, or for all: %s', async (fields) => {
    const body = bodyWith(chat, 'deepseek/deepseek-v4-flash', fields, '');
    await expectStatus(send(chat, body, NARROW), [403]);
    const before = asked();
    await send(chat, body);
    expect(asked()).toBe(before + 1);
  });

  test.each([
    '"tools":[{"type":"openrouter:advisor","parameters":{"model":"deepseek/deepseek-v4-flash"}}]',
    '"tools":[{"type":"openrouter:subagent"},{"type":"openrouter:web_search"}]',
    '"plugins":[{"id":"web"},{"id":"fusion","analysis_models":["deepseek/deepseek-v4-flash"]}]',
    '"providerOptions":{"gateway":{"order":["azure"],"only":["azure"]}}',
    '"fallbacks":[{"deepseek/deepseek-v4-flash":["anthropic/claude-haiku-4-5"]}]',
  ])('a body that names only models of the key passes: %s', async (fields) => {
    const before = asked();
    await send(chat, bodyWith(chat, 'deepseek/deepseek-v4-flash', fields, ''), NARROW);
    expect(asked()).toBe(before + 1);
  });

  test('names are searched no deeper than tools of tools have them: deeper ones pass only for keys of all models', async () => {
    const within = (deep: number): string =>
      deep === 0
        ? '{"model":"gpt-5-pro"}'
        : `{"type":"openrouter:subagent","parameters":{"tools":[${within(deep - 1)}]}}`;
    const body = bodyWith(chat, 'deepseek/deepseek-v4-flash', `"tools":[${within(6)}]`, '');
    const refused = await send(chat, body, NARROW);
    expect(refused).toMatch(/^HTTP\/1\.1 400 /);
    expect(refused).toContain('nested too deeply');
    const before = asked();
    await send(chat, body);
    expect(asked()).toBe(before + 1);
  });

  test('models mentioned in a dialogue do not count as named', async () => {
    const content =
      '[{"type":"tool_use","id":"t","name":"f","input":{"model":"gpt-5","tools":[{"model":"gpt-5"}]}}]';
    const said = `"messages":[{"role":"user","content":"the \\"model\\""},{"role":"assistant","content":${content}}]`;
    const before = asked();
    await send('/v1/messages', bodyWith('/v1/messages', 'claude-haiku-4-5', said, ''), NARROW);
    expect(asked()).toBe(before + 1);
  });

  test('a model that the key may use is accepted there, by its dated name too', async () => {
    for (const other of ['claude-haiku-4-5', 'claude-haiku-4-5-20251001', 'anthropic/claude-haiku-4-5']) {
      const before = asked();
      await send(
        '/v1/messages',
        bodyWith('/v1/messages', 'claude-haiku-4-5', '"fallbacks":[{"model":"NAMED"}]', other),
        NARROW,
      );
      expect(asked(), other).toBe(before + 1);
    }
    const parameters =
      '{"type":"object","properties":{"model":{"type":"string"}},"default":{"model":"gpt-5"}}';
    const tools = `"tools":[{"type":"function","function":{"name":"f","parameters":${parameters}}}]`;
    const flat = `"tools":[{"type":"function","name":"f","parameters":{"type":"object","model":"gpt-5"}}]`;
    const before = asked();
    await send(chat, bodyWith(chat, 'gpt-4o-mini', `"metadata":{"model":"gpt-5"},${tools}`, ''), NARROW);
    await send('/v1/responses', bodyWith('/v1/responses', 'gpt-4o-mini', flat, ''), NARROW);
    const called = '"tools":[{"name":"f","input_schema":{"type":"object"},"allowed_callers":["direct"]}]';
    await send('/v1/messages', bodyWith('/v1/messages', 'claude-haiku-4-5', called, ''), NARROW);
    expect(asked()).toBe(before + 3);
  });

  test("an alias of the gateway is not the vendor's, and an ambiguous duplicate key is refused", async () => {
    // Another service may call anything team/small.
    const aliased = bodyWith(chat, 'gpt-4o-mini', '"models":["NAMED"]', 'team/small');
    await expectStatus(send(chat, aliased, NARROW), [403]);
    const twice = '"fallbacks":[{"model":"NAMED","model":"claude-haiku-4-5"}]';
    await expectStatus(
      send('/v1/messages', bodyWith('/v1/messages', 'claude-haiku-4-5', twice, 'claude-opus-4-6'), NARROW),
      [400],
    );
  });

  test('a fallback model does not get these fields either', async () => {
    // openai/* allows names that Anthropic would understand as models of its own.
    const body = bodyWith(chat, 'gpt-4.1', '"fallbacks":[{"model":"NAMED"}]', 'claude-opus-4-6');
    const reached = async (key: string): Promise<string[]> => {
      const before = asked();
      await send(chat, body, key);
      return stage.upstream.received.slice(before).map(({ url }) => url);
    };
    stage.respondWith((_, response) =>
      response.writeHead(503, { 'content-type': 'application/json' }).end('{}'),
    );
    expect(await reached(KEY)).toContain('/v1/messages');
    expect(await reached(MIXED)).not.toContain('/v1/messages');
    stage.respondWith((_, response) => json(response, {}));
  });
});

describe('lists', () => {
  const get = async (path: string, key: string) => {
    const response = await fetch(stage.gateway.url + path, {
      headers: { authorization: `Bearer ${key}`, connection: 'close' },
    });
    return { status: response.status, text: await response.text() };
  };

  test('S-16 show what the key may use, and nothing else', async () => {
    const { data } = JSON.parse((await get('/v1/models', RESTRICTED)).text);
    expect(data.map(({ id }: { id: string }) => id).sort()).toEqual([
      'deepseek/deepseek-v4-flash',
      'google/gemini-2.5-pro',
      'openai/gpt-4o-mini',
    ]);
    const { models } = JSON.parse((await get('/v1beta/models', RESTRICTED)).text);
    expect(models.map(({ name }: { name: string }) => name)).toEqual(['models/gemini-2.5-pro']);
  });

  test.each([
    '/v1/models/openai/gpt-4o',
    '/v1/models/gpt-4o',
    '/v1/models/GPT-4o',
    '/v1/models/openai%2fgpt-4o',
    '/v1/models/team/best',
    '/v1beta/models/gemini-2.5-flash',
    '/v1/models/none',
    '/v1/models/openai/../openai/gpt-4o',
    '/v1/models/__proto__',
  ])('S-16 %s is as unknown to the restricted key as a model that does not exist', async (path) => {
    const { status, text } = await get(path, RESTRICTED);
    expect([403, 404]).toContain(status);
    expect(text).not.toMatch(/context|owned_by/);
  });
});

describe('paths', () => {
  test.each([
    '/%61dmin',
    '/admin',
    '/admin/',
    '/metrics',
    '/v1/admin',
    '/.env',
    '/.gateway/keys.json',
    '/gateway.config.json',
    '/package.json',
    '/v1/chat/completions;x',
    '/v1/chat%2fcompletions',
    '/v1/chat%252fcompletions',
    '/V1/chat/completions',
    '/v1//chat/completions',
    '//v1/chat/completions',
    '/v1/chat/completions/..;/x',
    '/v1/./chat/completions',
    '/v1/chat/completions%00',
    '/v1/chat/completions%20',
    '/v1/chat/completions#x',
    '/v1/models/..%2f..%2fhealth%2flive',
    '/v1/%2e%2e/health/live',
    '/console/../../package.json',
    '/console/..%2f..%2fpackage.json',
    '/console/%2e%2e/app.ts',
    '/console/..\\..\\app.ts',
    '/console//etc/passwd',
    '/console/../index.html',
    '/console/index.html',
    '/console/index.html%00.js',
  ])('S-17, S-25 %s is not found', async (path) => {
    for (const method of ['GET', 'POST']) {
      const request = post(`${path}?key=SECRET`, bodyOf(path, 'gpt-4o'), ['Connection: close']).replace(
        'POST',
        method,
      );
      const before = asked();
      const answer = await exchange(stage.gateway.port, request);
      expect([400, 404, 405], path).toContain(statusOf(answer));
      expect(answer).not.toMatch(/SECRET|root:|"name"|import /);
      expect(asked()).toBe(before);
    }
  });

  test('S-17 escapes in a model are decoded once', async () => {
    await expectStatus(
      send('/v1beta/models/google%2Fgemini-2.5-pro:generateContent', '{"contents":[]}'),
      [200],
    );
    expect(got()?.url).toBe('/v1beta/models/gemini-2.5-pro:generateContent');
    await expectStatus(
      send('/v1beta/models/google%252Fgemini-2.5-pro:generateContent', '{"contents":[]}'),
      [404],
    );
  });
});
