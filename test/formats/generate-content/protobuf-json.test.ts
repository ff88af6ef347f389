/** A request by protobuf's JSON rules: enums by number, and names in snake_case, mean what words and camelCase do. */

import { describe, expect, test } from 'vitest';
import { withNumbers, withWords } from '../../../src/formats/generate-content/wire/enum-encoding.ts';
import { ENUMS } from '../../../src/formats/generate-content/wire/enums.ts';
import { GatewayError } from '../../../src/lib/errors.ts';
import type { JsonObject } from '../../../src/lib/json.ts';
import { GEMINI_ENUMS } from '../../../src/sandbox/schemas/gemini-enums.ts';
import { parsed } from './fixtures.ts';

const CONTENTS = [{ role: 'user', parts: [{ text: 'x' }] }];
const config = (generationConfig: JsonObject): JsonObject => ({ contents: CONTENTS, generationConfig });
const declaring = (declaration: JsonObject): JsonObject => ({
  contents: CONTENTS,
  tools: [{ functionDeclarations: [{ name: 'f', ...declaration }] }],
});
const calling = (functionCallingConfig: JsonObject): JsonObject => ({
  ...declaring({}),
  toolConfig: { functionCallingConfig },
});

/** Every place of an enum in a request: the same request in words, and by protobuf's other rules. */
const SAME: readonly (readonly [place: string, words: JsonObject, otherwise: JsonObject])[] = [
  [
    'types of a tool, at every depth',
    declaring({
      parameters: {
        type: 'OBJECT',
        properties: {
          list: { type: 'ARRAY', items: { type: 'INTEGER' }, minItems: 1, maxItems: 2 },
          some: { anyOf: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }, { type: 'NULL' }] },
          // A property may have the name of a field.
          any_of: { type: 'STRING', minLength: 1, maxLength: 3 },
        },
        minProperties: 1,
        maxProperties: 9,
        propertyOrdering: ['list'],
      },
    }),
    {
      contents: CONTENTS,
      tools: [
        {
          function_declarations: [
            {
              name: 'f',
              parameters: {
                type: 6,
                properties: {
                  list: { type: 5, items: { type: 3 }, min_items: '1', max_items: 2 },
                  some: { any_of: [{ type: 2 }, { type: 4 }, { type: 7 }] },
                  any_of: { type: 1, min_length: '1', max_length: '3' },
                },
                min_properties: '1',
                max_properties: '9',
                property_ordering: ['list'],
              },
            },
          ],
        },
      ],
    },
  ],
  [
    'what a tool returns, and how it runs',
    declaring({ response: { type: 'OBJECT' }, behavior: 'NON_BLOCKING' }),
    declaring({ response: { type: 6 }, behavior: 2 }),
  ],
  [
    'types of the answer',
    config({
      responseMimeType: 'application/json',
      responseSchema: { type: 'OBJECT', properties: { city: { type: 'STRING' } } },
    }),
    {
      contents: CONTENTS,
      generation_config: {
        response_mime_type: 'application/json',
        response_schema: { type: 6, properties: { city: { type: 1 } } },
      },
    },
  ],
  ...(['MODE_UNSPECIFIED', 'AUTO', 'ANY', 'NONE', 'VALIDATED'] as const).map(
    (mode, number) =>
      [
        `mode ${mode}`,
        calling({ mode }),
        { ...declaring({}), tool_config: { function_calling_config: { mode: number } } },
      ] as const,
  ),
  [
    'one function may be called',
    calling({ mode: 'ANY', allowedFunctionNames: ['f'] }),
    {
      ...declaring({}),
      tool_config: { function_calling_config: { mode: 2, allowed_function_names: 'f' } },
    },
  ],
  ...(['THINKING_LEVEL_UNSPECIFIED', 'LOW', 'MEDIUM', 'HIGH', 'MINIMAL'] as const).map(
    (thinkingLevel, number) =>
      [
        `thinking ${thinkingLevel}`,
        config({ thinkingConfig: { thinkingLevel, includeThoughts: true } }),
        {
          contents: CONTENTS,
          generation_config: { thinking_config: { thinking_level: number, include_thoughts: true } },
        },
      ] as const,
  ),
  [
    'a budget',
    config({ thinkingConfig: { thinkingBudget: 512 } }),
    config({ thinkingConfig: { thinking_budget: '512' } }),
  ],
  [
    'safety',
    {
      contents: CONTENTS,
      safetySettings: [
        { category: 'HARM_CATEGORY_HARASSMENT', threshold: 'BLOCK_ONLY_HIGH' },
        { category: 'HARM_CATEGORY_DANGEROUS_CONTENT', threshold: 'OFF' },
      ],
    },
    {
      contents: CONTENTS,
      safety_settings: [
        { category: 7, threshold: 3 },
        { category: 10, threshold: 5 },
      ],
    },
  ],
  [
    'forms of the answer, and how closely media are looked at',
    config({ responseModalities: ['TEXT', 'AUDIO'], mediaResolution: 'MEDIA_RESOLUTION_MEDIUM' }),
    { contents: CONTENTS, generation_config: { response_modalities: [1, 3], media_resolution: 2 } },
  ],
  [
    'how closely one image is looked at',
    {
      contents: [
        {
          role: 'user',
          parts: [
            {
              inlineData: { mimeType: 'image/png', data: 'AA==' },
              mediaResolution: { level: 'MEDIA_RESOLUTION_ULTRA_HIGH' },
            },
          ],
        },
      ],
    },
    {
      contents: {
        role: 'user',
        parts: { inline_data: { mime_type: 'image/png', data: 'AA' }, media_resolution: { level: 4 } },
      },
    },
  ],
  [
    'code that has run, and results that come later',
    {
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        {
          role: 'model',
          parts: [
            { executableCode: { language: 'PYTHON', code: '1' } },
            { codeExecutionResult: { outcome: 'OUTCOME_DEADLINE_EXCEEDED', output: '' } },
            { functionCall: { name: 'f', args: { mode: 2, any_of: 6 } } },
          ],
        },
        {
          role: 'user',
          parts: [{ functionResponse: { name: 'f', response: { type: 6 }, scheduling: 'WHEN_IDLE' } }],
        },
      ],
    },
    {
      contents: [
        { role: 'user', parts: [{ text: 'x' }] },
        {
          role: 'model',
          parts: [
            { executable_code: { language: 1, code: '1' } },
            { code_execution_result: { outcome: 3, output: '' } },
            { function_call: { name: 'f', args: { mode: 2, any_of: 6 } } },
          ],
        },
        {
          role: 'user',
          parts: [{ function_response: { name: 'f', response: { type: 6 }, scheduling: 2 } }],
        },
      ],
    },
  ],
  [
    "Google's own tools",
    {
      contents: CONTENTS,
      tools: [
        {
          googleSearchRetrieval: { dynamicRetrievalConfig: { mode: 'MODE_DYNAMIC', dynamicThreshold: 0.5 } },
        },
        { computerUse: { environment: 'ENVIRONMENT_BROWSER', excludedPredefinedFunctions: ['a'] } },
      ],
    },
    {
      contents: CONTENTS,
      tools: [
        { google_search_retrieval: { dynamic_retrieval_config: { mode: 1, dynamic_threshold: 0.5 } } },
        { computer_use: { environment: 1, excluded_predefined_functions: ['a'] } },
      ],
    },
  ],
  [
    'a schema under the three names of its field',
    config({ responseMimeType: 'application/json', responseJsonSchema: { type: 'object' } }),
    config({ responseMimeType: 'application/json', _responseJsonSchema: { type: 'object' } }),
  ],
];

test.each(SAME)('%s', (_, words, otherwise) => {
  expect(parsed(otherwise)).toEqual(parsed(words));
});

test('the enums of a prompt are read as words at all', () => {
  const [, , tools] = SAME[0] ?? [];
  expect(parsed(tools ?? {}).tools).toMatchObject([
    {
      parameters: {
        type: 'object',
        properties: {
          list: { type: 'array', items: { type: 'integer' }, minItems: 1 },
          some: { anyOf: [{ type: 'number' }, { type: 'boolean' }, { type: 'null' }] },
          any_of: { type: 'string', minLength: 1 },
        },
      },
    },
  ]);
  expect(parsed(calling({ mode: 2 })).toolChoice).toEqual({ mode: 'required' });
  expect(parsed(config({ thinkingConfig: { thinkingLevel: 4 } })).thinking?.effort).toBe('minimal');
});

test.each([
  ['toolConfig.functionCallingConfig.mode', calling({ mode: 9 })],
  ['generationConfig.thinkingConfig.thinkingLevel', config({ thinkingConfig: { thinkingLevel: 9 } })],
  ['generationConfig.thinkingConfig.thinkingBudget', config({ thinkingConfig: { thinkingBudget: 'much' } })],
  ['serviceTier', { contents: CONTENTS, serviceTier: 2 }],
])('a number without a meaning is refused: %s', (param, body) => {
  expect(() => parsed(body)).toThrow(expect.objectContaining({ fault: 'invalid-request', param }));
});

test('a type that is no type is refused', () => {
  expect(() => parsed(declaring({ parameters: { type: 9 } }))).toThrow(GatewayError);
});

test.each(['TYPE_UNSPECIFIED', 'type_unspecified', 0])('a type of %s is no type, at every depth', (type) => {
  const body = declaring({
    parameters: {
      type: 'OBJECT',
      properties: { a: { type }, b: { type: 'ARRAY', items: { type, title: 'T' } } },
    },
  });
  expect(parsed(body).tools).toMatchObject([
    { parameters: { properties: { a: {}, b: { type: 'array', items: { title: 'T' } } } } },
  ]);
  expect(JSON.stringify(parsed(body))).not.toMatch(/unspecified/i);
});

test("a format of `enum` is Google's word for an enum, and goes", () => {
  const parameters = { type: 'STRING', format: 'enum', enum: ['a'] };
  expect(parsed(declaring({ parameters })).tools).toMatchObject([
    { parameters: { type: 'string', enum: ['a'] } },
  ]);
  expect(JSON.stringify(parsed(declaring({ parameters })))).not.toContain('format":"enum');
});

describe('the table', () => {
  test('agrees with that of the simulated Google', () => {
    for (const [name, words] of Object.entries(GEMINI_ENUMS)) {
      expect(Object(ENUMS)[name], name).toEqual(words);
    }
  });

  test('there and back again changes nothing', () => {
    const answer: JsonObject = {
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { codeExecutionResult: { outcome: 'OUTCOME_OK' } },
              { functionCall: { name: 'f', args: { category: 'HARM_CATEGORY_TOXICITY' } } },
            ],
          },
          finishReason: 'MALFORMED_FUNCTION_CALL',
          safetyRatings: [{ category: 'HARM_CATEGORY_SEXUAL', probability: 'LOW' }],
          urlContextMetadata: { urlMetadata: [{ urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_PAYWALL' }] },
        },
      ],
      promptFeedback: { blockReason: 'BLOCKLIST' },
      usageMetadata: { promptTokensDetails: [{ modality: 'DOCUMENT', tokenCount: 1 }] },
    };
    const numbered = withNumbers(answer, 'GenerateContentResponse');
    expect(numbered).toEqual({
      candidates: [
        {
          content: {
            role: 'model',
            parts: [
              { codeExecutionResult: { outcome: 1 } },
              { functionCall: { name: 'f', args: { category: 'HARM_CATEGORY_TOXICITY' } } },
            ],
          },
          finishReason: 10,
          safetyRatings: [{ category: 4, probability: 2 }],
          urlContextMetadata: { urlMetadata: [{ urlRetrievalStatus: 3 }] },
        },
      ],
      promptFeedback: { blockReason: 3 },
      usageMetadata: { promptTokensDetails: [{ modality: 5, tokenCount: 1 }] },
    });
    expect(withWords(numbered, 'GenerateContentResponse')).toEqual(answer);
    expect(withWords(answer, 'GenerateContentResponse')).toBe(answer);
  });

  test('a word or a number that Google has not published stays', () => {
    const newest = { candidates: [{ finishReason: 'MODEL_ARMOR' }] };
    expect(withNumbers(newest, 'GenerateContentResponse')).toBe(newest);
    const unknown = { safetySettings: [{ category: 99, threshold: 'toString' }] };
    expect(withWords(unknown, 'GenerateContentRequest')).toBe(unknown);
    expect(withNumbers(unknown, 'GenerateContentRequest')).toBe(unknown);
  });
});
