/**
 * Google's own SDK, generateContent: only base URL and key differ. Its requests go below `/v1` by default.
 */

import {
  ApiError,
  type Content,
  type GenerateContentConfig,
  type GenerateContentResponse,
  GoogleGenAI,
  type Part,
  type ThinkingConfig,
  ThinkingLevel,
  Type,
} from '@google/genai';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { asObject, asObjects, type JsonObject } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import { PDF, PLAYED, PNG, plain, useGateway } from './support.ts';

const googles = useGateway();
const everyones = useGateway({ generateContent: { models: 'all' }, countTokens: { models: 'all' } });

interface Subject {
  readonly model: string;
  /** The SDK's own default, or the version of the specification. */
  readonly version: 'v1' | 'v1beta';
  readonly thinking?: ThinkingConfig;
  /**
   * What another vendor's model cannot do: sign its thoughts, stop at a text, give several answers, count,
   * follow a schema.
   */
  readonly lacks?: readonly ('signatures' | 'candidates' | 'counts' | 'schemas')[];
}

const LEVEL = { thinkingLevel: ThinkingLevel.HIGH };
const BUDGET = { thinkingBudget: 2048 };

const GOOGLES: readonly Subject[] = (['v1', 'v1beta'] as const).flatMap((version) => [
  { model: 'gemini-2.0-flash', version },
  { model: 'gemini-2.5-flash', version, thinking: BUDGET },
  { model: 'gemini-3-flash-preview', version, thinking: LEVEL },
]);

/** Available if the configuration says so. */
const OTHERS: readonly Subject[] = [
  { model: 'openai/gpt-4.1', version: 'v1beta' },
  { model: 'openai/gpt-5.4', version: 'v1beta', thinking: LEVEL },
  { model: 'anthropic/claude-sonnet-4-5', version: 'v1beta', thinking: BUDGET, lacks: ['candidates'] },
  { model: 'anthropic/claude-opus-4-8', version: 'v1', thinking: LEVEL, lacks: ['candidates'] },
  {
    model: 'deepseek/deepseek-v4-flash',
    version: 'v1beta',
    thinking: LEVEL,
    lacks: ['signatures', 'counts', 'schemas'],
  },
  {
    model: 'mistralai/mistral-medium-3-5',
    version: 'v1beta',
    thinking: LEVEL,
    lacks: ['signatures', 'counts'],
  },
];

const Person = z.object({ name: z.string(), born: z.number().int(), mood: z.enum(['glad', 'sad']) });

/** The content of an answer, with adjacent texts of one kind joined. Each answer has a signature of its own. */
function said(responses: readonly GenerateContentResponse[]): JsonObject {
  const parts: JsonObject[] = [];
  let finish: string | undefined;
  let usage: JsonObject = {};
  for (const response of responses) {
    const { candidates, usageMetadata } = plain(response);
    for (const part of asObjects(asObject(asObjects(candidates)[0]?.['content'])?.['parts'])) {
      const last = parts.at(-1);
      if (
        typeof last?.['text'] === 'string' &&
        typeof part['text'] === 'string' &&
        last['thought'] === part['thought']
      ) {
        parts.splice(-1, 1, { ...last, ...part, text: last['text'] + part['text'] });
      } else if (part['text'] !== '') parts.push(part);
    }
    finish = response.candidates?.[0]?.finishReason ?? finish;
    // OpenAI reports the service tier only at the end of a stream.
    const { serviceTier: _, ...figures } = asObject(usageMetadata) ?? usage;
    usage = figures;
  }
  const comparable = parts.map((part) => {
    const { id, ...call } = asObject(part['functionCall']) ?? {};
    return {
      ...part,
      ...(part['thoughtSignature'] !== undefined && { thoughtSignature: typeof part['thoughtSignature'] }),
      ...(part['functionCall'] !== undefined && { functionCall: { ...call, id: typeof id } }),
    };
  });
  return { parts: comparable, finish: finish ?? null, usage };
}

async function collected(
  stream: AsyncIterable<GenerateContentResponse>,
): Promise<readonly GenerateContentResponse[]> {
  const chunks: GenerateContentResponse[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return chunks;
}

describe.each([...GOOGLES, ...OTHERS])(
  '$model below $version',
  ({ model, version, thinking, lacks = [] }) => {
    const [name = '', vendor] = model.split('/').toReversed();
    const isGoogles = vendor === undefined;
    const isSigned =
      !lacks.includes('signatures') && (model.startsWith('gemini-3') || thinking !== undefined);
    const client = (): GoogleGenAI =>
      new GoogleGenAI({
        apiKey: KEY,
        httpOptions: {
          baseUrl: (isGoogles ? googles() : everyones()).url,
          ...(version === 'v1beta' && { apiVersion: version }),
        },
      });

    test('an answer, with its usage', async () => {
      const response = await client().models.generateContent({
        model,
        contents: 'Say hello to Zoë.',
        config: { systemInstruction: 'Be brief.', temperature: 0.5, maxOutputTokens: 2000 },
      });
      expect(response.text).toContain('> Say hello to Zoë.');
      expect(response.candidates?.[0]?.finishReason).toBe('STOP');
      expect(response.modelVersion).toContain(name);
      expect(response.responseId).toMatch(/./);
      expect(response.usageMetadata?.totalTokenCount).toBeGreaterThan(0);
    });

    // BAML drops a chunk without figures, and LangChain counts what each chunk adds to those before it.
    test('every chunk of a stream has the usage so far, which never falls', async () => {
      const chunks = await collected(
        await client().models.generateContentStream({ model, contents: 'Hello' }),
      );
      const prompts = chunks.map(({ usageMetadata }) => usageMetadata?.promptTokenCount ?? -1);
      const totals = chunks.map(({ usageMetadata }) => usageMetadata?.totalTokenCount ?? -1);
      for (const figures of [prompts, totals]) {
        expect(figures).toEqual(figures.toSorted((a, b) => a - b));
        expect(figures[0]).toBeGreaterThanOrEqual(0);
        expect(figures.at(-1)).toBeGreaterThan(0);
      }
    });

    test('the model may be written as `models/…`', async () => {
      const response = await client().models.generateContent({ model: `models/${model}`, contents: 'Hello' });
      expect(response.text).toContain('> Hello');
    });

    test.each(PLAYED)('the chunks of a stream add up to the whole answer: %s', async (played) => {
      const request = { model, contents: `play: ${played}` };
      const whole = await client().models.generateContent(request);
      const chunks = await collected(await client().models.generateContentStream(request));
      expect(said(chunks)).toEqual(said([whole]));
      expect(chunks.map(({ text }) => text ?? '').join('')).toBe(whole.text ?? '');
    });

    test('an answer is cut, or stopped, at the requested limit', async () => {
      const ask = async (config: object): Promise<GenerateContentResponse> =>
        client().models.generateContent({ model, contents: 'Tell me a story.', config });
      expect((await ask({ maxOutputTokens: 20 })).candidates?.[0]?.finishReason).toBe('MAX_TOKENS');
      const stopped = await ask({ stopSequences: ['simulated'] });
      expect(stopped.candidates?.[0]?.finishReason).toBe('STOP');
      expect(stopped.text).not.toContain('simulated');
      const two = ask({ candidateCount: 2 });
      if (lacks.includes('candidates'))
        await expect(two).rejects.toMatchObject({ name: 'ApiError', status: 400 });
      else expect((await two).candidates).toHaveLength(2);
    });

    test('a refusal is reported as one, not as an answer', async () => {
      const response = await client().models.generateContent({ model, contents: 'play: refusal' });
      expect(response.candidates?.[0]?.finishReason).toBe('SAFETY');
    });

    test.skipIf(lacks.includes('schemas'))(
      'an answer has the requested shape, by a schema of either kind',
      async () => {
        const contents = 'Someone born in 1815.';
        const responseMimeType = 'application/json';
        const byZod = await client().models.generateContent({
          model,
          contents,
          config: { responseMimeType, responseJsonSchema: z.toJSONSchema(Person) },
        });
        expect(Person.parse(JSON.parse(byZod.text ?? ''))).toMatchObject({ born: 1815 });
        const byGoogle = await client().models.generateContent({
          model,
          contents,
          config: {
            responseMimeType,
            responseSchema: {
              type: Type.OBJECT,
              properties: {
                name: { type: Type.STRING, nullable: true },
                born: { type: Type.INTEGER },
                mood: { type: Type.STRING, enum: ['glad', 'sad'] },
              },
              required: ['name', 'born', 'mood'],
              propertyOrdering: ['born', 'name', 'mood'],
            },
          },
        });
        expect(JSON.parse(byGoogle.text ?? '')).toMatchObject({ born: 1815 });
      },
    );

    test.each(['whole', 'streamed'])('thoughts are shown if they are requested, %s', async (mode) => {
      const ask = async (includeThoughts: boolean): Promise<readonly GenerateContentResponse[]> => {
        const config = thinking && { thinkingConfig: { ...thinking, includeThoughts } };
        const request = { model, contents: 'How many r are in strawberry?', ...(config && { config }) };
        return mode === 'whole'
          ? [await client().models.generateContent(request)]
          : collected(await client().models.generateContentStream(request));
      };
      const thoughts = (answer: readonly GenerateContentResponse[]): string =>
        answer
          .flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? [])
          .map((part) => (part.thought ? (part.text ?? '') : ''))
          .join('');
      const shown = await ask(true);
      expect(thoughts(shown).includes('strawberry')).toBe(thinking !== undefined);
      expect(shown.map(({ text }) => text ?? '').join('')).not.toContain('The user says');
      expect((shown.at(-1)?.usageMetadata?.thoughtsTokenCount ?? 0) > 0).toBe(thinking !== undefined);
      expect(thoughts(await ask(false))).toBe('');
    });

    test('a chat keeps its content and signatures', async () => {
      const chat = client().chats.create({ model, ...(thinking && { config: thinkingConfig(thinking) }) });
      expect((await chat.sendMessage({ message: 'Hello there.' })).text).toContain('> Hello there.');
      const chunks = await collected(await chat.sendMessageStream({ message: 'And now?' }));
      expect(chunks.map(({ text }) => text ?? '').join('')).toContain('> And now?');
      expect((await chat.sendMessage({ message: 'And then?' })).text).toContain('> And then?');
      const history = chat.getHistory();
      expect(history.filter(({ role }) => role === 'user')).toHaveLength(3);
      const signed = history
        .flatMap(({ parts }) => parts ?? [])
        .some((part) => part.thoughtSignature !== undefined);
      expect(signed).toBe(isSigned);
    });

    test('images and documents arrive', async () => {
      const ask = async (mimeType: string, data: string): Promise<string | undefined> => {
        const contents = [
          { role: 'user', parts: [{ text: 'What is this?' }, { inlineData: { mimeType, data } }] },
        ];
        return (await client().models.generateContent({ model, contents })).text;
      };
      expect(await ask('image/png', PNG)).toContain('With it came: image.');
      expect(await ask('application/pdf', PDF)).toContain('With it came: document.');
    });

    describe('tools', () => {
      const NAMES = ['find_city', 'get_weather', 'get_time', 'send_mail'];
      const STEPS = 'Use find_city, then get_weather and get_time, then send_mail, for the weather in Oslo.';
      const functionDeclarations = NAMES.map((name) => ({
        name,
        description: `Does ${name}`,
        parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ['city'] },
      }));

      test.each(['whole', 'streamed'])('by hand over three steps, with signatures, %s', async (mode) => {
        const contents: Content[] = [{ role: 'user', parts: [{ text: STEPS }] }];
        const called: (string | undefined)[][] = [];
        let signatures = 0;
        let text = '';
        for (let step = 0; step < 4; step += 1) {
          const request = {
            model,
            contents,
            config: { tools: [{ functionDeclarations }], ...(thinking && thinkingConfig(thinking)) },
          };
          const chunks =
            mode === 'whole'
              ? [await client().models.generateContent(request)]
              : await collected(await client().models.generateContentStream(request));
          const parts = chunks.flatMap(({ candidates }) => candidates?.[0]?.content?.parts ?? []);
          signatures += parts.filter((part) => part.thoughtSignature !== undefined).length;
          const calls = chunks.flatMap(({ functionCalls }) => functionCalls ?? []);
          called.push(calls.map(({ name }) => name));
          expect(calls.map(({ args }) => args)).toEqual(calls.map(() => ({ city: 'Oslo' })));
          text = chunks.map((chunk) => chunk.text ?? '').join('');
          const results = calls.map(
            ({ id, name }): Part => ({
              functionResponse: {
                ...(id !== undefined && { id }),
                ...(name !== undefined && { name }),
                response: { output: `Done at step ${step}.` },
              },
            }),
          );
          contents.push({ role: 'model', parts }, { role: 'user', parts: results });
        }
        expect(called).toEqual([['find_city'], ['get_weather', 'get_time'], ['send_mail'], []]);
        expect(text).toContain('> Done at step 2.');
        // One for each step: on the first call, and on the last text.
        expect(signatures).toBe(isSigned ? 4 : 0);
      });

      test.each(['whole', 'streamed', 'chat'])('called by the SDK itself, %s', async (mode) => {
        const ran: string[] = [];
        const callable = {
          tool: () => Promise.resolve({ functionDeclarations }),
          callTool: (
            calls: { id?: string; name?: string; args?: Record<string, unknown> }[],
          ): Promise<Part[]> => {
            ran.push(...calls.map(({ name, args }) => `${name} ${args?.['city']}`));
            return Promise.resolve(
              calls.map(({ id, name }) => ({
                functionResponse: {
                  ...(id !== undefined && { id }),
                  ...(name !== undefined && { name }),
                  response: { output: `${name} is done.` },
                },
              })),
            );
          },
        };
        const config = { tools: [callable], ...(thinking && thinkingConfig(thinking)) };
        const text = async (): Promise<string | undefined> => {
          if (mode === 'whole')
            return (await client().models.generateContent({ model, contents: STEPS, config })).text;
          if (mode === 'chat')
            return (await client().chats.create({ model, config }).sendMessage({ message: STEPS })).text;
          const chunks = await collected(
            await client().models.generateContentStream({ model, contents: STEPS, config }),
          );
          return chunks.map((chunk) => chunk.text ?? '').join('');
        };
        expect(await text()).toContain('> send_mail is done.');
        expect(ran).toEqual(NAMES.map((name) => `${name} Oslo`));
      });

      test('a required tool call happens, and a forbidden one does not', async () => {
        const ask = async (
          contents: string,
          functionCallingConfig: object,
        ): Promise<readonly (string | undefined)[]> => {
          const response = await client().models.generateContent({
            model,
            contents,
            config: { tools: [{ functionDeclarations }], toolConfig: { functionCallingConfig } },
          });
          return (response.functionCalls ?? []).map(({ name }) => name);
        };
        expect(await ask('Hello!', { mode: 'ANY' })).toHaveLength(1);
        expect(await ask('Hello!', { mode: 'ANY', allowedFunctionNames: ['get_time'] })).toEqual([
          'get_time',
        ]);
        expect(await ask('Use get_time.', { mode: 'NONE' })).toEqual([]);
      });
    });

    test('tokens are counted', async () => {
      const counted = client().models.countTokens({ model, contents: 'Hello there, how are you?' });
      if (lacks.includes('counts'))
        await expect(counted).rejects.toMatchObject({ name: 'ApiError', status: 400 });
      else expect((await counted).totalTokens).toBeGreaterThan(0);
    });

    test('available models are listed, and found by their names', async () => {
      const actions = new Map<string, readonly string[] | undefined>();
      for await (const { name, displayName, supportedActions } of await client().models.list()) {
        actions.set(name ?? '', supportedActions);
        expect(displayName).toMatch(/./);
      }
      expect(actions.get(`models/${model}`)).toEqual([
        'generateContent',
        ...(lacks.includes('counts') ? [] : ['countTokens']),
      ]);
      expect([...actions.keys()].every((listed) => /^models\/gem/.test(listed))).toBe(isGoogles);
      expect(await client().models.get({ model })).toMatchObject({ name: `models/${model}` });
      await expect(client().models.get({ model: 'gemini-none' })).rejects.toBeInstanceOf(ApiError);
    });
  },
);

function thinkingConfig(thinking: NonNullable<Subject['thinking']>): GenerateContentConfig {
  return { thinkingConfig: { ...thinking, includeThoughts: true } };
}
