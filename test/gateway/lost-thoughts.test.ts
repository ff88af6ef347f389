/** Thoughts whose text a client has dropped, so that only the signature is left. */

import Anthropic from '@anthropic-ai/sdk';
import { describe, expect, test } from 'vitest';
import { asObject, asObjects, asText, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { startRecordedGateway } from '../clients/recorded-gateway.ts';
import { KEY, startGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const gateway = whileTestsRun(() => startGateway());

const thinking = { type: 'enabled', budget_tokens: 1024 } as const;
const question = { role: 'user', content: 'play: thinking' } as const;

/** An answer of the model whose thought is not shown, as the client has it after dropping empty fields. */
async function lostThought(model: string): Promise<readonly JsonObject[]> {
  const client = new Anthropic({ baseURL: gateway().url, apiKey: KEY });
  const { content } = await client.messages.create({
    model,
    max_tokens: 2000,
    thinking,
    messages: [question],
  });
  return content.map((block) => {
    if (block.type !== 'thinking') return asObject(parseJson(JSON.stringify(block))) ?? {};
    return { type: 'thinking', signature: block.signature };
  });
}

test.each([
  'openai/gpt-5.4',
  'anthropic/claude-sonnet-4-5',
  'google/gemini-3-flash-preview',
  'deepseek/deepseek-v4-flash',
])('a conversation with %s continues, whole and streamed', async (model) => {
  const content = await lostThought('anthropic/claude-sonnet-4-5');
  expect(content[0]).toEqual({ type: 'thinking', signature: expect.stringMatching(/./) });
  const body = {
    model,
    max_tokens: 2000,
    thinking,
    messages: [question, { role: 'assistant', content }, { role: 'user', content: 'Say hello.' }],
  };
  const whole = await postJson(`${gateway().url}/v1/messages`, body);
  const read = asObject(parseJson(await whole.text()));
  expect([whole.status, read]).toMatchObject([200, { type: 'message', stop_reason: 'end_turn' }]);
  expect(asObjects(read?.['content']).at(-1)?.['text']).toContain('> Say hello.');
  const streamed = await postJson(`${gateway().url}/v1/messages`, { ...body, stream: true });
  expect([streamed.status, await streamed.text()]).toEqual([200, expect.stringContaining('message_stop')]);
});

test('a thought with neither text nor signature is refused', async () => {
  const messages = [question, { role: 'assistant', content: [{ type: 'thinking' }] }, question];
  const response = await postJson(`${gateway().url}/v1/messages`, {
    model: 'openai/gpt-5.4',
    max_tokens: 50,
    messages,
  });
  expect([response.status, await response.text()]).toEqual([400, expect.stringContaining('Field required')]);
});

describe('a client that keeps of a shown thought only its signature, as genai for Rust does', () => {
  const recorded = whileTestsRun(startRecordedGateway);
  const tool = {
    name: 'get_weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } } },
  };
  const prompt = 'What does get_weather say of Oslo?';

  async function post(path: string, body: JsonObject): Promise<string> {
    const response = await postJson(recorded().environment.GATEWAY_URL + path, body);
    const text = await response.text();
    expect(response.status, text).toBe(200);
    return text;
  }

  /** The dialogue has its thought, and was asked for once a turn. */
  async function expectSignature(tag: string): Promise<void> {
    const response = await fetch(`${recorded().environment.RECORDER_URL}/recorded?tag=${tag}`);
    const exchanges = asObjects(parseJson(await response.text()));
    expect(exchanges).toHaveLength(2);
    const [, signature] = /"signature":\s*"([^"]{20,})"/.exec(asText(exchanges[0]?.['answer']) ?? '') ?? [];
    expect(signature).toBeDefined();
    expect(exchanges[1]?.['request']).toContain(signature);
  }

  test('continues with Claude over responses', async () => {
    const asked = { role: 'user', content: `${prompt} lost-by-responses` };
    const request = {
      model: 'anthropic/claude-sonnet-4-5',
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'medium', summary: 'detailed' },
      tools: [{ type: 'function', ...tool }],
    };
    const { output } = asObject(parseJson(await post('/v1/responses', { ...request, input: [asked] }))) ?? {};
    const kept = asObjects(output).map(({ type, encrypted_content: encrypted = '', ...rest }) =>
      type === 'reasoning' ? { type, summary: [], encrypted_content: encrypted } : { type, ...rest },
    );
    const call = asObjects(output).find(({ type }) => type === 'function_call') ?? {};
    const result = { type: 'function_call_output', call_id: call['call_id'] ?? '', output: 'rain' };
    await post('/v1/responses', { ...request, input: [asked, ...kept, result] });
    await expectSignature('lost-by-responses');
  });

  test('continues with Claude over a stream of generateContent', async () => {
    const asked = { role: 'user', parts: [{ text: `${prompt} lost-by-google` }] };
    const request = {
      tools: [{ functionDeclarations: [tool] }],
      generationConfig: { thinkingConfig: { includeThoughts: true, thinkingBudget: 2000 } },
    };
    const path = '/v1beta/models/anthropic/claude-sonnet-4-5:streamGenerateContent?alt=sse';
    const stream = await post(path, { ...request, contents: [asked] });
    const chunks = stream.split('\n').filter((line) => line.startsWith('data: '));
    const parts = chunks
      .flatMap((line) => asObjects(asObject(parseJson(line.slice('data: '.length)))?.['candidates']))
      .flatMap(({ content }) => asObjects(asObject(content)?.['parts']))
      .filter(({ thought }) => thought !== true);
    expect(parts.some(({ functionCall }) => functionCall !== undefined)).toBe(true);
    const result = { functionResponse: { name: 'get_weather', response: { output: 'rain' } } };
    const contents = [asked, { role: 'model', parts }, { role: 'user', parts: [result] }];
    await post(path, { ...request, contents });
    await expectSignature('lost-by-google');
  });
});
