import { expect, test } from 'vitest';
import {
  laterFigures,
  parseUsage,
  renderUsage,
  usageReader,
} from '../../../src/formats/generate-content/wire/usage.ts';
import type { JsonObject } from '../../../src/lib/json.ts';

test.each<[name: string, told: JsonObject, read: JsonObject | undefined]>([
  ['nothing yet', { trafficType: 'ON_DEMAND' }, undefined],
  ['a total of 0 alone', { totalTokenCount: 0 }, { input: 0, output: 0 }],
  ['a prompt alone', { promptTokenCount: 10 }, { input: 10, output: 0 }],
  ['an answer alone', { candidatesTokenCount: 5 }, { input: 0, output: 5 }],
  [
    'thoughts beside the answer, and what tools read beside the prompt',
    {
      promptTokenCount: 10,
      toolUsePromptTokenCount: 7,
      cachedContentTokenCount: 4,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 3,
      totalTokenCount: 25,
    },
    { input: 17, cacheRead: 4, output: 8, reasoning: 3 },
  ],
])('%s', (_, told, read) => {
  const usage = parseUsage(told);
  expect(usage && { ...usage, formatSpecific: undefined }).toEqual(
    read && { ...read, formatSpecific: undefined },
  );
});

test.each<[name: string, later: JsonObject, figures: JsonObject]>([
  ['that counts the answer tells all', { candidatesTokenCount: 7 }, { candidatesTokenCount: 7 }],
  ['that counts thoughts does too', { thoughtsTokenCount: 9 }, { thoughtsTokenCount: 9 }],
  [
    'that counts nothing of the answer takes none of it back',
    { promptTokenCount: 3 },
    { promptTokenCount: 3, candidatesTokenCount: 5, thoughtsTokenCount: 2 },
  ],
])('a later chunk %s', (_, later, figures) => {
  const earlier = { promptTokenCount: 1, candidatesTokenCount: 5, thoughtsTokenCount: 2 };
  expect(laterFigures(earlier, later)).toEqual(figures);
});

test.each<[usage: Parameters<typeof renderUsage>[0], tier: string | undefined, told: JsonObject | undefined]>(
  [
    [{}, 'flex', undefined],
    [{ cacheRead: 1 }, undefined, undefined],
    [{ input: 10 }, undefined, { promptTokenCount: 10, totalTokenCount: 10 }],
    [{ output: 5 }, undefined, { promptTokenCount: 0, candidatesTokenCount: 5, totalTokenCount: 5 }],
    [
      { input: 10, output: 0, cacheRead: 0, reasoning: 0 },
      undefined,
      { promptTokenCount: 10, totalTokenCount: 10 },
    ],
    [
      { input: 10, output: 8, cacheRead: 4, reasoning: 3 },
      'default',
      {
        serviceTier: 'standard',
        promptTokenCount: 10,
        candidatesTokenCount: 5,
        cachedContentTokenCount: 4,
        thoughtsTokenCount: 3,
        totalTokenCount: 18,
      },
    ],
    [
      { input: 10, output: 3, reasoning: 5 },
      'flex',
      { serviceTier: 'flex', promptTokenCount: 10, thoughtsTokenCount: 5, totalTokenCount: 13 },
    ],
  ],
)('%j, served by %s, is reported', (usage, tier, told) => {
  expect(renderUsage(usage, tier)).toEqual(told);
});

test.each<[told: JsonObject[], tiers: string[]]>([
  [[], []],
  [[{ serviceTier: 'FLEX' }], ['flex']],
  [[{ trafficType: 'ON_DEMAND_PRIORITY' }], ['fast']],
  [[{ trafficType: 'ON_DEMAND' }], []],
  [[{ serviceTier: 'flex', trafficType: 'ON_DEMAND_PRIORITY' }], ['flex']],
  [[{ serviceTier: 'flex' }, { serviceTier: 'priority' }], ['fast']],
])('%j was served by %j', (told, tiers) => {
  expect(usageReader.tiers(told, () => undefined)).toEqual(tiers);
});

test('usage that was read is written the same again, with its further fields', () => {
  const told = {
    promptTokenCount: 10,
    toolUsePromptTokenCount: 7,
    candidatesTokenCount: 5,
    thoughtsTokenCount: 3,
    totalTokenCount: 25,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 10 }],
  };
  expect(renderUsage(parseUsage(told) ?? {})).toEqual(told);
});
