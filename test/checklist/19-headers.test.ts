/** Checklist, section 19: headers. */

import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { CLAUDE, GEMINI, OPENAI, QWEN, useDoor } from './support.ts';

const door = useDoor();

/** Headers that each kind of client sends and that mean something to its own vendor. */
const OWN: Readonly<Record<string, string>> = {
  'anthropic-beta': 'interleaved-thinking-2025-05-14,context-1m-2025-08-07',
  'anthropic-version': '2023-06-01',
  'anthropic-dangerous-direct-browser-access': 'true',
  'openai-organization': 'org-of-the-caller',
  'openai-project': 'proj-of-the-caller',
  'openai-beta': 'responses=v1',
  'x-goog-api-client': 'genai-js/1',
  'x-goog-user-project': 'project-of-the-caller',
  'x-server-timeout': '900',
  'x-grok-conv-id': 'conv_1',
  'x-stainless-lang': 'js',
  'x-stainless-retry-count': '0',
  'user-agent': 'claude-cli/2.0',
  cookie: 'session=secret',
  'x-forwarded-for': '10.0.0.1',
  'x-app': 'cli',
};

async function ask(path: string, body: object, headers: Record<string, string>): Promise<Response> {
  return fetch(door.url() + path, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, ...headers },
  });
}

const sentHeaders = (): IncomingHttpHeaders => door.upstream().received[0]?.headers ?? {};

const messages = [{ role: 'user', content: 'Hi' }];

describe('checklist 132: beta headers pass unchanged where the vendor is the one they mean', () => {
  test.each(['/v1/messages', '/v1/messages/count_tokens'])('checklist 132: %s', async (path) => {
    door.answers((_, response) => response.writeHead(418).end('{}'));
    await ask(path, { model: CLAUDE, max_tokens: 10, messages }, OWN);
    const headers = sentHeaders();
    expect(headers['anthropic-beta']).toBe(OWN['anthropic-beta']);
    expect(headers['anthropic-version']).toBe(OWN['anthropic-version']);
  });
});

describe("checklist 133: no vendor's private headers reach another", () => {
  const cases: [name: string, path: string, body: object][] = [
    ['messages to Google', '/v1/messages', { model: GEMINI, max_tokens: 10, messages }],
    ['messages to OpenAI', '/v1/messages', { model: OPENAI, max_tokens: 10, messages }],
    ['messages to another service', '/v1/messages', { model: QWEN, max_tokens: 10, messages }],
    ['chat to Anthropic', '/v1/chat/completions', { model: CLAUDE, messages }],
    ['chat to Google', '/v1/chat/completions', { model: GEMINI, messages }],
    ['responses to Anthropic', '/v1/responses', { model: CLAUDE, input: 'Hi' }],
  ];
  test.each(cases)('checklist 133: %s', async (_, path, body) => {
    door.answers((__, response) => response.writeHead(418).end('{}'));
    await ask(path, body, OWN);
    const headers = sentHeaders();
    const told = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    for (const [name, value] of Object.entries(OWN)) {
      // Anthropic is told the version of its format that we write.
      if (name !== 'anthropic-version') expect(told).not.toContain(`${name}: ${value}`);
    }
    expect(told.join('\n')).not.toContain(KEY);
  });

  const mine: [name: string, path: string, body: object, kept: readonly string[]][] = [
    ['chat', '/v1/chat/completions', { model: OPENAI, messages }, ['openai-beta', 'x-stainless-lang']],
    ['responses', '/v1/responses', { model: OPENAI, input: 'Hi' }, ['openai-beta', 'x-stainless-lang']],
    [
      'chat to xAI',
      '/v1/chat/completions',
      { model: 'x-ai/grok-4.7', messages },
      ['openai-beta', 'x-grok-conv-id'],
    ],
    [
      'messages',
      '/v1/messages',
      { model: CLAUDE, max_tokens: 10, messages },
      ['anthropic-beta', 'anthropic-version', 'x-stainless-lang'],
    ],
    [
      'generate-content',
      '/v1beta/models/gemini-2.5-flash:generateContent',
      { contents: [{ parts: [{ text: 'Hi' }] }] },
      ['x-goog-api-client', 'x-server-timeout'],
    ],
  ];
  test.each(mine)(
    "checklist 133: natively, %s: other vendors' headers and the caller's account stay behind",
    async (_, path, body, kept) => {
      door.answers((__, response) => response.writeHead(418).end('{}'));
      await ask(path, body, OWN);
      const headers = sentHeaders();
      for (const name of kept) expect(headers[name]).toBe(OWN[name]);
      const private_ = Object.keys(OWN).filter(
        (name) => /^(?:anthropic|openai|x-goog|x-server)-/.test(name) && !kept.includes(name),
      );
      for (const name of [...private_, 'cookie', 'x-forwarded-for'].filter(
        (each) => each !== 'anthropic-dangerous-direct-browser-access',
      )) {
        expect(headers[name]).toBeUndefined();
      }
    },
  );
});
