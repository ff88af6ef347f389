/** What is sent in the load bench, and what of it each of the measured understands. */

import type { FormatName } from '../../src/conversation/prompt.ts';
import { KEY } from './processes.ts';

export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Scenario {
  readonly name: string;
  /** The format the caller's answer is in, by which it is judged. */
  readonly format: FormatName;
  /** The format of the vendor itself, and so of what the bare proxy gives. */
  readonly spoken: FormatName;
  readonly streamed: boolean;
  /** Connections at once. */
  readonly connections: number;
  /** To the upstream itself, and by the bare proxy: what the vendor would be sent. */
  readonly direct: Request;
  readonly gateway: Request;
  /** Absent where it cannot do this. */
  readonly portkey?: Request;
}

const json = { 'content-type': 'application/json' };
const filler = (bytes: number): string =>
  'He said "one", then\nhe said "two". '.repeat(Math.ceil(bytes / 35)).slice(0, bytes);

const chat = (model: string, bytes: number, stream: boolean): string =>
  JSON.stringify({
    model,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
    max_tokens: 1000,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: filler(bytes) },
    ],
  });

const message = (model: string, bytes: number): string =>
  JSON.stringify({
    model,
    stream: true,
    max_tokens: 1000,
    system: 'Be brief.',
    messages: [{ role: 'user', content: filler(bytes) }],
  });

const contents = (bytes: number): string =>
  JSON.stringify({ contents: [{ role: 'user', parts: [{ text: filler(bytes) }] }] });

const byKey = { ...json, authorization: `Bearer ${KEY}` };

const portkey = (upstream: number, provider: string, path: string, body: string): Request => ({
  path,
  headers: {
    ...json,
    authorization: 'Bearer sk-bench',
    'x-portkey-provider': provider,
    'x-portkey-custom-host': `http://127.0.0.1:${upstream}${provider === 'google' ? '/v1beta' : '/v1'}`,
  },
  body,
});

export function scenarios(upstream: number): readonly Scenario[] {
  const native = (name: string, bytes: number, streamed: boolean): Scenario => {
    const body = chat('gpt-4.1', bytes, streamed);
    return {
      name,
      format: 'chat-completions',
      spoken: 'chat-completions',
      streamed,
      connections: 32,
      direct: { path: '/v1/chat/completions', headers: json, body },
      gateway: { path: '/v1/chat/completions', headers: byKey, body },
      portkey: portkey(upstream, 'openai', '/v1/chat/completions', body),
    };
  };
  return [
    native('native, 0.5 KB, whole', 450, false),
    native('native, 100 KB, whole', 100_000, false),
    native('native, 200 events', 450, true),
    {
      name: 'chat-completions to anthropic, 200 events',
      format: 'chat-completions',
      spoken: 'messages',
      streamed: true,
      connections: 32,
      direct: { path: '/v1/messages', headers: json, body: message('claude-sonnet-4-5', 450) },
      gateway: {
        path: '/v1/chat/completions',
        headers: byKey,
        body: chat('anthropic/claude-sonnet-4-5', 450, true),
      },
      portkey: portkey(upstream, 'anthropic', '/v1/chat/completions', chat('claude-sonnet-4-5', 450, true)),
    },
    {
      name: 'chat-completions to google, 200 events',
      format: 'chat-completions',
      spoken: 'generate-content',
      streamed: true,
      connections: 32,
      direct: {
        path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        headers: json,
        body: contents(450),
      },
      gateway: {
        path: '/v1/chat/completions',
        headers: byKey,
        body: chat('google/gemini-2.5-flash', 450, true),
      },
      portkey: portkey(upstream, 'google', '/v1/chat/completions', chat('gemini-2.5-flash', 450, true)),
    },
    {
      name: 'messages to openai, 200 events',
      format: 'messages',
      spoken: 'chat-completions',
      streamed: true,
      connections: 32,
      direct: { path: '/v1/chat/completions', headers: json, body: chat('gpt-4.1', 450, true) },
      gateway: { path: '/v1/messages', headers: byKey, body: message('openai/gpt-4.1', 450) },
    },
  ];
}
