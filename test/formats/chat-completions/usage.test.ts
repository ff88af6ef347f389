import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseUsage, renderUsage, usageReader } from '../../../src/formats/chat-completions/wire/usage.ts';
import { asObject, compact, type JsonObject } from '../../../src/lib/json.ts';

const MODEL = 'a-model';
const FIGURES = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 };

describe('cached tokens', () => {
  test.each<[service: string, told: JsonObject]>([
    ['OpenAI', { prompt_tokens_details: { cached_tokens: 60 } }],
    ['DeepSeek', { prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }],
    ['Together and Moonshot', { cached_tokens: 60 }],
    ['Mistral', { num_cached_tokens: 60 }],
    ['services in front of Claude', { cache_read_input_tokens: 60 }],
  ])('are read where %s tells them', (_, told) => {
    expect(parseUsage({ ...FIGURES, ...told }, MODEL)).toMatchObject({
      input: 100,
      cacheRead: 60,
      output: 30,
    });
    expect(usageReader.tokens([{ ...FIGURES, ...told }], MODEL)).toMatchObject({ input: 100, cacheRead: 60 });
  });

  test('come from the standard field if others are present too', () => {
    const told = { prompt_tokens_details: { cached_tokens: 60 }, cached_tokens: 1, num_cached_tokens: 2 };
    expect(parseUsage({ ...FIGURES, ...told }, MODEL).cacheRead).toBe(60);
  });

  test('never exceed the input', () => {
    expect(parseUsage({ ...FIGURES, num_cached_tokens: 101 }, MODEL).cacheRead).toBe(100);
  });
});

describe('tokens written to a cache', () => {
  test.each<[service: string, told: JsonObject]>([
    ['OpenAI', { prompt_tokens_details: { cache_write_tokens: 15 } }],
    ['Qwen', { prompt_tokens_details: { cache_creation_input_tokens: 15 } }],
    ['vLLM', { prompt_tokens_details: { created_cache_tokens: 15 } }],
    ['services in front of Claude', { cache_creation_input_tokens: 15 }],
  ])('are read where %s tells them', (_, told) => {
    expect(parseUsage({ ...FIGURES, ...told }, MODEL)).toMatchObject({ input: 100, cacheWrite: 15 });
  });
});

/** Figures that are complete once what only the total shows is added to the input or to the output. */
describe('tokens that only the total counts', () => {
  const GEMINI = 'gemini-2.5-pro';
  test.each<[name: string, model: string, told: JsonObject, read: JsonObject]>([
    [
      'none: reasoning is within the completion',
      MODEL,
      { ...FIGURES, completion_tokens_details: { reasoning_tokens: 20 } },
      { input: 100, output: 30, reasoning: 20 },
    ],
    ['none: the total is the sum', GEMINI, FIGURES, { input: 100, output: 30 }],
    [
      'none: there is no total',
      GEMINI,
      { prompt_tokens: 100, completion_tokens: 30 },
      { input: 100, output: 30 },
    ],
    ['none: the total is too small', GEMINI, { ...FIGURES, total_tokens: 90 }, { input: 100, output: 30 }],
    [
      'reasoning (xAI)',
      'grok-4',
      { ...FIGURES, total_tokens: 150, completion_tokens_details: { reasoning_tokens: 20 } },
      { input: 100, output: 50, reasoning: 20 },
    ],
    [
      'audio of the prompt (Mistral)',
      'voxtral-small-2507',
      {
        prompt_audio_seconds: 4,
        prompt_tokens: 9,
        total_tokens: 585,
        completion_tokens: 201,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 375 },
      },
      { input: 384, cacheRead: 0, output: 201 },
    ],
    [
      'audio of the prompt, beside cached text (Mistral)',
      'voxtral-small-2507',
      {
        prompt_tokens: 11,
        completion_tokens: 15,
        total_tokens: 401,
        prompt_tokens_details: { audio_tokens: 375, cached_tokens: 9 },
      },
      { input: 386, cacheRead: 9, output: 15 },
    ],
    [
      'audio of both sides, and reasoning',
      MODEL,
      {
        ...FIGURES,
        total_tokens: 137,
        prompt_tokens_details: { text_tokens: 100, audio_tokens: 1 },
        completion_tokens_details: { audio_tokens: 2, reasoning_tokens: 4, text_tokens: 30 },
      },
      { input: 101, output: 36, reasoning: 4 },
    ],
    [
      'images, while reasoning is within the completion',
      MODEL,
      {
        ...FIGURES,
        total_tokens: 430,
        prompt_tokens_details: { image_tokens: 300 },
        completion_tokens_details: { reasoning_tokens: 20 },
      },
      { input: 400, output: 30, reasoning: 20 },
    ],
    [
      'what was read from a cache and written to it (services in front of Claude)',
      MODEL,
      { ...FIGURES, total_tokens: 205, cache_read_input_tokens: 60, cache_creation_input_tokens: 15 },
      { input: 175, cacheRead: 60, cacheWrite: 15, output: 30 },
    ],
    [
      'thoughts of a Gemini',
      'gemini-2.5-pro-preview-05-06',
      { completion_tokens: 6, prompt_tokens: 66, total_tokens: 100 },
      { input: 66, output: 34, reasoning: 28 },
    ],
    [
      'thoughts of a Gemini at another service',
      'google/gemini-3-pro',
      { ...FIGURES, total_tokens: 150, completion_tokens_details: { reasoning_tokens: 0 } },
      { input: 100, output: 50, reasoning: 20 },
    ],
    [
      'thoughts of a Gemini that has answered nothing else',
      GEMINI,
      { prompt_tokens: 10, total_tokens: 45 },
      { input: 10, output: 35, reasoning: 35 },
    ],
    ['nobody knows what', MODEL, { ...FIGURES, total_tokens: 150 }, { input: 100, output: 30 }],
    [
      'something else than a Gemini has named',
      GEMINI,
      { ...FIGURES, total_tokens: 155, completion_tokens_details: { reasoning_tokens: 20 } },
      { input: 100, output: 30, reasoning: 20 },
    ],
    [
      'nothing, though there is more reasoning than completion (Vercel)',
      'google/gemini-3-pro-preview',
      { ...FIGURES, completion_tokens_details: { reasoning_tokens: 40 } },
      { input: 100, output: 70, reasoning: 40 },
    ],
    ['the input', MODEL, { completion_tokens: 30, total_tokens: 150 }, { input: 120, output: 30 }],
    ['the completion', MODEL, { prompt_tokens: 100, total_tokens: 150 }, { input: 100, output: 50 }],
    [
      'nothing, and only reasoning tells of a completion',
      MODEL,
      { prompt_tokens: 100, completion_tokens_details: { reasoning_tokens: 20 } },
      { input: 100, output: 20, reasoning: 20 },
    ],
    [
      'no completion of a Gemini, whose 0 is left out',
      GEMINI,
      { prompt_tokens: 100, total_tokens: 100 },
      { input: 100, output: 0 },
    ],
    [
      'no completion of another model, which may not be counted yet',
      MODEL,
      { prompt_tokens: 100, total_tokens: 100 },
      { input: 100 },
    ],
    ['nothing, and there is no completion', GEMINI, { prompt_tokens: 100 }, { input: 100 }],
  ])('%s', (_, model, told, read) => {
    const { formatSpecific: _other, inputMedia, outputMedia, ...usage } = parseUsage(told, model);
    expect(usage).toEqual(read);
    expect(inputMedia?.audio).toBe(asObject(told['prompt_tokens_details'])?.['audio_tokens']);
    expect(outputMedia?.audio).toBe(asObject(told['completion_tokens_details'])?.['audio_tokens']);
    expect(compact({ ...usageReader.tokens([told], model) })).toEqual(read);
  });

  const count = fc.nat({ max: 60 });
  const details = fc.dictionary(fc.constantFrom('audio_tokens', 'image_tokens', 'video_tokens'), count);

  test('never make counts smaller, and never exceed a total that is larger than the parts', () => {
    const usage = fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      total_tokens: fc.nat({ max: 300 }),
      prompt_tokens_details: details,
      completion_tokens_details: details,
    });
    fc.assert(
      fc.property(usage, fc.constantFrom(MODEL, GEMINI), (told, model) => {
        const { input = 0, output = 0 } = parseUsage(told, model);
        expect(input).toBeGreaterThanOrEqual(told.prompt_tokens);
        expect(output).toBeGreaterThanOrEqual(told.completion_tokens);
        const parts = told.prompt_tokens + told.completion_tokens;
        expect([parts, told.total_tokens]).toContain(input + output);
      }),
    );
  });
});

test('further figures are kept, and standard figures are not kept twice', () => {
  const told = {
    ...FIGURES,
    queue_time: 1,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 15, audio_tokens: 3 },
    completion_tokens_details: { reasoning_tokens: 20, audio_tokens: 4 },
    nothing: null,
  };
  const usage = parseUsage(told, MODEL);
  expect(usage.formatSpecific?.fields).toEqual({
    queue_time: 1,
    prompt_tokens_details: { audio_tokens: 3 },
    completion_tokens_details: { audio_tokens: 4 },
  });
  const { nothing: _, ...rendered } = told;
  expect(renderUsage(usage)).toEqual(rendered);
});

test('an incomplete usage is rendered with zeros', () => {
  expect(renderUsage({ input: 7 })).toEqual({
    prompt_tokens: 7,
    completion_tokens: 0,
    total_tokens: 7,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  });
});

test('an output alone is rendered with zeros', () => {
  expect(renderUsage({ output: 3 })).toMatchObject({
    prompt_tokens: 0,
    completion_tokens: 3,
    total_tokens: 3,
  });
});
