/** The requests that the console sends, without a browser: in each format, as the vendors' own rules have them. */

import { expect, test } from 'vitest';
import { chooseSettings } from '../../src/console/chat/settings.ts';
import type { Attachment, Settings, Turn } from '../../src/console/formats/dialogue.ts';
import { EXAMPLE_TOOLS } from '../../src/console/formats/example-tools.ts';
import { FORMATS } from '../../src/console/formats/formats.ts';
import { messages } from '../../src/console/formats/messages.ts';
import { listEfforts } from '../../src/console/formats/thinking.ts';
import { KEY, startGateway } from '../support/gateway.ts';

const HELLO: Turn = { role: 'user', text: 'Hello!', attachments: [] };

/** A model as the gateway describes it to the page. */
interface Listed {
  readonly id: string;
  readonly aliases: readonly string[];
  readonly simulated: boolean;
  readonly thinking?: {
    readonly kinds: readonly string[];
    readonly efforts: readonly string[];
    readonly canDisable: boolean;
    readonly budget?: { readonly min: number; readonly max: number };
  };
  readonly sampling: boolean;
  readonly maxOutputTokens: number;
  readonly generateContent: boolean;
}

async function listed(url: string): Promise<readonly Listed[]> {
  const response = await fetch(`${url}/console/models.json`, {
    headers: { authorization: `Bearer ${KEY}` },
  });
  const { models }: { models: Listed[] } = JSON.parse(await response.text());
  return models;
}

test("with every reasoning setting that the page offers, each kind of model accepts the page's request in each format", {
  timeout: 180_000,
}, async () => {
  const gateway = await startGateway();
  const refused: string[] = [];
  const seen = new Set<string>();
  let asked = 0;
  for (const model of await listed(gateway.url)) {
    expect(model.simulated).toBe(true);
    // The vendors whose own formats the sandbox checks strictly.
    const [vendor = ''] = model.id.split('/');
    if (!['openai', 'anthropic', 'google'].includes(vendor)) continue;
    // One is enough of models that the page cannot tell apart.
    const traits = JSON.stringify([vendor, model.thinking, model.sampling]);
    if (seen.has(traits)) continue;
    seen.add(traits);
    for (const format of FORMATS) {
      if (format.name === 'generate-content' && !model.generateContent) continue;
      const statuses = ['', ...listEfforts(model.thinking)].map(async (effort) => {
        const chosen = {
          model: model.id,
          ...(model.thinking && { thinking: model.thinking }),
          maxTokens: Math.min(4_096, model.maxOutputTokens),
          mostTokens: model.maxOutputTokens,
          ...(model.sampling && effort === '' && { temperature: 0.5 }),
          effort,
          system: 'Be brief.',
          tools: [],
        };
        const response = await fetch(gateway.url + format.path(model.id), {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...format.headers(KEY) },
          body: JSON.stringify(format.body([HELLO], chosen)),
        });
        const text = await response.text();
        asked += 1;
        if (response.status !== 200) refused.push(`${model.id} ${format.name} ${effort}: ${text}`);
      });
      await Promise.all(statuses);
    }
  }
  expect(refused).toEqual([]);
  expect(asked).toBeGreaterThan(100);
  await gateway.close();
});

test('Claude models with adaptive thinking get an effort, the others a number of tokens', () => {
  const settings = {
    model: 'anthropic/some',
    maxTokens: 1_000,
    mostTokens: 64_000,
    system: '',
    tools: [],
  };
  const turns = [HELLO];
  const words = { kinds: ['effort'], efforts: ['low', 'max'], canDisable: true };
  expect(messages.body(turns, { ...settings, thinking: words, effort: 'max' })).toMatchObject({
    max_tokens: 1_000,
    thinking: { type: 'adaptive', display: 'summarized' },
    output_config: { effort: 'max' },
  });
  const tokens = { kinds: ['budget'], efforts: [], budget: { min: 1_024, max: 63_999 }, canDisable: true };
  const budgeted = messages.body(turns, { ...settings, thinking: tokens, effort: 'high' });
  expect(budgeted).toMatchObject({
    max_tokens: 25_576,
    thinking: { type: 'enabled', budget_tokens: 24_576 },
  });
  expect(budgeted).not.toHaveProperty('output_config');
});

/** A PNG of one pixel, a PDF of nothing, and a text. */
const FILES: readonly Attachment[] = [
  {
    name: 'dot.png',
    type: 'image/png',
    data: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  },
  { name: 'empty.pdf', type: 'application/pdf', data: btoa('%PDF-1.4\n%%EOF') },
  { name: 'note.txt', type: 'text/plain', data: btoa('A note.') },
];

const SCHEMA = {
  type: 'object',
  properties: { answer: { type: 'string' } },
  required: ['answer'],
  additionalProperties: false,
};

test('files, tools and a schema of the answer are sent in each format as its vendor takes them', async () => {
  const gateway = await startGateway({ generateContent: { models: 'all' } });
  const models = ['openai/gpt-5.4', 'anthropic/claude-sonnet-5-5', 'google/gemini-3.5-flash'];
  const dialogues: readonly (readonly Turn[])[] = [
    [{ role: 'user', text: 'What is this?', attachments: FILES }],
    [
      HELLO,
      {
        role: 'assistant',
        text: '',
        calls: [{ id: 'call_1', name: 'get_time', arguments: '{"city":"Rome"}', result: '9' }],
      },
    ],
  ];
  for (const format of FORMATS)
    for (const model of models)
      for (const turns of dialogues) {
        const settings: Settings = {
          model,
          maxTokens: 500,
          mostTokens: 4_000,
          effort: '',
          system: '',
          tools: EXAMPLE_TOOLS,
          schema: SCHEMA,
        };
        const response = await fetch(gateway.url + format.path(model), {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...format.headers(KEY) },
          body: JSON.stringify(format.body(turns, settings)),
        });
        const text = await response.text();
        expect([format.name, model, response.status, response.status === 200 ? '' : text]).toEqual([
          format.name,
          model,
          200,
          '',
        ]);
      }
  await gateway.close();
});

test('settings that a model does not take are not sent to it', () => {
  const choices = {
    maxTokens: 90_000,
    temperature: 0.2,
    effort: 'xhigh',
    system: ' Be brief. ',
    hasTools: true,
    tools: '[{"name":"a"}, {"no":"name"}]',
    hasSchema: true,
    schema: '{"type":',
  };
  const prices = { input: 1, output: 1 };
  const model = {
    id: 'a/b',
    name: 'B',
    aliases: [],
    simulated: false,
    sampling: false,
    contextWindow: 9_000,
    maxOutputTokens: 4_000,
    structuredOutput: true,
    generateContent: false,
    prices,
  };
  expect(chooseSettings(choices, 'a/b', [model])).toEqual({
    model: 'a/b',
    maxTokens: 4_000,
    mostTokens: 4_000,
    effort: '',
    system: 'Be brief.',
    tools: [],
  });
});
