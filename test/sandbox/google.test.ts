/** Google's SDK against the simulated Google, used like the real one. */

import {
  ApiError,
  type Content,
  FunctionCallingConfigMode,
  GoogleGenAI,
  type Tool,
  Type,
} from '@google/genai';
import { describe, expect, test } from 'vitest';
import { parseJson } from '../../src/lib/json.ts';
import { get, post, useSandbox } from './support.ts';

const sandbox = useSandbox();
const client = (key?: string): GoogleGenAI => {
  const { baseUrl, apiKey } = sandbox().places.google;
  return new GoogleGenAI({ apiKey: key ?? apiKey, httpOptions: { baseUrl } });
};
const model = 'gemini-3-flash-preview';
const WEATHER: Tool = {
  functionDeclarations: [
    {
      name: 'get_weather',
      description: 'The weather in a city',
      parameters: {
        type: Type.OBJECT,
        properties: {
          city: { type: Type.STRING },
          unit: { type: Type.STRING, enum: ['celsius', 'fahrenheit'] },
          days: { type: Type.INTEGER, minimum: 1, maximum: 7 },
        },
        required: ['city', 'unit'],
      },
    },
  ],
};

test('whole and streamed answers are the same', async () => {
  const whole = await client().models.generateContent({ model, contents: 'Who are you?' });
  expect(whole.text).toContain('> Who are you?');
  const stream = await client().models.generateContentStream({ model, contents: 'Who are you?' });
  let text = '';
  let last = 0;
  for await (const chunk of stream) {
    text += chunk.text ?? '';
    last = chunk.usageMetadata?.totalTokenCount ?? 0;
  }
  expect(text).toBe(whole.text);
  expect(last).toBe(whole.usageMetadata?.totalTokenCount);
});

describe.each([model, 'gemini-2.5-flash'])('a tool loop with %s', (name) => {
  test('succeeds with its signatures, and fails with others', async () => {
    const config = { tools: [WEATHER], thinkingConfig: { includeThoughts: true } };
    const asked: Content = {
      role: 'user',
      parts: [{ text: 'The weather in Oslo, in celsius, for 2 days?' }],
    };
    const first = await client().models.generateContent({ model: name, contents: [asked], config });
    const turn = first.candidates?.[0]?.content;
    const [call] = first.functionCalls ?? [];
    if (turn === undefined || call === undefined) throw new Error('no call');
    expect(call.args).toEqual({ city: 'Oslo', unit: 'celsius', days: 2 });
    expect(turn.parts?.[0]?.thought).toBe(true);
    const result: Content = {
      role: 'user',
      parts: [
        {
          functionResponse: {
            name: 'get_weather',
            response: { output: 'rain' },
            ...(call.id !== undefined && { id: call.id }),
          },
        },
      ],
    };
    const again = (changed: Content) =>
      client().models.generateContent({ model: name, contents: [asked, changed, result], config });
    expect((await again(turn)).text).toContain('> rain');
    const signedAs = (thoughtSignature: string): Content => ({
      ...turn,
      parts: (turn.parts ?? []).map((part) => (part.thoughtSignature ? { ...part, thoughtSignature } : part)),
    });
    await expect(again(signedAs('Zm9yZ2Vk'))).rejects.toThrow('Corrupted thought signature');
    expect((await again(signedAs('skip_thought_signature_validator'))).text).toContain('> rain');
    const unsigned: Content = {
      ...turn,
      parts: (turn.parts ?? []).map(({ thoughtSignature: _, ...part }) => part),
    };
    if (name === model) await expect(again(unsigned)).rejects.toThrow('missing a thought_signature');
    else expect((await again(unsigned)).text).toContain('> rain');
  });
});

test('Google’s agent kit sends the calls of a turn one by one, each with the signature of the first', async () => {
  const names = ['get_weather', 'get_time'];
  const config = { tools: [{ functionDeclarations: names.map((name) => ({ name })) }] };
  const asked: Content = { role: 'user', parts: [{ text: 'Call get_weather and get_time.' }] };
  const first = await client().models.generateContent({ model, contents: [asked], config });
  const parts = first.candidates?.[0]?.content?.parts ?? [];
  const calls = parts.filter(({ functionCall }) => functionCall !== undefined);
  expect(calls.map(({ functionCall }) => functionCall?.name)).toEqual(names);
  const thoughtSignature = calls[0]?.thoughtSignature ?? '';
  expect(calls[1]?.thoughtSignature).toBeUndefined();
  const again = (signed: Content['parts']) =>
    client().models.generateContent({
      model,
      contents: [
        asked,
        ...(signed ?? []).flatMap((part): Content[] => [
          { role: 'model', parts: [part] },
          {
            role: 'user',
            parts: [
              {
                functionResponse: {
                  ...(part.functionCall?.id !== undefined && { id: part.functionCall.id }),
                  name: part.functionCall?.name ?? '',
                  response: { output: 'rain' },
                },
              },
            ],
          },
        ]),
      ],
      config,
    });
  const { text } = await again(calls.map((part) => ({ ...part, thoughtSignature })));
  expect(text).toContain('> rain');
  await expect(again(calls.map((part) => ({ ...part, thoughtSignature })).reverse())).rejects.toThrow(
    'Corrupted thought signature',
  );
});

test('a chat of the SDK keeps signed parts', async () => {
  const chat = client().chats.create({ model, config: { thinkingConfig: { includeThoughts: true } } });
  await chat.sendMessage({ message: 'One' });
  const stream = await chat.sendMessageStream({ message: 'Two' });
  let thoughts = '';
  for await (const chunk of stream) {
    for (const part of chunk.candidates?.[0]?.content?.parts ?? [])
      if (part.thought) thoughts += part.text ?? '';
  }
  expect(thoughts).toContain('Two');
  expect((await chat.sendMessage({ message: 'Three' })).text).toContain('> Three');
});

test('thoughts are counted even if they are hidden', async () => {
  const answer = await client().models.generateContent({
    model,
    contents: 'Think',
    config: { thinkingConfig: { includeThoughts: false } },
  });
  expect(answer.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
  expect(answer.candidates?.[0]?.content?.parts?.some((part) => part.thought)).toBe(false);
});

test('JSON, limit, stop sequence, several candidates, a forced tool', async () => {
  const json = await client().models.generateContent({
    model,
    contents: 'Who lives in Paris?',
    config: {
      responseMimeType: 'application/json',
      responseSchema: {
        type: Type.OBJECT,
        properties: { people: { type: Type.ARRAY, minItems: '1', items: { type: Type.STRING } } },
        required: ['people'],
      },
    },
  });
  expect(JSON.parse(json.text ?? '')).toEqual({ people: [expect.any(String), expect.any(String)] });
  const word = await client().models.generateContent({
    model,
    contents: 'How is Ada?',
    config: {
      responseMimeType: 'text/x.enum',
      responseSchema: { type: Type.STRING, enum: ['glad', 'sad'] },
    },
  });
  expect(word.text).toMatch(/^(?:glad|sad)$/);
  const cut = await client().models.generateContent({
    model,
    contents: 'Hi',
    config: { maxOutputTokens: 8 },
  });
  expect(cut.candidates?.[0]?.finishReason).toBe('MAX_TOKENS');
  expect(cut.usageMetadata?.candidatesTokenCount).toBe(8);
  const stopped = await client().models.generateContent({
    model,
    contents: 'Hi',
    config: { stopSequences: ['simulated'] },
  });
  expect(stopped.text).not.toContain('simulated');
  const two = await client().models.generateContent({ model, contents: 'Hi', config: { candidateCount: 2 } });
  expect(two.candidates).toHaveLength(2);
  const forced = await client().models.generateContent({
    model,
    contents: 'Hi',
    config: {
      tools: [WEATHER],
      toolConfig: { functionCallingConfig: { mode: FunctionCallingConfigMode.ANY } },
    },
  });
  expect(forced.functionCalls).toHaveLength(1);
});

test('tokens are counted as they are billed', async () => {
  const { totalTokens } = await client().models.countTokens({ model, contents: 'How long is this?' });
  const answer = await client().models.generateContent({ model, contents: 'How long is this?' });
  expect(totalTokens).toBe(answer.usageMetadata?.promptTokenCount);
});

test('without alt=sse a stream is a JSON array, and so is its error', async () => {
  const path = `/v1beta/models/${model}:streamGenerateContent`;
  const body = { contents: [{ parts: [{ text: 'Hi' }] }] };
  const { text, headers } = await post(sandbox(), 'google', path, body);
  expect(headers.get('content-type')).toBe('application/json');
  const chunks = parseJson(text);
  expect(Array.isArray(chunks) && chunks.length > 10).toBe(true);
  const refused = await post(sandbox(), 'google', path, { contents: [] });
  expect(refused.status).toBe(400);
  expect(parseJson(refused.text)).toMatchObject([{ error: { code: 400, status: 'INVALID_ARGUMENT' } }]);
});

test('names in snake_case mean the same', async () => {
  const answer = await post(sandbox(), 'google', `/v1beta/models/${model}:generateContent`, {
    contents: { role: 'user', parts: { text: 'Hi' } },
    system_instruction: { parts: { text: 'Be brief' } },
    generation_config: { max_output_tokens: 8 },
  });
  expect(answer.json).toMatchObject({ candidates: [{ finishReason: 'MAX_TOKENS' }] });
});

test('errors have the SDK’s own type', async () => {
  await expect(client('wrong').models.generateContent({ model, contents: 'Hi' })).rejects.toMatchObject({
    name: 'ApiError',
    status: 400,
    message: expect.stringContaining('API_KEY_INVALID'),
  });
  await expect(
    client().models.generateContent({ model: 'gemini-none', contents: 'Hi' }),
  ).rejects.toMatchObject({
    status: 404,
  });
  const late = await client().models.generateContentStream({ model, contents: 'play: error-in-stream' });
  await expect(
    (async () => {
      for await (const _ of late);
    })(),
  ).rejects.toBeInstanceOf(ApiError);
});

test('the list of models is that of the catalog', async () => {
  const names: (string | undefined)[] = [];
  for await (const { name } of await client().models.list()) names.push(name);
  expect(names).toContain(`models/${model}`);
  expect((await client().models.get({ model })).inputTokenLimit).toBeGreaterThan(1000);
  const unknown = await get(sandbox(), 'google', '/v1beta/nothing');
  expect(unknown.status).toBe(404);
  expect(unknown.text).toContain('<!DOCTYPE html>');
});
