/** `explain` names the parts of a request as the request names them. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { makeCatalog } from '../../src/catalog/catalog.ts';
import { readConfig } from '../../src/config/load.ts';
import { catalogModels } from '../../src/config/models.ts';
import type { Config } from '../../src/config/schema.ts';
import { everyVendor } from '../../src/config/vendors.ts';
import { explain } from '../../src/devtools/explain.ts';
import { GatewayError } from '../../src/lib/errors.ts';
import { asObject, asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { FIXTURES } from '../support/recording.ts';

const config = await readConfig({}, FIXTURES);
const catalog = makeCatalog(catalogModels(config), config.aliases);
const vendors = everyVendor(config);
const reach = { generateContent: 'all', countTokens: 'all' } as const;

const FORMATS = ['chat-completions', 'responses', 'messages', 'generate-content'] as const;
const MODELS = [
  'anthropic/claude-haiku-4-5',
  'anthropic/claude-sonnet-5-5',
  'google/gemini-2.5-flash',
  'google/gemini-3.8-flash',
  'openai/gpt-4.1',
  'openai/gpt-5.4',
  'mistralai/mistral-medium-3-5',
];

const requests = FORMATS.flatMap((format) => {
  const folder = join(FIXTURES, 'requests', format);
  return readdirSync(folder).map((file) => {
    const body = asObject(parseJson(readFileSync(join(folder, file), 'utf8'))) ?? {};
    return { format, file, body };
  });
});

function explained(format: (typeof FORMATS)[number], model: string, body: JsonObject) {
  try {
    return explain({ catalog, vendors, reach }, format, model, body);
  } catch (error) {
    // A request that the model cannot serve at all is reported as rejected, and not field by field.
    if (error instanceof GatewayError && error.status === 400) return undefined;
    throw error;
  }
}

/**
 * What is reported although the request does not contain it: the model's output limit, tools of calls in the
 * dialogue.
 */
const UNWRITTEN = ['max_completion_tokens', 'max_output_tokens', 'tools'];

test.each(requests)('$format $file: each of its fields is reported, and nothing else', ({ format, body }) => {
  const all = MODELS.flatMap((model) => explained(format, model, body) ?? []);
  expect(all.length).toBeGreaterThan(0);
  for (const { model, notes, mapped } of all) {
    const roots = new Set(notes.map(({ field }) => field.split(/[.[]/)[0] ?? ''));
    expect(
      [...roots].filter((root) => !(root in body || UNWRITTEN.includes(root))),
      model,
    ).toEqual([]);
    expect(
      Object.keys(body).filter((field) => !(roots.has(field) || mapped.includes(field))),
      model,
    ).toEqual([]);
    expect(notes, model).toEqual(
      [...new Set(notes.map((note) => JSON.stringify(note)))].map((note) => parseJson(note)),
    );
    for (const { field } of notes) expect(field).not.toContain('$');
  }
});

test('a loss within the dialogue is reported under its name in the format of the caller', () => {
  const tool = { name: 'f', input_schema: { type: 'object' }, input_examples: [{}] };
  const thought = { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' };
  const body = {
    model: 'any',
    max_tokens: 100,
    tools: [tool],
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hello!', cache_control: { type: 'ephemeral' } }] },
      { role: 'assistant', content: [thought, { type: 'text', text: 'Hello.' }] },
      { role: 'user', content: 'Go on.' },
    ],
  };
  const told = (model: string) =>
    explained('messages', model, body)
      ?.notes.map(({ field }) => field)
      .toSorted();
  const lost = ['messages[].cache_control', 'messages[].thinking', 'tools[].input_examples'];
  expect(told('google/gemini-3.8-flash')).toEqual(lost);
  expect(told('openai/gpt-5.4')).toEqual(lost);
});

test('a later system message keeps its role at Anthropic’s own address if the model supports it, otherwise becomes a user’s', () => {
  const say = (role: string, content: string): JsonObject => ({ role, content });
  const body = {
    model: 'any',
    messages: [say('user', 'a'), say('assistant', 'b'), say('developer', 'c'), say('user', 'd')],
  };
  const elsewhere = { ...config, vendors: { ...config.vendors, anthropic: AT_A_CLOUD } };
  const roles = (model: string, configured: Config = config) =>
    asObjects(
      explain({ catalog, vendors: everyVendor(configured), reach }, 'chat-completions', model, body).request[
        'messages'
      ],
    ).map(({ role }) => role);
  const kept = ['user', 'assistant', 'user', 'system'];
  expect(roles('anthropic/claude-opus-4-8')).toEqual(kept);
  expect(roles('anthropic/claude-sonnet-5-5')).toEqual(kept);
  expect(roles('anthropic/claude-sonnet-5')).toEqual(kept.slice(0, -1));
  expect(roles('anthropic/claude-opus-4-7')).toEqual(kept.slice(0, -1));
  expect(roles('anthropic/claude-opus-4-8', elsewhere)).toEqual(kept.slice(0, -1));
});

test('the repeated part of an agent’s request is cached at Anthropic’s own address, once there are calls', () => {
  const rounds = (times: number): JsonObject => ({
    contents: [
      { role: 'user', parts: [{ text: 'Do it.' }] },
      ...Array.from({ length: times }, (_, at) => [
        { role: 'model', parts: [{ functionCall: { name: 'f', args: { at } } }] },
        { role: 'user', parts: [{ functionResponse: { name: 'f', response: { at } } }] },
      ]).flat(),
    ],
  });
  const marked = (times: number, configured: Config = config) =>
    'cache_control' in
    explain(
      { catalog, vendors: everyVendor(configured), reach },
      'generate-content',
      'anthropic/claude-sonnet-5-5',
      rounds(times),
    ).request;
  const elsewhere = { ...config, vendors: { ...config.vendors, anthropic: AT_A_CLOUD } };
  expect([marked(0), marked(1), marked(2), marked(2, elsewhere)]).toEqual([false, false, true, false]);
});

const AT_A_CLOUD = { baseUrl: 'https://a.cloud.example', apiKey: 'a', upstreams: [] };

const said = { model: 'any', messages: [{ role: 'user', content: 'x' }] };
const shared = { type: 'object', properties: {} };

test('what only one of a vendor’s formats takes is explained in that format', () => {
  const source = { type: 'url', url: 'https://d.example/a.pdf' };
  const messages = [{ role: 'user', content: [{ type: 'document', source }] }];
  const made = explained('messages', 'openai/gpt-4.1', { model: 'any', max_tokens: 9, messages });
  expect(made?.to).toBe('responses');
  expect(explained('messages', 'openai/gpt-4.1', { max_tokens: 9, ...said })?.to).toBe('chat-completions');
});

test.each<[string, (typeof FORMATS)[number], string, JsonObject, JsonObject]>([
  [
    'stop sequences beyond those that the vendor takes',
    'messages',
    'openai/gpt-4.1',
    { max_tokens: 9, ...said, stop_sequences: ['1', '2', '3', '4', '5'] },
    { field: 'stop_sequences', outcome: 'approximated', detail: expect.stringMatching('takes 4') },
  ],
  [
    'a reference at the root of a schema',
    'messages',
    'openai/gpt-4.1',
    {
      max_tokens: 9,
      ...said,
      tools: [{ name: 'f', input_schema: { $ref: '#/$defs/A', $defs: { A: shared } } }],
    },
    { field: 'tools[f].parameters', outcome: 'approximated', detail: expect.stringMatching('at the root') },
  ],
  [
    'a tool with the name of the vendor’s own',
    'responses',
    'anthropic/claude-haiku-4-5',
    {
      model: 'any',
      input: 'x',
      tools: [{ type: 'web_search' }, { type: 'function', name: 'web_search', parameters: shared }],
    },
    { outcome: 'approximated', detail: expect.stringMatching('sent as web_search_2') },
  ],
  [
    'two tools of one name',
    'responses',
    'anthropic/claude-haiku-4-5',
    {
      model: 'any',
      input: 'x',
      tools: [
        { type: 'function', name: 'f', parameters: shared },
        { type: 'custom', name: 'f' },
      ],
    },
    { field: 'tools', outcome: 'approximated', detail: expect.stringMatching('sent as f_2') },
  ],
  [
    'an image of the model’s',
    'generate-content',
    'anthropic/claude-haiku-4-5',
    {
      contents: [
        { role: 'user', parts: [{ text: 'draw' }] },
        { role: 'model', parts: [{ inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } }] },
      ],
    },
    { outcome: 'approximated', detail: expect.stringMatching("sent as the user's") },
  ],
  ...['openai/gpt-4.1', 'google/gemini-2.5-flash'].map(
    (model): [string, (typeof FORMATS)[number], string, JsonObject, JsonObject] => [
      `an empty stop sequence (${model})`,
      'messages',
      model,
      { max_tokens: 9, ...said, stop_sequences: ['', 'END'] },
      { field: 'stop_sequences', outcome: 'dropped', detail: 'an empty stop sequence' },
    ],
  ),
  [
    'a field that messages does not know',
    'messages',
    'openai/gpt-5.4',
    { max_tokens: 9, ...said, x_unknown: 1 },
    { field: 'x_unknown', outcome: 'passed-on' },
  ],
  [
    'a field that generate-content does not know',
    'generate-content',
    'openai/gpt-5.4',
    { contents: 'x', x_unknown: 1 },
    { field: 'x_unknown', outcome: 'passed-on' },
  ],
  [
    'a setting that generate-content does not know',
    'generate-content',
    'openai/gpt-5.4',
    { contents: 'x', generationConfig: { x_unknown: 1 } },
    { field: 'generationConfig.x_unknown', outcome: 'passed-on' },
  ],
])('a note tells of %s', (_, format, model, body, note) => {
  expect(explained(format, model, body)?.notes).toContainEqual(expect.objectContaining(note));
});

test.each<[string, (typeof FORMATS)[number], JsonObject]>([
  [
    'a setting that an item of the input has changed',
    'responses',
    { input: [{ type: 'configuration_update', reasoning: { effort: 'none' } }, ...said.messages] },
  ],
  [
    'encrypted thoughts, which each answer has',
    'responses',
    { input: 'x', include: ['reasoning.encrypted_content'] },
  ],
  [
    'an answer in text',
    'generate-content',
    { contents: 'x', generationConfig: { responseModalities: ['TEXT'] } },
  ],
  ['an answer in text', 'chat-completions', { ...said, modalities: ['text'] }],
])('no loss is reported of %s (%s)', (_, format, body) => {
  for (const model of [
    'anthropic/claude-haiku-4-5',
    'google/gemini-3.8-flash',
    'mistralai/mistral-medium-3-5',
  ]) {
    const made = explained(format, model, { model: 'any', ...body });
    expect(made?.notes.filter(({ outcome }) => outcome !== 'approximated')).toEqual([]);
  }
});

test('what only OpenAI includes is reported, beside what others include too', () => {
  const include = ['reasoning.encrypted_content', 'code_interpreter_call.outputs'];
  expect(
    explained('responses', 'anthropic/claude-haiku-4-5', { model: 'any', input: 'x', include })?.notes,
  ).toMatchObject([{ field: 'include', outcome: 'approximated' }]);
  expect(
    explained('responses', 'anthropic/claude-haiku-4-5', {
      model: 'any',
      input: 'x',
      include: include.slice(1),
    })?.notes,
  ).toMatchObject([{ field: 'include', outcome: 'dropped' }]);
});

test('what would be lost inside a setting is reported as the 400 that its caller gets', () => {
  const body = { contents: 'x', generationConfig: { thinkingConfig: { thinkingBudget: 0, x_unknown: 1 } } };
  expect(() =>
    explain({ catalog, vendors, reach }, 'generate-content', 'anthropic/claude-haiku-4-5', body),
  ).toThrow('Unknown name "x_unknown" at \'generation_config.thinking_config\'');
});

test.each([
  [
    'chat-completions',
    'anthropic/claude-sonnet-5-5',
    { web_search_options: { search_context_size: 'low', user_location: { type: 'approximate' } } },
    'web search is sent as web_search_20250305, without search_context_size',
  ],
  [
    'responses',
    'anthropic/claude-sonnet-5-5',
    { tools: [{ type: 'web_search', filters: { allowed_domains: ['a.example'] } }] },
    'web search is sent as web_search_20250305',
  ],
  [
    'messages',
    'perplexity/sonar',
    {
      tools: [
        { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.example'], max_uses: 2 },
      ],
    },
    'web search is sent as web_search_options, without allowed_domains, max_uses',
  ],
  [
    'messages',
    'openai/gpt-5.4',
    {
      tools: [
        { type: 'web_search_20250305', name: 'web_search', allowed_domains: ['a.example'], max_uses: 2 },
      ],
    },
    'web search is sent as web_search',
  ],
  [
    'messages',
    'openai/gpt-5.4',
    {
      tools: [
        {
          type: 'web_search_20250305',
          name: 'web_search',
          cache_control: { type: 'ephemeral' },
          blocked_domains: null,
        },
      ],
    },
    'web search is sent as web_search, without cache_control',
  ],
] as const)(
  '%s to %s names the settings of a web search that are left out: %j',
  (format, model, body, detail) => {
    const all = explained(format, model, {
      model,
      ...(format === 'responses' ? { input: 'Hi.' } : { messages: [{ role: 'user', content: 'Hi.' }] }),
      ...(format === 'messages' && { max_tokens: 100 }),
      ...body,
    });
    expect(all?.notes).toContainEqual({ field: 'tools[].type', outcome: 'approximated', detail });
  },
);
