import { expect, test } from 'vitest';
import { parseUsage, renderUsage, usageReader } from '../../../src/formats/responses/wire/usage.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

test.each<[name: string, told: JsonObject, read: JsonObject]>([
  ['nothing', {}, {}],
  ['input and output', { input_tokens: 10, output_tokens: 5 }, { input: 10, output: 5 }],
  [
    'read from the cache and written to it, for an hour and more',
    {
      input_tokens: 10,
      input_tokens_details: {
        cached_tokens: 6,
        cache_write_tokens: 3,
        cache_write_tokens_details: { ttl_12h_tokens: 2 },
      },
    },
    { input: 10, cacheRead: 6, cacheWrite: 3, cacheWriteHour: 2 },
  ],
  [
    'reasoning inside the output',
    { input_tokens: 10, output_tokens: 5, output_tokens_details: { reasoning_tokens: 4 }, total_tokens: 15 },
    { input: 10, output: 5, reasoning: 4 },
  ],
  [
    'reasoning outside the output, as the total shows',
    { input_tokens: 10, output_tokens: 5, output_tokens_details: { reasoning_tokens: 4 }, total_tokens: 19 },
    { input: 10, output: 9, reasoning: 4 },
  ],
  [
    'audio outside the input, as the total shows',
    { input_tokens: 9, output_tokens: 5, input_tokens_details: { audio_tokens: 300 }, total_tokens: 314 },
    { input: 309, output: 5 },
  ],
])('%s', (_, told, read) => {
  expect(parseUsage(told, 'a-model')).toEqual(read);
  expect(usageReader.tokens([{ input_tokens: 99 }, told], 'a-model')).toMatchObject(read);
});

test('a value that is no usage gives none, and other fields are kept', () => {
  expect(parseUsage(undefined, '')).toBeUndefined();
  expect(parseUsage(null, '')).toBeUndefined();
  expect(parseUsage({ input_tokens: 1, cost: 2 }, '')?.formatSpecific).toEqual({
    format: 'responses',
    fields: { cost: 2 },
  });
});

test.each<[usage: Parameters<typeof renderUsage>[0], told: JsonObject | null]>([
  [{}, null],
  [{ cacheRead: 1, reasoning: 1 }, null],
  [
    { input: 10 },
    {
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 0,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 10,
    },
  ],
  [
    { output: 5 },
    {
      input_tokens: 0,
      input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 5,
    },
  ],
  [
    {
      input: 10,
      output: 5,
      cacheRead: 6,
      cacheWrite: 3,
      reasoning: 4,
      formatSpecific: { format: 'messages', fields: { a: 1 } },
    },
    {
      a: 1,
      input_tokens: 10,
      input_tokens_details: { cached_tokens: 6, cache_write_tokens: 3 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 4 },
      total_tokens: 15,
    },
  ],
])('%j renders', (usage, told) => {
  expect(renderUsage(usage)).toEqual(told);
});
