/** Google's generated clients: enums as numbers in requests, and in answers where `$alt` asks for them. */

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import {
  at,
  CLAUDE,
  chatStream,
  chunk,
  completion,
  GEMINI,
  json,
  OPENAI,
  RESPONDER,
  useDoor,
} from '../checklist/support.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { json as respondJson, startUpstream, type TestUpstream } from '../support/upstream.ts';

const NUMBERS = '?$alt=json;enum-encoding=int';

const BODY: JsonObject = {
  contents: [{ role: 'user', parts: [{ text: 'x' }] }],
  generation_config: {
    response_mime_type: 'application/json',
    response_schema: { type: 6, properties: { city: { type: 1 } } },
  },
  tool_config: { function_calling_config: { mode: 2 } },
  safety_settings: [{ category: 7, threshold: 3 }],
  tools: [
    {
      function_declarations: [
        {
          name: 'f',
          parameters: {
            type: 6,
            properties: { a: { type: 6, properties: { b: { type: 4 } } }, c: { type: 0 } },
          },
        },
      ],
    },
  ],
};

async function ask(url: string, path: string, body: JsonObject = BODY): Promise<Response> {
  return fetch(`${url}/v1beta/models/${path}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
}

describe('a request in numbers', () => {
  const door = useDoor({ generateContent: { models: 'all' } });
  const parameters = {
    type: 'object',
    properties: { a: { type: 'object', properties: { b: { type: 'boolean' } } }, c: {} },
  };
  const schema = { type: 'object', properties: { city: { type: 'string' } } };

  test.each([
    [
      OPENAI,
      {
        tool_choice: 'required',
        tools: [{ function: { parameters } }],
        response_format: { json_schema: { schema } },
      },
    ],
    [RESPONDER, { tool_choice: 'required', tools: [{ parameters }], text: { format: { schema } } }],
    [CLAUDE, { tools: [{ input_schema: parameters }], output_config: { format: { schema } } }],
  ])('reaches %s in words, whole and streamed', async (model, expected) => {
    for (const method of ['generateContent', 'streamGenerateContent']) {
      door.answers((_, response) => respondJson(response, {}, 418));
      await ask(door.url(), `${model}:${method}${NUMBERS}`);
      expect(door.sent()).toMatchObject(expected);
      expect(JSON.stringify(door.sent())).not.toMatch(/"type":\d|unspecified/i);
    }
  });

  test('is answered in numbers if it asks for them, whole', async () => {
    const call = {
      id: 'c1',
      type: 'function',
      function: { name: 'f', arguments: '{"a":12345678901234567890}' },
    };
    door.answers(json(completion({ content: 'ok', tool_calls: [call] }, 'length')));
    const text = await (await ask(door.url(), `${OPENAI}:generateContent${NUMBERS}`)).text();
    expect(parseJson(text)).toMatchObject({ candidates: [{ finishReason: 2 }] });
    expect(text).toContain('12345678901234567890');
    const words = await ask(door.url(), `${OPENAI}:generateContent?$alt=json`);
    expect(await words.json()).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] });
  });

  test('and streamed, as a list and as events', async () => {
    const call = {
      index: 0,
      id: 'c1',
      type: 'function',
      function: { name: 'f', arguments: '{"a":12345678901234567890}' },
    };
    door.answers(
      chatStream(chunk({ content: 'ok' }), chunk({ tool_calls: [call] }), chunk({}, 'content_filter')),
    );
    const path = `${OPENAI}:streamGenerateContent`;
    const list = await (await ask(door.url(), path + NUMBERS)).text();
    const last = asObjects(parseJson(list)).at(-1);
    expect(at(last, 'candidates.0.finishReason')).toBe(3);
    expect(list).toContain('12345678901234567890');
    for (const query of [`${NUMBERS}&alt=sse`, '?$alt=sse;enum-encoding=int']) {
      const events = await ask(door.url(), path + query);
      expect(events.headers.get('content-type')).toContain('text/event-stream');
      expect(await events.text()).toContain('"finishReason":3');
    }
    const words = await ask(door.url(), `${path}?$alt=sse`);
    expect(await words.text()).toContain('"finishReason":"SAFETY"');
  });
});

describe('the simulated Google', () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway();
  });
  afterEach(() => gateway.close());

  test('takes numbers, and gives them, by way of the native path', async () => {
    const model = 'gemini-3-flash-preview';
    const whole = await ask(gateway.url, `${model}:generateContent${NUMBERS}`);
    expect(await whole.json()).toMatchObject({
      candidates: [{ finishReason: 1 }],
      usageMetadata: { promptTokensDetails: [{ modality: 1 }] },
    });
    const stream = await ask(gateway.url, `${model}:streamGenerateContent${NUMBERS}`);
    expect(at(asObjects(parseJson(await stream.text())).at(-1), 'candidates.0.finishReason')).toBe(1);
    const tools = [{ functionDeclarations: [{ name: 'f', parameters: { type: 8 } }] }];
    const refused = await ask(gateway.url, `${model}:generateContent`, { ...BODY, tools });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('(TYPE_ENUM), 8');
  });
});

describe('Vertex AI, which numbers in its own way', () => {
  let upstream: TestUpstream;
  let gateway: TestGateway;
  beforeEach(async () => {
    upstream = await startUpstream((_, response) =>
      respondJson(response, {
        candidates: [
          { content: { role: 'model', parts: [{ text: 'x' }] }, finishReason: 'PROHIBITED_CONTENT' },
        ],
        usageMetadata: { promptTokenCount: 1, totalTokenCount: 1 },
        modelVersion: 'm',
      }),
    );
    const baseUrl = `${upstream.url}/v1/projects/ours/locations/global/publishers/google`;
    const google = { baseUrl, apiKey: 'vendor-key', auth: 'authorization' } as const;
    gateway = await startGateway({ vendors: { ...vendorsAtUrl(upstream.url), google } });
  });
  afterEach(async () => {
    await gateway.close();
    await upstream.close();
  });

  test('gets words, and its words become the numbers that the caller means', async () => {
    const path = `${GEMINI.replace('google/', '')}:generateContent`;
    const answer = await ask(gateway.url, path + NUMBERS);
    expect(await answer.json()).toMatchObject({ candidates: [{ finishReason: 8 }] });
    const [received] = upstream.received;
    expect(received?.url).not.toContain('alt');
    expect(parseJson(String(received?.body))).toMatchObject({
      safetySettings: [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' }],
    });
    await ask(gateway.url, path);
    expect(upstream.received.at(-1)?.body.toString()).toBe(JSON.stringify(BODY));
  });
});
