/** Checklist, section 20: counting tokens. */

import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/lib/json.ts';
import { postJson } from '../support/post-json.ts';
import { at, CLAUDE, DEEPSEEK, GEMINI, OPENAI, QWEN, useDoor } from './support.ts';

const door = useDoor({ countTokens: { models: 'all' } });
const asSpecified = useDoor();

async function ask(path: string, body: object): Promise<Response> {
  return postJson(door.url() + path, body);
}

describe('counting tokens', () => {
  const body = {
    model: CLAUDE,
    system: 'Be brief.',
    tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
    messages: [{ role: 'user', content: 'Hi' }],
  };

  test('checklist 134: the path may have a query', async () => {
    door.answers((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":728}'),
    );
    const response = await ask('/v1/messages/count_tokens?beta=true', body);
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ input_tokens: 728 });
    expect(door.upstream().received[0]?.url).toBe('/v1/messages/count_tokens?beta=true');
  });

  test('checklist 135: the vendor counts all of it: system, tools and messages', async () => {
    door.answers((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":728}'),
    );
    await ask('/v1/messages/count_tokens', body);
    expect(door.sent()).toEqual({ ...body, model: 'claude-sonnet-4-5' });
  });

  /** The same prompt as each vendor must count it. */
  const system = { parts: [{ text: 'Be brief.' }] };
  const schema = { type: 'object', properties: {} };
  test.each([
    [
      OPENAI,
      '/v1/responses/input_tokens',
      {
        model: 'gpt-4o',
        input: [
          { type: 'message', role: 'developer', content: 'Be brief.' },
          { type: 'message', role: 'user', content: 'Hi' },
        ],
        tools: [{ type: 'function', name: 'f', parameters: schema, strict: false }],
      },
      { object: 'response.input_tokens', input_tokens: 728 },
    ],
    [
      GEMINI,
      '/v1beta/models/gemini-2.5-flash:countTokens',
      {
        generateContentRequest: {
          model: 'models/gemini-2.5-flash',
          systemInstruction: system,
          contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
          tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: schema }] }],
        },
      },
      { totalTokens: 728, promptTokensDetails: [{ modality: 'TEXT', tokenCount: 728 }] },
    ],
  ])('checklist 136: nothing is guessed: the vendor of %s counts', async (model, path, request, answer) => {
    door.answers((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answer)),
    );
    const response = await ask('/v1/messages/count_tokens', { ...body, model });
    expect(await response.json()).toEqual({ input_tokens: 728 });
    expect(door.upstream().received[0]?.url).toBe(path);
    expect(door.sent()).toEqual(request);
  });

  test('a request of responses is counted by Anthropic without what is counted of none', async () => {
    door.answers((_, response) =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":728}'),
    );
    const settings = { reasoning: { effort: 'low' }, max_output_tokens: 2000, temperature: 1, stream: true };
    const request = { model: CLAUDE, instructions: 'Be brief.', input: 'Hi', ...settings };
    const response = await ask('/v1/responses/input_tokens', request);
    expect(await response.json()).toEqual({ object: 'response.input_tokens', input_tokens: 728 });
    expect(door.upstream().received[0]?.url).toBe('/v1/messages/count_tokens');
    expect(door.sent()).toEqual({
      model: 'claude-sonnet-4-5',
      system: 'Be brief.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
  });

  test.each([
    ['a refusal', 400, '{"error":{"code":400,"message":"Too odd.","status":"INVALID_ARGUMENT"}}', 400],
    ['a failure', 500, '{"error":{"code":500,"message":"Oh.","status":"INTERNAL"}}', 502],
  ])('%s is told as an error', async (_, status, said, told) => {
    door.answers((_request, response) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(said),
    );
    const response = await ask('/v1/messages/count_tokens', { ...body, model: GEMINI });
    expect(response.status).toBe(told);
    expect(at(parseJson(await response.text()), 'type')).toBe('error');
  });

  test('a count leaves out what another vendor has signed, as an answer does, and keeps the rest', async () => {
    const thought = (signature: string) => ({ type: 'thinking', thinking: 'Hm.', signature });
    const turn = (signature: string) => [thought(signature), { type: 'text', text: 'Ok.' }];
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: turn('T3du') },
      { role: 'user', content: 'And?' },
      { role: 'assistant', content: turn('openai#b3RoZXI=') },
      { role: 'user', content: 'So?' },
    ];
    door.answers((received, response) =>
      received.body.includes('openai#')
        ? response
            .writeHead(400, { 'content-type': 'application/json' })
            .end(
              '{"type":"error","error":{"type":"invalid_request_error","message":"messages.3.content.0: Invalid `signature` in `thinking` block"}}',
            )
        : response.writeHead(200, { 'content-type': 'application/json' }).end('{"input_tokens":728}'),
    );
    const response = await ask('/v1/messages/count_tokens', { ...body, messages });
    expect([response.status, await response.json()]).toEqual([200, { input_tokens: 728 }]);
    expect(at(door.sent(), 'messages')).toEqual(
      messages.with(3, { role: 'assistant', content: [{ type: 'text', text: 'Ok.' }] }),
    );
  });

  test.each([
    ['what another vendor has signed', 'Corrupted thought signature.'],
    ['what no sentence explains', 'Request contains an invalid argument.'],
  ])("a count of a whole request leaves out %s, in Google's format", async (_, message) => {
    const sealed = Buffer.from('openai#b3RoZXI=').toString('base64');
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [{ text: 'Ok.', thoughtSignature: sealed }] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ];
    door.answers((received, response) =>
      received.body.includes(sealed)
        ? response
            .writeHead(400, { 'content-type': 'application/json' })
            .end(JSON.stringify({ error: { code: 400, message, status: 'INVALID_ARGUMENT' } }))
        : response.writeHead(200, { 'content-type': 'application/json' }).end('{"totalTokens":728}'),
    );
    const name = GEMINI.slice('google/'.length);
    const response = await postJson(`${door.url()}/v1beta/models/${name}:countTokens`, {
      generateContentRequest: { model: `models/${name}`, contents },
    });
    expect([response.status, await response.json()]).toMatchObject([200, { totalTokens: 728 }]);
    expect(at(door.sent(), 'generateContentRequest.contents')).toEqual(
      contents.with(1, { role: 'model', parts: [{ text: 'Ok.' }] }),
    );
  });

  test('a count that no sentence explains is asked for in the strictest form', async () => {
    const call = { functionCall: { name: 'f', args: {} } };
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      { role: 'model', parts: [call] },
      { role: 'user', parts: [{ text: 'And?' }] },
    ];
    door.answers((received, response) =>
      received.body.includes('functionResponse')
        ? response.writeHead(200, { 'content-type': 'application/json' }).end('{"totalTokens":728}')
        : response
            .writeHead(400, { 'content-type': 'application/json' })
            .end('{"error":{"code":400,"message":"Request contains an invalid argument."}}'),
    );
    const name = GEMINI.slice('google/'.length);
    const response = await postJson(`${door.url()}/v1beta/models/${name}:countTokens`, {
      generateContentRequest: { model: `models/${name}`, contents },
    });
    expect([response.status, await response.json()]).toMatchObject([200, { totalTokens: 728 }]);
  });

  /** What services answer on a path that they do not have. */
  const nowhere: readonly (readonly [string, number, string, string])[] = [
    [
      'vLLM, for which it is the id of a response',
      405,
      'application/json',
      '{"detail":"Method Not Allowed"}',
    ],
    ['an older one', 404, 'application/json', '{"detail":"Not Found"}'],
    ['Ollama', 404, 'text/plain', '404 page not found'],
    ['one that says so', 501, 'application/json', '{"error":{"message":"Not implemented"}}'],
    ['LM Studio', 200, 'application/json', '{"error":"Unexpected endpoint or method. Returning 200 anyway"}'],
    ['one with pages', 200, 'text/html', '<html></html>'],
  ];
  test.each(nowhere)('checklist 136: a service that does not count: %s', async (_, status, type, said) => {
    door.answers((_request, response) => response.writeHead(status, { 'content-type': type }).end(said));
    const response = await ask('/v1/messages/count_tokens', { ...body, model: OPENAI });
    expect(response.status).toBe(400);
    expect(at(parseJson(await response.text()), 'error.message')).toBe(
      `Token counting is not available for ${OPENAI}: its vendor does not offer it.`,
    );
    expect(door.upstream().received).toHaveLength(1);
  });

  // DeepSeek answers in responses, and has nothing beside the answers.
  test.each([
    ['/v1/messages/count_tokens', QWEN],
    ['/v1/responses/input_tokens', QWEN],
    ['/v1/messages/count_tokens', DEEPSEEK],
    ['/v1/responses/input_tokens', DEEPSEEK],
  ])(
    'checklist 136: if the service does not count, neither does the gateway: %s, %s',
    async (path, model) => {
      const response = await ask(path, { ...body, input: 'Hi', model });
      expect(response.status).toBe(400);
      expect(at(parseJson(await response.text()), 'error.type')).toBe('invalid_request_error');
      expect(door.upstream().received).toHaveLength(0);
    },
  );
});

describe('without the setting', () => {
  const messages = [{ role: 'user', content: 'Hi' }];

  test.each([
    ['/v1/messages/count_tokens', OPENAI, { messages }],
    ['/v1/messages/count_tokens', GEMINI, { messages }],
    ['/v1/messages/count_tokens', QWEN, { messages }],
    ['/v1/responses/input_tokens', CLAUDE, { input: 'Hi' }],
    ['/v1/responses/input_tokens', DEEPSEEK, { input: 'Hi' }],
  ])('%s refuses %s in its own words, and asks no vendor', async (path, model, prompt) => {
    const response = await postJson(asSpecified.url() + path, { model, ...prompt });
    expect(response.status).toBe(400);
    const body = parseJson(await response.text());
    expect(at(body, 'error.type')).toBe('invalid_request_error');
    expect(at(body, 'error.message')).toMatch(/^Token counting is not (?:supported|available) for /);
    if (path.includes('messages')) expect(body).toHaveProperty('type', 'error');
    expect(asSpecified.upstream().received).toHaveLength(0);
  });

  test.each([
    ['/v1/messages/count_tokens', CLAUDE, { messages }, '{"input_tokens":7}'],
    [
      '/v1/responses/input_tokens',
      OPENAI,
      { input: 'Hi' },
      '{"object":"response.input_tokens","input_tokens":7}',
    ],
  ])('%s counts for %s', async (path, model, prompt, counted) => {
    asSpecified.answers({ type: 'application/json', body: counted });
    const response = await postJson(asSpecified.url() + path, { model, ...prompt });
    expect(await response.text()).toBe(counted);
  });
});
