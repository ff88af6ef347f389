/**
 * Coding agents in the middle of their work: long histories with tools, with their own vendor and with models
 * of every other.
 */

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import type { ToolCallPart } from '../../src/conversation/prompt.ts';
import { formats } from '../../src/formats/formats.ts';
import { asObject, asObjects, isObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { validateStream } from '../../src/protocol/validate.ts';
import { eventsOf, eventsOfWhole } from '../support/meaning.ts';
import { postJson } from '../support/post-json.ts';
import { json } from '../support/upstream.ts';
import { type Agent, output } from './agents/agent.ts';
import { chatAgent } from './agents/chat-agent.ts';
import { claudeCode } from './agents/claude-code.ts';
import { codex } from './agents/codex.ts';
import { geminiCli } from './agents/gemini-cli.ts';
import { PNG, SUBJECTS, useGateway, useScripted } from './support.ts';

const gateway = useGateway();
const scripted = useScripted();

const AGENTS = [codex, claudeCode, geminiCli, chatAgent];

/** Steps of work in each agent's history: more than 400 KB. */
const STEPS = 110;

function post(url: string, agent: Agent, model: string, stream: boolean, body: string): Promise<Response> {
  return postJson(url + agent.path(model, stream), body, { headers: agent.headers });
}

const callsIn = (parts: readonly { kind: string }[] = []): readonly ToolCallPart[] =>
  parts.filter((part): part is ToolCallPart => part.kind === 'tool-call');

/** The calls of the answer, streamed; the stream follows every rule of its format. */
async function streamed(agent: Agent, model: string, body: JsonObject): Promise<readonly ToolCallPart[]> {
  const response = await post(gateway().url, agent, model, true, JSON.stringify(body));
  const bytes = await response.bytes();
  const text = Buffer.from(bytes).toString('utf8');
  expect(response.status, text.slice(0, 1000)).toBe(200);
  const { violations } = validateStream(agent.format, [bytes], { strict: model !== agent.home });
  expect(violations).toEqual([]);
  const reply = collect(eventsOf(formats[agent.format], bytes));
  return callsIn(reply.choices[0]?.parts);
}

/** The whole answer, and the calls in it. */
async function whole(agent: Agent, model: string, body: JsonObject) {
  const response = await post(gateway().url, agent, model, false, JSON.stringify(body));
  const text = await response.text();
  expect(response.status, text.slice(0, 1000)).toBe(200);
  const answer = parseJson(text);
  if (!isObject(answer)) throw new TypeError('no object');
  return { answer, calls: callsIn(collect(eventsOfWhole(formats[agent.format], text)).choices[0]?.parts) };
}

const withStream = (body: JsonObject, stream: boolean): JsonObject =>
  'stream' in body
    ? { ...body, stream, ...('stream_options' in body && !stream && { stream_options: null }) }
    : body;

const named = AGENTS.map((agent) => ({ name: agent.name, agent }));

describe.each(named)('$name with its own vendor', ({ agent }) => {
  test('passes through unchanged, byte for byte', async () => {
    let got = '';
    scripted().answer(({ body }, response) => {
      got = createHash('sha256').update(body).digest('hex');
      json(response, {});
    });
    const { upstream, gateway } = scripted();
    const name = agent.home.startsWith('deepseek/') ? agent.home : agent.home.replace(/^.*\//, '');
    // Indented in a way that no JSON writer of this program produces.
    const text = JSON.stringify(agent.body(name, STEPS, true), null, '\t');
    expect(text.length).toBeGreaterThan(400_000);
    const response = await post(gateway.url, agent, name, true, text);
    expect(response.status).toBe(200);
    expect(got).toBe(createHash('sha256').update(text).digest('hex'));
    const headers = upstream.received[0]?.headers ?? {};
    for (const header of ['anthropic-beta', 'anthropic-version', 'openai-beta', 'x-goog-api-client']) {
      expect(headers[header]).toBe(agent.headers[header]);
    }
  });
});

const PAIRS = AGENTS.flatMap((agent) =>
  [...new Set([agent.home, ...SUBJECTS.map(({ model }) => model)])]
    .filter((model) => agent.format !== 'generate-content' || model.startsWith('google/'))
    .map((model) => ({ agent, model, name: `${agent.name} with ${model}` })),
);

describe.each(PAIRS)('$name', ({ agent, model }) => {
  test('continues its work: two steps with tools, then the answer, each streamed and whole', async () => {
    const [first, second] = agent.tools;
    let body = agent.body(model, STEPS, false);
    for (const tool of [first, second, undefined]) {
      const calls = await streamed(agent, model, withStream(body, true));
      const { answer, calls: same } = await whole(agent, model, withStream(body, false));
      const told = (list: readonly ToolCallPart[]) =>
        list.map(({ name, arguments: text, custom = false }) => [name, text, custom]);
      expect(told(calls)).toEqual(told(same));
      expect(calls.map(({ name }) => name)).toEqual(tool === undefined ? [] : [tool]);
      body = agent.after(body, answer);
    }
  });
});

describe('a free-form tool', () => {
  test.each(SUBJECTS)('is text for the agent, whatever it was for $model', async ({ model }) => {
    const body = { ...codex.body(model, 1, true), tool_choice: { type: 'custom', name: 'apply_patch' } };
    const [call] = await streamed(codex, model, body);
    expect(call).toMatchObject({ name: 'apply_patch', custom: true });
    expect(call?.arguments).not.toMatch(/^\s*\{/);
  });
});

/** Models whose vendors have no Responses API. */
const TRANSLATED = SUBJECTS.filter(({ model }) => !/^(?:openai|deepseek)\//.test(model));

describe('the tools of an MCP server, which Codex puts into a namespace', () => {
  test.each(SUBJECTS)('are called by $model, each under the agent’s name for it', async ({ model }) => {
    const body = codex.body(model, 2, false);
    const input = [
      ...asObjects(body['input']).slice(0, -1),
      { role: 'user', content: 'Call mcp__docs__search and mcp__docs__note.' },
    ];
    const asking = { ...body, input };
    const told = await streamed(codex, model, withStream(asking, true));
    expect(told.map(({ name }) => name)).toEqual(['mcp__docs__search', 'mcp__docs__note']);
    const { answer } = await whole(codex, model, asking);
    const calls = asObjects(answer['output']).filter(({ call_id }) => call_id !== undefined);
    expect(calls).toMatchObject([
      { type: 'function_call', namespace: 'mcp__docs', name: 'search' },
      { type: 'custom_tool_call', namespace: 'mcp__docs', name: 'note' },
    ]);
  });

  test.each(TRANSLATED)('are offered to $model and named in the history by one name', async ({ model }) => {
    scripted().answer((_, response) => response.writeHead(500).end());
    const { gateway, upstream } = scripted();
    await post(gateway.url, codex, model, true, JSON.stringify(codex.body(model, 2, true)));
    const sent = upstream.received[0]?.body.toString() ?? '';
    expect(sent.match(/"name":"mcp__docs__search"/g)?.length).toBeGreaterThanOrEqual(2);
    expect(sent).toContain('"description":"mcp__docs__*: Documentation of every library.\\n\\nFinds pages."');
    expect(sent).toContain('"description":"Keeps a note on a page."');
    expect(sent).not.toContain('"name":"search"');
  });
});

describe('undocumented items of Codex', () => {
  const kept = readFileSync(
    join(import.meta.dirname, '../../fixtures/requests/responses/codex-items.json'),
    'utf8',
  );

  test.each(TRANSLATED)('are accepted, and $model receives what can be translated', async ({ model }) => {
    const body = asObject(parseJson(kept)) ?? {};
    const { answer } = await whole(codex, model, { ...body, model });
    expect(answer['status']).toBe('completed');
    scripted().answer((_, response) => response.writeHead(500).end());
    const { gateway, upstream } = scripted();
    await post(gateway.url, codex, model, true, JSON.stringify({ ...body, model }));
    const sent = upstream.received[0]?.body.toString() ?? '';
    expect(sent).toMatch(/asking.*asked/s);
    expect(sent).toMatch(/Message from \/root\/reader:.*It is in README\.md\./s);
    expect(sent).toMatch(/Output of clock__notify:.*Five minutes are over\./s);
    for (const name of ['exec', 'wait']) expect(sent).toContain(`"name":"${name}"`);
    expect(sent).not.toMatch(/gAAAA|"text":"\."/);
  });
});

describe('messages between Codex’s agents', () => {
  const message = (encrypted_content: string) => ({
    type: 'agent_message',
    id: 'amsg_1',
    author: '/root',
    recipient: '/root/reader',
    content: [
      { type: 'input_text', text: 'Message Type: NEW_TASK\nSender: /root\nPayload:\n' },
      { type: 'encrypted_content', encrypted_content },
    ],
  });

  test.each(SUBJECTS.filter(({ model }) => !/^(?:openai|deepseek)\//.test(model)))(
    'reach $model, except what OpenAI alone can read',
    async ({ model }) => {
      scripted().answer((_, response) => response.writeHead(500).end());
      const { gateway, upstream } = scripted();
      const { input: _, ...body } = codex.body(model, 0, true);
      const input = [message('List the files.'), message(`gAAAA${'Ab-_'.repeat(30)}==`)];
      await post(gateway.url, codex, model, true, JSON.stringify({ ...body, input }));
      const sent = upstream.received[0]?.body.toString() ?? '';
      expect(sent.match(/NEW_TASK/g)).toHaveLength(2);
      expect(sent).toContain('List the files.');
      expect(sent).not.toMatch(/gAAAA|agent_message|amsg_1/);
    },
  );

  test.each(SUBJECTS)('are accepted by every vendor: $model', async ({ model }) => {
    const { input: _, ...body } = codex.body(model, 0, false);
    await whole(codex, model, { ...body, input: [message('List the files.')] });
  });
});

describe('what Claude Code sends in the middle of its work', () => {
  test.each(['openai/gpt-5.4', 'google/gemini-2.5-flash', 'mistralai/mistral-medium-3-5'])(
    'reaches %s: system messages, images in results, failures',
    async (model) => {
      scripted().answer((_, response) => response.writeHead(500).end());
      const { gateway, upstream } = scripted();
      await post(gateway.url, claudeCode, model, true, JSON.stringify(claudeCode.body(model, 10, true)));
      const sent = upstream.received[0]?.body.toString() ?? '';
      expect(sent.match(/<budget>step 9<\/budget>/g)).toHaveLength(1);
      // The user's image, and those of steps 3 and 8.
      expect(sent.split(PNG)).toHaveLength(4);
      for (const step of [0, 9]) expect(sent).toContain(JSON.stringify(output(step)).slice(1, -1));
    },
  );

  test.each(['openai/gpt-5.4', 'google/gemini-2.5-flash', 'mistralai/mistral-medium-3-5'])(
    'tells %s which tools a tool search has found',
    async (model) => {
      scripted().answer((_, response) => response.writeHead(500).end());
      const { gateway, upstream } = scripted();
      const body = claudeCode.body(model, 0, true);
      const messages = [
        { role: 'user', content: 'Anything wrong?' },
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_s', name: 'ToolSearch', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_s',
              content: [{ type: 'tool_reference', tool_name: 'mcp__ide__getDiagnostics' }],
            },
          ],
        },
      ];
      await post(gateway.url, claudeCode, model, true, JSON.stringify({ ...body, messages }));
      expect(upstream.received[0]?.body.toString()).toContain('Found: mcp__ide__getDiagnostics');
    },
  );
});

describe('Claude Code’s suffix for a context window of a million tokens', () => {
  test.each([
    ['/v1/messages', 'openai/gpt-5.4[1m]', 'gpt-5.4'],
    ['/v1/messages', 'claude-sonnet-4-5[1M]', 'claude-sonnet-4-5'],
    ['/v1/messages', 'anthropic/claude-sonnet-4-5[1M][1m]', 'claude-sonnet-4-5'],
    ['/v1/messages/count_tokens', 'claude-sonnet-4-5[1m]', 'claude-sonnet-4-5'],
  ])('is not part of a name: %s, %s', async (path, model, name) => {
    scripted().answer((_, response) => response.writeHead(500).end());
    const { gateway, upstream } = scripted();
    const body = JSON.stringify({ ...claudeCode.body(model, 0, false) });
    await post(gateway.url, { ...claudeCode, path: () => path }, model, false, body);
    expect(asObject(parseJson(upstream.received[0]?.body.toString() ?? ''))?.['model']).toBe(name);
  });

  test.each([
    ['/v1/messages', 'claude-[1m]sonnet-4-5'],
    ['/v1/messages', '[1m]'],
    ['/v1/messages', 'claude-sonnet-4-5[3m]'],
    ['/v1/chat/completions', 'anthropic/claude-sonnet-4-5[1m]'],
  ])('elsewhere is part of it: %s, %s', async (path, model) => {
    const { gateway, upstream } = scripted();
    upstream.received.length = 0;
    const body = JSON.stringify(claudeCode.body(model, 0, false));
    expect((await post(gateway.url, { ...claudeCode, path: () => path }, model, false, body)).status).toBe(
      404,
    );
    expect(upstream.received).toEqual([]);
  });
});

describe('fields for one vendor alone', () => {
  const VENDOR_ONLY =
    /prompt_cache_key|client_metadata|metadata_passthrough|context_management|cache_control|safetySettings|x-anthropic|encrypted_content|anthropic-beta|codex_cli|claude-cli|openai-beta/i;

  /** Fields of a vendor's own format, with which a request asks for caching among others. */
  const OWN_WORDS = { 'openai/': ['include', 'prompt_cache_key'], 'anthropic/': ['cache_control'] };

  test.each([
    { agent: codex, model: 'anthropic/claude-sonnet-4-5', path: '/v1/messages' },
    { agent: codex, model: 'google/gemini-2.5-flash', path: ':streamGenerateContent' },
    { agent: codex, model: 'mistralai/mistral-medium-3-5', path: '/v1/chat/completions' },
    { agent: claudeCode, model: 'openai/gpt-5.4', path: '/v1/responses' },
    { agent: claudeCode, model: 'google/gemini-2.5-flash', path: ':streamGenerateContent' },
    { agent: claudeCode, model: 'mistralai/mistral-medium-3-5', path: '/v1/chat/completions' },
    { agent: chatAgent, model: 'google/gemini-2.5-flash', path: ':streamGenerateContent' },
  ])('of $agent.name do not reach $model', async ({ agent, model, path }) => {
    scripted().answer((_, response) => response.writeHead(500).end());
    const { gateway, upstream } = scripted();
    await post(gateway.url, agent, model, true, JSON.stringify(agent.body(model, 3, true)));
    const [got] = upstream.received;
    expect(got?.url).toContain(path);
    const sent = asObject(parseJson(got?.body.toString() ?? '')) ?? {};
    const known = Object.entries(OWN_WORDS).flatMap(([vendor, fields]) =>
      model.startsWith(vendor) ? fields : [],
    );
    const others = Object.fromEntries(Object.entries(sent).filter(([field]) => !known.includes(field)));
    expect(JSON.stringify([others, got?.headers])).not.toMatch(VENDOR_ONLY);
  });

  test('cache marks of an agent that uses chat-completions reach Anthropic', async () => {
    scripted().answer((_, response) => response.writeHead(500).end());
    const { gateway, upstream } = scripted();
    const model = 'anthropic/claude-sonnet-4-5';
    await post(gateway.url, chatAgent, model, true, JSON.stringify(chatAgent.body(model, 3, true)));
    const sent = upstream.received[0]?.body.toString() ?? '';
    expect(sent.match(/"cache_control":\{"type":"ephemeral"\}/g)).toHaveLength(2);
  });
});
