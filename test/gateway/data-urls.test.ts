/** Data URLs in any case of letters, and bytes in base64url, from callers of all four formats. */

import { expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { CLAUDE, GEMINI, OPENAI, RESPONDER, useDoor } from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';
import { json } from '../support/upstream.ts';

const door = useDoor({ generateContent: { models: 'all' } });

/** Bytes whose base64 has both letters that base64url writes differently. */
const STANDARD = '-__-PwA'.replaceAll('-', '+').replaceAll('_', '/').concat('=');

interface Way {
  readonly path: (model: string) => string;
  readonly body: (model: string, url: string) => JsonObject;
}

const parts = (...list: readonly JsonObject[]): JsonObject => ({
  contents: [{ role: 'user', parts: [{ text: 'What is it?' }, ...list] }],
});
const gemini = (model: string): string => `/v1beta/models/${model}:generateContent`;

const WAYS: Readonly<Record<string, Way>> = {
  'chat-completions': {
    path: () => '/v1/chat/completions',
    body: (model, url) => ({
      model,
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
    }),
  },
  responses: {
    path: () => '/v1/responses',
    body: (model, url) => ({
      model,
      input: [{ role: 'user', content: [{ type: 'input_image', image_url: url }] }],
    }),
  },
  messages: {
    path: () => '/v1/messages',
    body: (model, url) => ({
      model,
      max_tokens: 99,
      messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'url', url } }] }],
    }),
  },
  'generate-content': { path: gemini, body: (_, url) => parts({ fileData: { fileUri: url } }) },
};

const EXPECTED: Readonly<Record<string, JsonObject>> = {
  [OPENAI]: { type: 'image_url', image_url: { url: `data:image/png;base64,${STANDARD}` } },
  [RESPONDER]: { type: 'input_image', image_url: `data:image/png;base64,${STANDARD}`, detail: 'auto' },
  [CLAUDE]: { type: 'image', source: { type: 'base64', media_type: 'image/png', data: STANDARD } },
  [GEMINI]: { inlineData: { mimeType: 'image/png', data: STANDARD } },
};

const NATIVE = [
  ['chat-completions', OPENAI],
  ['responses', OPENAI],
  ['responses', RESPONDER],
  ['messages', CLAUDE],
  ['generate-content', GEMINI],
];

const PAIRS = Object.keys(WAYS).flatMap((from) =>
  Object.keys(EXPECTED)
    .filter((model) => !NATIVE.some(([format, own]) => format === from && own === model))
    .map((model) => ({ from, model })),
);

async function sent(path: string, body: JsonObject): Promise<JsonObject> {
  door.answers((_, response) => json(response, {}, 418));
  await fetch(door.url() + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return door.sent();
}

function objectsIn(value: Json | undefined): readonly Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap((inner) => objectsIn(inner ?? null))];
}

test.each(PAIRS)('a data URL from $from to $model', async ({ from, model }) => {
  const way = WAYS[from];
  for (const scheme of ['data', 'DATA', 'Data']) {
    const url = `${scheme}:image/png;base64,${STANDARD}`;
    const body = await sent(way?.path(model) ?? '', way?.body(model, url) ?? {});
    expect(objectsIn(body)).toContainEqual(EXPECTED[model]);
    expect(JSON.stringify(body)).not.toMatch(/DATA:|Data:/);
  }
});

test.each([OPENAI, RESPONDER, CLAUDE])(
  "bytes as Google's Python SDK writes them, with padding and without, to %s",
  async (model) => {
    for (const data of ['-__-PwA=', '-__-PwA', STANDARD]) {
      const body = await sent(gemini(model), parts({ inlineData: { mimeType: 'image/png', data } }));
      expect(objectsIn(body)).toContainEqual(EXPECTED[model]);
    }
  },
);
