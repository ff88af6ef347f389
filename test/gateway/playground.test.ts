/** Where the playground is served, without a browser. */

import { expect, test } from 'vitest';
import { chatCompletions } from '../../src/server/pages/playground/formats/chat-completions.js';
import { generateContent } from '../../src/server/pages/playground/formats/generate-content.js';
import { messages } from '../../src/server/pages/playground/formats/messages.js';
import { responses } from '../../src/server/pages/playground/formats/responses.js';
import { effortsOf } from '../../src/server/pages/playground/thinking.js';
import { KEY, startGateway } from '../support/gateway.ts';

test('the playground is at /, and at its own name, with and without a slash; its links lead to its files', async () => {
  const gateway = await startGateway();
  try {
    for (const path of ['/', '/playground', '/playground/']) {
      const url = `${gateway.url}${path}`;
      const page = await fetch(url);
      expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
      const links = [...(await page.text()).matchAll(/ (?:href|src)="([^":#]+)"/g)].map(
        ([, link = '']) => link,
      );
      expect(links.length).toBeGreaterThan(1);
      for (const link of links) {
        const file = await fetch(new URL(link, url));
        expect([link, file.status]).toEqual([link, 200]);
        await file.body?.cancel();
      }
    }
    const head = await fetch(`${gateway.url}/playground`, { method: 'HEAD' });
    expect(head.status).toBe(200);
  } finally {
    await gateway.close();
  }
});

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
  const response = await fetch(`${url}/playground/models.json`, {
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
    for (const format of [chatCompletions, responses, messages, generateContent]) {
      if (format === generateContent && !model.generateContent) continue;
      const statuses = ['', ...effortsOf(model.thinking)].map(async (effort) => {
        const chosen = {
          model: model.id,
          ...(model.thinking && { thinking: model.thinking }),
          maxTokens: Math.min(4_096, model.maxOutputTokens),
          mostTokens: model.maxOutputTokens,
          temperature: model.sampling && effort === '' ? 0.5 : undefined,
          effort,
          system: 'Be brief.',
          tools: false,
        };
        const response = await fetch(gateway.url + format.path(chosen), {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...format.headers(KEY) },
          body: JSON.stringify(format.body([{ role: 'user', text: 'Hello!' }], chosen)),
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
    temperature: undefined,
    system: '',
    tools: false,
  };
  const turns = [{ role: 'user' as const, text: 'Hello!' }];
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
