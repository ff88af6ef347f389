import { describe, expect, test } from 'vitest';
import { parseUsage, renderUsage, usageReader } from '../../../src/formats/chat-completions/wire/usage.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

const FIGURES = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 };

describe('cached tokens', () => {
  test.each<[service: string, told: JsonObject]>([
    ['OpenAI', { prompt_tokens_details: { cached_tokens: 60 } }],
    ['DeepSeek', { prompt_cache_hit_tokens: 60, prompt_cache_miss_tokens: 40 }],
    ['Together and Moonshot', { cached_tokens: 60 }],
    ['Mistral', { num_cached_tokens: 60 }],
    ['services in front of Claude', { cache_read_input_tokens: 60 }],
  ])('are read where %s tells them', (_, told) => {
    expect(parseUsage({ ...FIGURES, ...told }, false)).toMatchObject({
      input: 100,
      cacheRead: 60,
      output: 30,
    });
    expect(usageReader.tokens([{ ...FIGURES, ...told }])).toMatchObject({ input: 100, cacheRead: 60 });
  });

  test('come from the standard field if others are present too', () => {
    const told = { prompt_tokens_details: { cached_tokens: 60 }, cached_tokens: 1, num_cached_tokens: 2 };
    expect(parseUsage({ ...FIGURES, ...told }, false).cacheRead).toBe(60);
  });

  test('never exceed the input', () => {
    expect(parseUsage({ ...FIGURES, num_cached_tokens: 101 }, false).cacheRead).toBe(100);
  });
});

describe('tokens written to a cache', () => {
  test.each<[service: string, told: JsonObject]>([
    ['OpenAI', { prompt_tokens_details: { cache_write_tokens: 15 } }],
    ['Qwen', { prompt_tokens_details: { cache_creation_input_tokens: 15 } }],
    ['services in front of Claude', { cache_creation_input_tokens: 15 }],
  ])('are read where %s tells them', (_, told) => {
    expect(parseUsage({ ...FIGURES, ...told }, false)).toMatchObject({ input: 100, cacheWrite: 15 });
  });
});

describe('reasoning', () => {
  test.each<[name: string, told: JsonObject, hidden: boolean, read: JsonObject]>([
    [
      'within the completion',
      { ...FIGURES, completion_tokens_details: { reasoning_tokens: 20 } },
      false,
      { output: 30, reasoning: 20 },
    ],
    [
      'beside the completion, as the total shows',
      { ...FIGURES, total_tokens: 150, completion_tokens_details: { reasoning_tokens: 20 } },
      false,
      { output: 50, reasoning: 20 },
    ],
    [
      'without a figure of the completion',
      { prompt_tokens: 100, completion_tokens_details: { reasoning_tokens: 20 } },
      false,
      { output: 20, reasoning: 20 },
    ],
    ['in the total alone', { ...FIGURES, total_tokens: 150 }, true, { output: 50, reasoning: 20 }],
    ['in a total that hides none', { ...FIGURES, total_tokens: 150 }, false, { output: 30 }],
    ['in a total that is the sum', FIGURES, true, { output: 30 }],
    [
      'in a total whose input is not told',
      { completion_tokens: 30, total_tokens: 150 },
      true,
      { output: 30 },
    ],
    ['in a total that is missing', { prompt_tokens: 100, completion_tokens: 30 }, true, { output: 30 }],
    ['nowhere', { prompt_tokens: 100 }, true, {}],
  ])('told %s', (_, told, hidden, read) => {
    const { output, reasoning } = parseUsage(told, hidden);
    expect({ output, reasoning }).toEqual({ output: undefined, reasoning: undefined, ...read });
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
  const usage = parseUsage(told, false);
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

test('a total above the sum of its parts is billed by the parts, except for Google', () => {
  expect(usageReader.tokens([{ ...FIGURES, total_tokens: 150 }])).toMatchObject({ output: 30 });
});

test('and so is a total without an input', () => {
  expect(renderUsage({ output: 3 })).toMatchObject({
    prompt_tokens: 0,
    completion_tokens: 3,
    total_tokens: 3,
  });
});
