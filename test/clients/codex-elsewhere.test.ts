/**
 * Codex with models whose services have a Responses API of their own that supports less than OpenAI's: xAI
 * rejects tools and items that it does not know (422, unknown variant `namespace`;
 * router-for-me/CLIProxyAPI#4434, #3704, maximhq/bifrost#5428), and DeepSeek ignores what it does not know,
 * so that its model writes calls as text (Wei-Shaw/sub2api#7285).
 */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { asList, asObject, asObjects, asText, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { eventsIn } from '../faults/upstream-ways.ts';
import { startGateway, type TestGateway } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';
import { codexLite, codexPlain } from './agents/codex-lite.ts';

const XAI_TOOLS = ['function', 'web_search', 'x_search', 'code_interpreter', 'mcp', 'shell'];
const XAI_ITEMS = ['message', 'function_call', 'function_call_output', 'reasoning'];

/** Streams of the service: a call of the tool with this name, in each of its formats. */
const called: Readonly<Record<string, (name: string) => string>> = {
  '/v1/chat/completions': (name) => {
    const chunk = (more: JsonObject): string =>
      `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...more })}\n\n`;
    const call = { index: 0, id: 'call_x', type: 'function', function: { name, arguments: '{}' } };
    return (
      chunk({
        choices: [{ index: 0, delta: { role: 'assistant', tool_calls: [call] }, finish_reason: null }],
      }) +
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }) +
      'data: [DONE]\n\n'
    );
  },
  '/v1/responses': () =>
    'data: {"type":"response.created","response":{"id":"resp_1"}}\n\n' +
    'data: {"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[]}}\n\n',
};

let wanted = '';
let upstream: TestUpstream;
let gateway: TestGateway;

/** As strict as xAI if `model` is one of its models. */
const answer: Respond = ({ url, body }, response) => {
  const sent = asObject(parseJson(body.toString())) ?? {};
  const refuse = (error: string): void =>
    void response.writeHead(422, { 'content-type': 'application/json' }).end(JSON.stringify({ error }));
  if (url === '/v1/responses' && asText(sent['model'])?.startsWith('grok')) {
    const types = (field: string): readonly string[] =>
      asObjects(sent[field]).map(({ type }) => asText(type) ?? '');
    const tool = types('tools').find((type) => !XAI_TOOLS.includes(type));
    if (tool !== undefined) return refuse(`unknown variant \`${tool}\`, expected one of \`function\``);
    if (!types('input').every((type) => XAI_ITEMS.includes(type)))
      return refuse('data did not match any variant of untagged enum ModelInput');
    if (asObjects(sent['tools']).some((tool) => 'external_web_access' in tool)) {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end('{"code":"400","error":"Argument not supported: external_web_access"}');
      return;
    }
  }
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end(called[url]?.(wanted));
};

beforeAll(async () => {
  upstream = await startUpstream(answer);
  const service = { baseUrl: `${upstream.url}/v1`, apiKey: 'k' };
  gateway = await startGateway({
    vendors: { 'x-ai': service, deepseek: service, compatible: service, openai: service },
    fallbacks: { 'openai/gpt-6.1-sol': ['x-ai/grok-4.7'] },
  });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

/** The last request to the service, and the calls that Codex receives. */
async function asked(body: JsonObject, call: string, requests = 1) {
  wanted = call;
  upstream.received.length = 0;
  const response = await postJson(`${gateway.url}/v1/responses`, body);
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const items = eventsIn(text).flatMap(({ data }) => asObject(asObject(parseJson(data))?.['item']) ?? []);
  const got = upstream.received.at(-1);
  expect(upstream.received).toHaveLength(requests);
  return { path: got?.url, sent: asObject(parseJson(got?.body.toString() ?? '')) ?? {}, call: items.at(-1) };
}

const names = ({ tools }: JsonObject): readonly unknown[] =>
  asList(tools ?? null).map((tool) => asObject(asObject(tool)?.['function'])?.['name']);

describe.each(['x-ai/grok-4.7', 'deepseek/deepseek-v4-pro'])('Codex with %s', (model) => {
  test('tools in an item are offered, and a call has its namespace again', async () => {
    const { path, sent, call } = await asked(codexLite(model), 'collaboration__list_agents');
    expect(path).toBe('/v1/chat/completions');
    expect(names(sent)).toEqual(['exec', 'wait', 'collaboration__list_agents']);
    expect(call).toMatchObject({ type: 'function_call', namespace: 'collaboration', name: 'list_agents' });
  });

  test('a call of a free-form tool is returned as one', async () => {
    const { call } = await asked(codexLite(model), 'exec');
    expect(call).toMatchObject({ type: 'custom_tool_call', name: 'exec' });
  });
});

test('Codex with x-ai/grok-4.7: a namespace of functions is sent as functions, since xAI has no namespaces', async () => {
  const { path, sent, call } = await asked(codexPlain('x-ai/grok-4.7'), 'multi_agent_v1__wait_agent');
  expect(path).toBe('/v1/chat/completions');
  expect(names(sent)).toEqual(['exec_command', 'multi_agent_v1__wait_agent']);
  expect(call).toMatchObject({ type: 'function_call', namespace: 'multi_agent_v1', name: 'wait_agent' });
});

test('Codex with x-ai/grok-4.7: its model may search, which xAI supports without options', async () => {
  const plain = codexPlain('x-ai/grok-4.7');
  const functions = asObjects(plain['tools']).filter(({ type }) => type === 'function');
  const search = { type: 'web_search', external_web_access: false };
  const body = { ...plain, tools: [...functions, search] };
  const { path, sent } = await asked(body, '', 2);
  expect(path).toBe('/v1/responses');
  expect(sent).toEqual({ ...body, model: 'grok-4.7', tools: [...functions, { type: 'web_search' }] });
});

describe('what a service supports reaches it as it was written', () => {
  const [exec] = asList(codexPlain('m')['tools'] ?? null);
  test.each([
    ['deepseek/deepseek-v4-pro', codexPlain('deepseek/deepseek-v4-pro')],
    ['openai/gpt-6.1-sol', codexLite('openai/gpt-6.1-sol')],
    ['x-ai/grok-4.7', { ...codexPlain('x-ai/grok-4.7'), tools: [exec ?? null] }],
    [
      'deepseek/deepseek-v4-pro',
      { ...codexPlain('deepseek/deepseek-v4-pro'), tools: [{ type: 'custom', name: 'apply_patch' }] },
    ],
  ])('by %s', async (model, body) => {
    const { path, sent } = await asked(body, '');
    expect(path).toBe('/v1/responses');
    expect(sent).toEqual({ ...body, model: model.replace(/^.*\//, '') });
  });
});
