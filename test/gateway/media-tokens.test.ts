/** The tokens of sound, images and films in prompt and answer, which chat-completions and Gemini both tell apart. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import {
  at,
  chatStream,
  chunk,
  completion,
  GEMINI,
  gemini,
  geminiStream,
  json,
  QWEN,
  useDoor,
} from '../checklist/support.ts';
import { googleClient } from '../support/google-client.ts';

const door = useDoor({ generateContent: { models: 'all' } });

describe('from Gemini to chat-completions', () => {
  const heard: JsonObject = {
    promptTokenCount: 107,
    candidatesTokenCount: 35,
    totalTokenCount: 142,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 7 },
      { modality: 'AUDIO', tokenCount: 100 },
    ],
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 30 }],
  };

  test('of images and films, too', async () => {
    const usage: JsonObject = {
      promptTokenCount: 807,
      candidatesTokenCount: 1307,
      promptTokensDetails: [
        { modality: 'VIDEO', tokenCount: 500 },
        { modality: 'IMAGE', tokenCount: 300 },
      ],
      candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
    };
    door.answers(json(gemini([{ text: 'Here.' }], 'STOP', usage)));
    const { json: said } = await door.whole('chat-completions', GEMINI);
    expect(at(said, 'usage.prompt_tokens_details')).toMatchObject({ image_tokens: 300, video_tokens: 500 });
    expect(at(said, 'usage.completion_tokens_details')).toMatchObject({ image_tokens: 1290 });
    expect(at(said, 'usage.completion_tokens_details')).not.toHaveProperty('audio_tokens');
  });

  test('whole', async () => {
    door.answers(json(gemini([{ text: 'Yes.' }], 'STOP', heard)));
    const { json: said } = await door.whole('chat-completions', GEMINI);
    expect(at(said, 'usage.prompt_tokens_details.audio_tokens')).toBe(100);
    expect(at(said, 'usage.completion_tokens_details.audio_tokens')).toBe(30);
  });

  test('streamed', async () => {
    door.answers(geminiStream(gemini([{ text: 'Yes.' }], undefined, heard), gemini([], 'STOP', heard)));
    const { data } = await door.stream('chat-completions', GEMINI, {
      stream_options: { include_usage: true },
    });
    expect(at(data.at(-1), 'usage.prompt_tokens_details.audio_tokens')).toBe(100);
    expect(at(data.at(-1), 'usage.completion_tokens_details.audio_tokens')).toBe(30);
  });

  test('a prompt without sound has none', async () => {
    const details = [{ modality: 'TEXT', tokenCount: 7 }];
    door.answers(
      json(gemini([{ text: 'Yes.' }], 'STOP', { promptTokenCount: 7, promptTokensDetails: details })),
    );
    const { json: said } = await door.whole('chat-completions', GEMINI);
    expect(at(said, 'usage.prompt_tokens_details')).not.toHaveProperty('audio_tokens');
  });
});

describe('from chat-completions to Gemini', () => {
  const usage: JsonObject = {
    prompt_tokens: 107,
    completion_tokens: 35,
    total_tokens: 142,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 100 },
    completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 30 },
  };
  const asked = { model: QWEN, contents: 'Do you hear it?' };
  const expected = {
    promptTokenCount: 107,
    promptTokensDetails: [{ modality: 'AUDIO', tokenCount: 100 }],
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 30 }],
  };

  test('whole', async () => {
    door.answers(json(completion({ content: 'Yes.' }, 'stop', { usage })));
    const { usageMetadata } = await googleClient(door.url()).models.generateContent(asked);
    expect(usageMetadata).toMatchObject(expected);
  });

  test('streamed', async () => {
    door.answers(chatStream(chunk({ content: 'Yes.' }), chunk({}, 'stop', { usage })));
    const told: unknown[] = [];
    for await (const piece of await googleClient(door.url()).models.generateContentStream(asked))
      told.push(piece.usageMetadata);
    expect(told.at(-1)).toMatchObject(expected);
  });

  test('of images', async () => {
    const drawn = { ...usage, completion_tokens_details: { image_tokens: 30 } };
    door.answers(json(completion({ content: 'Here.' }, 'stop', { usage: drawn })));
    const { usageMetadata } = await googleClient(door.url()).models.generateContent(asked);
    expect(usageMetadata?.candidatesTokensDetails).toEqual([{ modality: 'IMAGE', tokenCount: 30 }]);
  });

  test('an answer without sound has no details', async () => {
    const silent = { ...usage, prompt_tokens_details: { audio_tokens: 0 }, completion_tokens_details: null };
    door.answers(json(completion({ content: 'Yes.' }, 'stop', { usage: silent })));
    const { usageMetadata } = await googleClient(door.url()).models.generateContent(asked);
    expect(usageMetadata).not.toHaveProperty('promptTokensDetails');
    expect(usageMetadata).not.toHaveProperty('candidatesTokensDetails');
  });
});
