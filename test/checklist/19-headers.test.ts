/** Checklist, section 19: headers. */

import type { IncomingHttpHeaders } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { json } from '../support/upstream.ts';
import {
  at,
  CLAUDE,
  CLAUDE_ADAPTIVE,
  CLAUDE_OLD,
  claudeMessage,
  GEMINI,
  OPENAI,
  QWEN,
  useDoor,
} from './support.ts';

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
  return postJson(door.url() + path, body, { headers });
}

const sentHeaders = (): IncomingHttpHeaders => door.upstream().received[0]?.headers ?? {};

const messages = [{ role: 'user', content: 'Hi' }];

describe('checklist 132: beta headers pass unchanged to the vendor they are meant for', () => {
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
      // Anthropic gets the version of the format that the gateway writes.
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
    "checklist 133: natively, %s: other vendors' headers and the caller's account are removed",
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

/** The extras that Claude Code requests from any address. */
const BESIDE = {
  context_management: { edits: [{ type: 'clear_tool_uses_20250919' }] },
  diagnostics: { previous_message_id: 'msg_0' },
  output_config: { effort: 'high', task_budget: { type: 'tokens', total: 9000 } },
  system: [{ type: 'text', text: 'Hi.', cache_control: { type: 'ephemeral', scope: 'global' } }],
  tools: [{ name: 'f', input_schema: { type: 'object' }, eager_input_streaming: true }],
};
const BETAS = 'interleaved-thinking-2025-05-14, prompt-caching-scope-2026-01-05,redact-thinking-2026-02-12';

const unexpected = (...betas: string[]): string =>
  `Unexpected value(s) ${betas.map((beta) => `\`${beta}\``).join(', ')} for the \`anthropic-beta\` header. Please consult our documentation at docs.anthropic.com or try again without the header.`;
const extra = (path: string): string => `${path}: Extra inputs are not permitted`;

type Refuses = (body: JsonObject, betas: readonly string[]) => string | undefined;

/** A service that hosts Claude and rejects what `refuses` names in a request. */
function refusing(refuses: Refuses): void {
  door.answers(({ body, headers }, response) => {
    const request = parseJson(body.toString());
    const betas = String(headers['anthropic-beta'] ?? '').split(/,\s*/);
    const message = refuses(isObject(request) ? request : {}, betas);
    if (message === undefined) json(response, claudeMessage([{ type: 'text', text: 'Well.' }], 'end_turn'));
    else json(response, { type: 'error', error: { type: 'invalid_request_error', message } }, 400);
  });
}

/** How many attempts one request took, and the last one. */
async function asked(
  model: string,
  more: object,
  betas = BETAS,
): Promise<{ readonly times: number; readonly body: JsonObject; readonly betas: string | undefined }> {
  door.upstream().received.length = 0;
  const body = { model, max_tokens: 10, messages, ...more };
  const response = await ask('/v1/messages?beta=true', body, { 'anthropic-beta': betas });
  expect([response.status, at(parseJson(await response.text()), 'content.0.text')]).toEqual([200, 'Well.']);
  const { received } = door.upstream();
  return {
    times: received.length,
    body: door.sent(),
    betas: received.at(-1)?.headers['anthropic-beta']?.toString(),
  };
}

describe('checklist 222: another host of Claude is not sent the extras that it rejects', () => {
  test('checklist 222: betas that it names are left out, from then on at once; the others and the body are unchanged', async () => {
    const refused = ['prompt-caching-scope-2026-01-05', 'redact-thinking-2026-02-12'];
    refusing((_, betas) => {
      const named = betas.filter((beta) => refused.includes(beta));
      return named.length > 0 ? unexpected(...named) : undefined;
    });
    const first = await asked(CLAUDE, BESIDE);
    expect(first).toMatchObject({ times: 2, betas: 'interleaved-thinking-2025-05-14' });
    const bytes = door.upstream().received.map(({ body }) => body.toString());
    expect(bytes[1]).toBe(bytes[0]);
    expect(await asked(CLAUDE, BESIDE)).toMatchObject({ times: 1, betas: 'interleaved-thinking-2025-05-14' });
    expect(await asked(CLAUDE, BESIDE, refused[0])).toMatchObject({ times: 1, betas: undefined });
    // They are remembered for each model, and not for ever, since services may come to accept them.
    expect(await asked('anthropic/claude-haiku-4-5', BESIDE)).toMatchObject({ times: 2 });
    const now = performance.now.bind(performance);
    const later = vi.spyOn(performance, 'now').mockImplementation(() => now() + 600_001);
    try {
      expect(await asked(CLAUDE, BESIDE)).toMatchObject({ times: 2 });
    } finally {
      later.mockRestore();
    }
  });

  test.each([
    [
      'GitHub',
      'unsupported beta header(s): redact-thinking-2026-02-12',
      'interleaved-thinking-2025-05-14,prompt-caching-scope-2026-01-05',
    ],
    ['Amazon, which names none', 'invalid beta flag', undefined],
  ])('checklist 222: betas as %s names them', async (_, message, left) => {
    refusing((__, betas) => (betas.includes('redact-thinking-2026-02-12') ? message : undefined));
    const model = left === undefined ? 'anthropic/claude-opus-4-5' : 'anthropic/claude-opus-4-6';
    expect(await asked(model, {})).toMatchObject({ times: 2, betas: left });
  });

  test('checklist 222: fields are left out too: the first that is named, then all of them, and nothing else', async () => {
    refusing((body) => {
      if (body['context_management'] !== undefined) return extra('context_management');
      if (body['diagnostics'] !== undefined) return extra('diagnostics');
      if (at(body, 'system.0.cache_control.scope') !== undefined)
        return extra('system.0.cache_control.ephemeral.scope');
      if (at(body, 'tools.0.eager_input_streaming') !== undefined)
        return extra('tools.0.custom.eager_input_streaming');
      return at(body, 'output_config.effort') === undefined ? undefined : extra('output_config.effort');
    });
    const more = { ...BESIDE, temperature: 0.5, metadata: { user_id: 'u' } };
    const { times, body } = await asked(CLAUDE_ADAPTIVE, more);
    const left = {
      ...body,
      system: [{ type: 'text', text: 'Hi.', cache_control: { type: 'ephemeral' } }],
      tools: [{ name: 'f', input_schema: { type: 'object' } }],
      temperature: 0.5,
      metadata: { user_id: 'u' },
      messages,
    };
    expect(times).toBe(3);
    expect(body).not.toHaveProperty('output_config');
    expect(body).toEqual(left);
    expect(Object.keys(body)).not.toContain('context_management');
    expect(await asked(CLAUDE_ADAPTIVE, more)).toEqual({ times: 1, body, betas: BETAS });
    // A request without extras is not parsed.
    const plain = `{"model":"claude-opus-4-7", "max_tokens":1e1,"messages":[]}`;
    const response = await postJson(`${door.url()}/v1/messages`, plain);
    await response.text();
    expect(door.upstream().received.at(-1)?.body.toString()).toBe(plain);
  });

  test.each(['colour', 'mcp_servers', 'output_config.format', 'messages.0.content.0.text.scope'])(
    'checklist 222: %s, without which the answer would differ, is rejected once, and the error is passed on',
    async (path) => {
      refusing(() => extra(path));
      door.upstream().received.length = 0;
      const response = await ask('/v1/messages', { model: CLAUDE_OLD, max_tokens: 10, messages }, {});
      expect([response.status, await response.text()]).toEqual([400, expect.stringContaining(extra(path))]);
      expect(door.upstream().received).toHaveLength(1);
    },
  );
});
