/** Reading a list never throws, whatever the list contains, and the result can be compared. */

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultModels } from '../../../src/catalog/default.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { configuredVendors } from '../../../src/config/vendors.ts';
import { anthropicList } from '../../../src/devtools/model-lists/anthropic-list.ts';
import { compare } from '../../../src/devtools/model-lists/compare.ts';
import { makeEntry } from '../../../src/devtools/model-lists/entry.ts';
import { googleList } from '../../../src/devtools/model-lists/google-list.ts';
import type { ListReader } from '../../../src/devtools/model-lists/listed.ts';
import { openaiList } from '../../../src/devtools/model-lists/openai-list.ts';
import { otherKind } from '../../../src/devtools/model-lists/other-kinds.ts';
import { parseJson } from '../../../src/lib/json.ts';

const FIELDS = [
  ...[
    'id',
    'name',
    'created',
    'created_at',
    'max_tokens',
    'max_input_tokens',
    'capabilities',
    'thinking',
    'types',
  ],
  ...[
    'pricing',
    'prompt',
    'completion',
    'architecture',
    'input_modalities',
    'output_modalities',
    'reasoning',
  ],
  ...[
    'supported',
    'supported_efforts',
    'supportedGenerationMethods',
    'inputTokenLimit',
    'shutdown_date',
    'effort',
  ],
  ...[
    'enabled',
    'lifecycle',
    'top_provider',
    'supported_parameters',
    'type',
    '__proto__',
    'constructor',
    'toString',
  ],
];
const value = fc.letrec((tie) => ({
  any: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom('a/b', 'gpt-9', '1e999', '-1', '', '2026-99-99', '2026-01-01', null, true, -0, 1e308, 5),
    fc.array(tie('any'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...FIELDS), tie('any'), { maxKeys: 6 }),
  ),
})).any;

const vendors = configuredVendors(
  configSchema.parse({
    vendors: { acme: { apiKey: 'k', baseUrl: 'http://a' }, compatible: { apiKey: 'k', baseUrl: 'http://b' } },
  }),
);

describe.each<[string, string, ListReader]>([
  ['openai', 'data', openaiList],
  ['anthropic', 'data', anthropicList],
  ['google', 'models', googleList],
])('%s', (_, field, reader) => {
  test('reads hostile lists', () => {
    fc.assert(
      fc.property(fc.array(value, { maxLength: 4 }), value, (items, body) => {
        reader.page(parseJson(JSON.stringify(body ?? null)));
        const page = reader.page(parseJson(JSON.stringify({ [field]: items })));
        for (const vendor of vendors.all) {
          const { fresh } = compare(vendor, vendors, defaultModels(), page?.models ?? []);
          for (const one of fresh) JSON.stringify(makeEntry(vendor, one));
        }
        expect(Object.hasOwn(Object.prototype, 'supported')).toBe(false);
      }),
    );
  });

  test('recognizes what is not a list', () => {
    for (const body of [null, 7, 'x', { error: { message: 'x' } }, { [field]: 'x' }])
      expect(reader.page(body)).toBeUndefined();
  });
});

test('no model of the catalog belongs to a family that does not answer in text', () => {
  expect(defaultModels().flatMap(({ id }) => otherKind(id) ?? [])).toEqual([]);
});

test.each([
  ['gpt-4o-2024-08-06', undefined],
  ['gpt-5-codex', undefined],
  ['o3-deep-research', undefined],
  ['gemini-2.5-computer-use-preview-10-2025', undefined],
  ['ministral-8b-latest', undefined],
  ['text-embedding-3-small', 'embedding'],
  ['mistral-embed', 'embedding'],
  ['gpt-image-1-mini', 'image'],
  ['gemini-3-pro-image-preview', 'image'],
  ['gpt-4o-mini-tts', 'speech'],
  ['gpt-4o-transcribe', 'transcription'],
  ['gpt-4o-realtime-preview', 'live audio'],
  ['gpt-audio-mini', 'live audio'],
  ['gemini-2.5-flash-native-audio-latest', 'live audio'],
  ['omni-moderation-latest', 'moderation'],
  ['veo-3.1-generate-preview', 'video'],
  ['mistral-ocr-latest', 'document reading'],
  ['davinci-002', 'completion'],
  ['ada:ft-acme-2023-05-16-13-23-13', 'fine-tuned'],
])('%s is for %s', (name, kind) => {
  expect(otherKind(name)).toBe(kind);
});
