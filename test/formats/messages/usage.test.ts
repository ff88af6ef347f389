import { describe, expect, test } from 'vitest';
import {
  mergeFigures,
  parseUsage,
  renderUsage,
  usageReader,
} from '../../../src/formats/messages/wire/usage.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

const places = (minutes?: number, hour?: number): JsonObject => ({
  cache_creation: {
    ...(minutes !== undefined && { ephemeral_5m_input_tokens: minutes }),
    ...(hour !== undefined && { ephemeral_1h_input_tokens: hour }),
  },
});

describe('parsed figures', () => {
  test.each<[name: string, told: JsonObject, read: JsonObject]>([
    ['none', {}, {}],
    ['input only', { input_tokens: 10 }, { input: 10 }],
    [
      'what was read is inside the input',
      { input_tokens: 10, cache_read_input_tokens: 5 },
      { input: 15, cacheRead: 5 },
    ],
    [
      'and what was written',
      { input_tokens: 10, cache_read_input_tokens: 5, cache_creation_input_tokens: 3 },
      { input: 18, cacheRead: 5, cacheWrite: 3 },
    ],
    ['cache reads without an input', { cache_read_input_tokens: 5 }, { cacheRead: 5 }],
    [
      'written, by place alone',
      { input_tokens: 10, ...places(2, 6) },
      { input: 18, cacheWrite: 8, cacheWriteHour: 6 },
    ],
    ['written for minutes only', { input_tokens: 10, ...places(2) }, { input: 12, cacheWrite: 2 }],
    [
      'written for an hour alone',
      { input_tokens: 10, ...places(undefined, 6) },
      { input: 16, cacheWrite: 6, cacheWriteHour: 6 },
    ],
    [
      'more written than the details add up to: in the same shares',
      { input_tokens: 10, cache_creation_input_tokens: 16, ...places(2, 6) },
      { input: 26, cacheWrite: 16, cacheWriteHour: 12 },
    ],
    [
      'less written than the details add up to: the part for an hour',
      { input_tokens: 10, cache_creation_input_tokens: 7, ...places(2, 6) },
      { input: 17, cacheWrite: 7, cacheWriteHour: 6 },
    ],
    [
      'thinking is inside the output',
      { output_tokens: 9, output_tokens_details: { thinking_tokens: 4 } },
      { output: 9, reasoning: 4 },
    ],
  ])('%s', (_, told, read) => {
    const { formatSpecific: _own, ...figures } = parseUsage(told);
    expect(figures).toEqual(read);
  });

  test('searches are billed, and are not part of the tokens of an answer', () => {
    const told = { input_tokens: 1, server_tool_use: { web_search_requests: 2 } };
    expect(usageReader.tokens([told], '')).toMatchObject({ input: 1, searches: 2 });
    expect(parseUsage(told)).not.toHaveProperty('searches');
  });

  test('later figures replace earlier ones, and null is ignored', () => {
    expect(
      mergeFigures({ input_tokens: 1, output_tokens: 1 }, { input_tokens: null, output_tokens: 5 }),
    ).toEqual({
      input_tokens: 1,
      output_tokens: 5,
    });
  });

  test('what a compaction reads from the cache counts once, in the figures of the compaction', () => {
    const start = {
      input_tokens: 100,
      cache_read_input_tokens: 55_096,
      cache_creation_input_tokens: 7,
      output_tokens: 7,
    };
    const final = {
      input_tokens: 181,
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      output_tokens: 8,
    };
    const compaction = {
      type: 'compaction',
      input_tokens: 100,
      cache_read_input_tokens: 55_096,
      output_tokens: 83,
    };
    const end = { ...final, iterations: [compaction, { type: 'message', ...final }] };
    expect(usageReader.tokens([start, end], '')).toMatchObject({
      input: 100 + 55_096 + 181,
      cacheRead: 55_096,
      cacheWrite: 0,
      output: 91,
    });
    expect(parseUsage(mergeFigures(start, end))).toMatchObject({ input: 181, cacheRead: 0, output: 8 });
  });

  test('a compaction and an advisor are billed in addition, and other iterations are not', () => {
    const iteration = (type: string) => ({ type, input_tokens: 100, output_tokens: 10 });
    const iterations = ['message', 'compaction', 'advisor_message'].map(iteration);
    expect(usageReader.tokens([{ input_tokens: 1, output_tokens: 2, iterations }], '')).toMatchObject({
      input: 201,
      output: 22,
    });
  });
});

describe('rendered figures', () => {
  test.each<[name: string, usage: Parameters<typeof renderUsage>[0], told: JsonObject]>([
    [
      'nothing known',
      {},
      { input_tokens: 0, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 0 },
    ],
    [
      'what was read and written is beside the input',
      { input: 18, cacheRead: 5, cacheWrite: 3, output: 9 },
      { input_tokens: 10, cache_creation_input_tokens: 3, cache_read_input_tokens: 5, output_tokens: 9 },
    ],
    [
      'more in the cache than was read',
      { input: 4, cacheRead: 3, cacheWrite: 3 },
      { input_tokens: 0, cache_creation_input_tokens: 1, cache_read_input_tokens: 3, output_tokens: 0 },
    ],
    [
      'for an hour',
      { input: 18, cacheWrite: 8, cacheWriteHour: 6 },
      {
        input_tokens: 10,
        cache_creation_input_tokens: 8,
        cache_read_input_tokens: 0,
        output_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 2, ephemeral_1h_input_tokens: 6 },
      },
    ],
    [
      'more for an hour than in all',
      { input: 18, cacheWrite: 5, cacheWriteHour: 6 },
      {
        input_tokens: 13,
        cache_creation_input_tokens: 5,
        cache_read_input_tokens: 0,
        output_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 6 },
      },
    ],
  ])('%s', (_, usage, told) => {
    expect(renderUsage(usage, undefined)).toEqual({
      cache_creation: {
        ephemeral_5m_input_tokens: told['cache_creation_input_tokens'],
        ephemeral_1h_input_tokens: 0,
      },
      inference_geo: null,
      output_tokens_details: null,
      server_tool_use: null,
      service_tier: null,
      speed: null,
      ...told,
    });
  });

  test('a parsed usage is rendered again unchanged, with its other fields', () => {
    const told = {
      input_tokens: 10,
      cache_read_input_tokens: 5,
      cache_creation_input_tokens: 8,
      cache_creation: {
        ephemeral_5m_input_tokens: 2,
        ephemeral_1h_input_tokens: 6,
        ephemeral_1d_input_tokens: 0,
      },
      output_tokens: 9,
      output_tokens_details: { thinking_tokens: 4, spoken_tokens: 5 },
      inference_geo: 'eu',
      server_tool_use: { web_search_requests: 1 },
    };
    expect(renderUsage(parseUsage({ ...told, service_tier: 'standard' }), 'default')).toEqual({
      ...told,
      service_tier: 'standard',
      speed: null,
    });
    expect(
      parseUsage({ input_tokens: 1, ...places(1, 1), output_tokens_details: { thinking_tokens: 1 } }),
    ).not.toHaveProperty('own');
  });
});
