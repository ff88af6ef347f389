/** One sandbox for a test file, and plain requests to it in each of the four formats. */

import { afterAll, beforeAll } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { isObject, parseJson } from '../../src/lib/json.ts';
import { type Sandbox, startSandbox } from '../../src/sandbox/sandbox.ts';

/** The sandbox while tests run. */
export function useSandbox(): () => Sandbox {
  let sandbox: Sandbox | undefined;
  beforeAll(async () => {
    sandbox = await startSandbox({ pace: 'none' });
  });
  afterAll(() => sandbox?.close());
  return () => {
    if (sandbox === undefined) throw new Error('no sandbox yet');
    return sandbox;
  };
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonObject;
}

export type Vendor = keyof Sandbox['places'];

export async function post(
  { places }: Sandbox,
  vendor: Vendor,
  path: string,
  body: JsonObject | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  return sent(`${places[vendor].baseUrl}${path}`, {
    method: 'POST',
    headers: {
      ...credentials(vendor, places[vendor].apiKey),
      'content-type': 'application/json',
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
}

export async function get({ places }: Sandbox, vendor: Vendor, path: string): Promise<Answered> {
  return sent(`${places[vendor].baseUrl}${path}`, { headers: credentials(vendor, places[vendor].apiKey) });
}

async function sent(url: string, init: RequestInit): Promise<Answered> {
  const response = await fetch(url, init);
  const text = await response.text();
  const json = text.startsWith('{') ? parseJson(text) : undefined;
  return { status: response.status, headers: response.headers, text, json: isObject(json) ? json : {} };
}

function credentials(vendor: Vendor, key: string): Record<string, string> {
  if (vendor === 'anthropic') return { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
  if (vendor === 'google') return { 'x-goog-api-key': key };
  return { authorization: `Bearer ${key}` };
}

/** The minimal request of each format. */
export const WAYS: Readonly<
  Record<
    FormatName,
    { readonly vendor: Vendor; ask(said: string, stream: boolean, more?: JsonObject): [string, JsonObject] }
  >
> = {
  'chat-completions': {
    vendor: 'openai',
    ask: (said, stream, more = {}) => [
      '/chat/completions',
      {
        model: 'gpt-4.1',
        messages: [{ role: 'user', content: said }],
        ...(stream && { stream, stream_options: { include_usage: true } }),
        ...more,
      },
    ],
  },
  responses: {
    vendor: 'openai',
    ask: (said, stream, more = {}) => ['/responses', { model: 'gpt-4.1', input: said, stream, ...more }],
  },
  messages: {
    vendor: 'anthropic',
    ask: (said, stream, more = {}) => [
      '/v1/messages',
      {
        model: 'claude-sonnet-4-6',
        max_tokens: 4096,
        messages: [{ role: 'user', content: said }],
        stream,
        ...more,
      },
    ],
  },
  'generate-content': {
    vendor: 'google',
    ask: (said, stream, more = {}) => [
      `/v1beta/models/gemini-3-flash-preview:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
      { contents: [{ role: 'user', parts: [{ text: said }] }], ...more },
    ],
  },
};

export const FORMATS: readonly FormatName[] = [
  'chat-completions',
  'responses',
  'messages',
  'generate-content',
];

export const WEATHER_SCHEMA = {
  type: 'object',
  properties: {
    city: { type: 'string', description: 'Name of the city' },
    unit: { type: 'string', enum: ['celsius', 'fahrenheit'] },
    days: { type: 'integer', minimum: 1, maximum: 7 },
  },
  required: ['city', 'unit'],
} as const;
