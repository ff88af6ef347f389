/** Checklist, section 23: values, images and files that the caller's format allows and a vendor rejects. */

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { at, CLAUDE, GEMINI, GEMINI_3, OPENAI, QWEN, useDoor } from './support.ts';

const { sentFor } = useDoor();

describe('checklist 145: an image is sent with the media type that its vendor knows', () => {
  const JPEG = '/9j/4AAQSkZJRg==';
  const image = (type: string, data: string): JsonObject => ({
    messages: [
      { role: 'user', content: [{ type: 'image_url', image_url: { url: `data:${type};base64,${data}` } }] },
    ],
  });

  test.each([
    ['image/png', JPEG, 'image/jpeg'],
    ['image/jpeg', 'iVBORw0KGgo=', 'image/png'],
    ['image/jpg', JPEG, 'image/jpeg'],
    ['application/octet-stream', JPEG, 'image/jpeg'],
    ['image/webp', 'AAAA', 'image/webp'],
  ])('checklist 145: to Anthropic, %s that begins as %s does', async (said, data, type) => {
    const sent = await sentFor('chat-completions', CLAUDE, image(said, data));
    expect(at(sent, 'messages.0.content.0.source')).toEqual({ type: 'base64', media_type: type, data });
  });

  test.each(['image/jpg', 'IMAGE/JPEG', 'application/octet-stream', ''])(
    "checklist 145: to Google, '%s' by its registered name",
    async (said) => {
      const sent = await sentFor('chat-completions', GEMINI, image(said, JPEG));
      expect(at(sent, 'contents.0.parts.0.inlineData')).toEqual({ mimeType: 'image/jpeg', data: JPEG });
    },
  );
});

describe('checklist 146: Anthropic gets a user id that it accepts', () => {
  const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
  const long = 'u'.repeat(257);

  test.each<[string, JsonObject, string]>([
    ['a name of its own', { user: 'team-7_user 42' }, 'team-7_user 42'],
    ['one in the metadata', { metadata: { user_id: 'abc', run: '7' } }, 'abc'],
    ['an address', { user: 'jane.doe@example.com' }, hash('jane.doe@example.com')],
    ['a safety identifier', { safety_identifier: 'jane@example.com' }, hash('jane@example.com')],
    ['a number', { user: '+49 (170) 123-4567' }, hash('+49 (170) 123-4567')],
    ['a long one', { user: long }, hash(long)],
  ])('checklist 146: %s', async (_, more, name) => {
    expect((await sentFor('chat-completions', CLAUDE, more))['metadata']).toEqual({ user_id: name });
  });
});

describe('checklist 147: a limit above the maximum of the model becomes the maximum', () => {
  test.each([
    [CLAUDE, 'max_tokens', 64_000],
    [GEMINI, 'generationConfig.maxOutputTokens', 65_536],
  ])('checklist 147: %s', async (model, field, most) => {
    for (const [asked, sent] of [
      [200_000, most],
      [7, 7],
    ]) {
      expect(at(await sentFor('chat-completions', model, { max_tokens: asked }), field)).toBe(sent);
      expect(at(await sentFor('responses', model, { max_output_tokens: asked }), field)).toBe(sent);
    }
  });

  test('checklist 147: from messages', async () => {
    const sent = await sentFor('messages', OPENAI, { max_tokens: 200_000 });
    expect(sent['max_completion_tokens']).toBe(16_384);
    const thinking = await sentFor('messages', 'openai/gpt-5.4', { max_tokens: 200_000 });
    expect(thinking['max_output_tokens']).toBe(128_000);
  });
});

describe('checklist 149: Gemini is sent no penalty that it rejects', () => {
  const penalties = { frequency_penalty: 0.5, presence_penalty: -0.1 };

  test.each([
    [GEMINI, undefined],
    [GEMINI_3, undefined],
    ['google/gemini-4-argon', undefined],
    ['google/gemini-2.0-flash', { frequencyPenalty: 0.5, presencePenalty: -0.1 }],
  ])('checklist 149: penalties to %s', async (model, config) => {
    expect((await sentFor('chat-completions', model, penalties))['generationConfig']).toEqual(config);
    // They are fields of Open Responses.
    expect((await sentFor('responses', model, penalties))['generationConfig']).toEqual(config);
  });
});

describe('checklist 149: Gemini 4 is sent no thinking level that it rejects', () => {
  test.each([
    ['google/gemini-4-argon', 'none', 'LOW'],
    ['google/gemini-4-argon', 'minimal', 'LOW'],
    ['google/gemini-4-argon', 'xhigh', 'HIGH'],
    ['google/gemini-4-hydrogen', 'xhigh', 'XHIGH'],
    ['google/gemini-4-neon', 'max', 'XHIGH'],
  ])('checklist 149: %s, asked for %s: %s', async (model, reasoning_effort, level) => {
    const sent = await sentFor('chat-completions', model, { reasoning_effort });
    expect(at(sent, 'generationConfig.thinkingConfig.thinkingLevel')).toBe(level);
    expect(at(sent, 'generationConfig.thinkingConfig.thinkingBudget')).toBeUndefined();
  });
});

describe('checklist 218: a seed of any size reaches Gemini', () => {
  test.each([
    [7, 7],
    [-7, -7],
    [2_147_483_647, 2_147_483_647],
    [2_147_483_648, -2_147_483_648],
    [3_898_845_386, -396_121_910],
    [9_007_199_254_740_991, -1],
  ])('checklist 218: %d', async (seed, expected) => {
    const sent = await sentFor('chat-completions', GEMINI, { seed });
    expect(at(sent, 'generationConfig.seed')).toBe(expected);
  });
});

test('checklist 155: the name of a file is not sent to Google, whose API has no field for it', async () => {
  const file = { filename: 'bill.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' };
  const expected = [
    { role: 'user', parts: [{ inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } }] },
  ];
  for (const [from, more] of [
    ['chat-completions', { messages: [{ role: 'user', content: [{ type: 'file', file }] }] }],
    ['responses', { input: [{ role: 'user', content: [{ type: 'input_file', ...file }] }] }],
  ] as const) {
    expect((await sentFor(from, GEMINI, more))['contents']).toEqual(expected);
  }
});

test('checklist 157: a detail that only OpenAI knows becomes the highest that all know', async () => {
  const image = (detail: string): JsonObject => ({
    type: 'input_image',
    image_url: 'https://example.com/a.png',
    detail,
  });
  const input = [
    { role: 'user', content: [image('original'), image('low')] },
    { type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'call_1', output: [image('original')] },
  ];
  const sent = JSON.stringify(await sentFor('responses', QWEN, { input }));
  expect([...sent.matchAll(/"detail":"(\w+)"/g)].map(([, detail]) => detail)).toEqual([
    'high',
    'low',
    'high',
  ]);
});
