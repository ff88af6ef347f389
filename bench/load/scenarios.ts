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
  /** Who answers, and what for: `messages` is a caller of messages whose model is OpenAI's. */
  readonly vendor: 'openai' | 'anthropic' | 'google' | 'messages';
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

const chat = (model: string, said: string, stream: boolean): string =>
  JSON.stringify({
    model,
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
    max_tokens: 1000,
    messages: [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: said },
    ],
  });

const message = (model: string, said: string): string =>
  JSON.stringify({
    model,
    stream: true,
    max_tokens: 1000,
    system: 'Be brief.',
    messages: [{ role: 'user', content: said }],
  });

const contents = (said: string): string =>
  JSON.stringify({ contents: [{ role: 'user', parts: [{ text: said }] }] });

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

/**
 * @param words what the streams are asked, in place of a filler of 0.5 KB: the upstream does as some words say.
 */
export function scenarios(upstream: number, words = filler(450)): readonly Scenario[] {
  const native = (name: string, said: string, streamed: boolean): Scenario => {
    const body = chat('gpt-4.1', said, streamed);
    return {
      name,
      format: 'chat-completions',
      spoken: 'chat-completions',
      streamed,
      vendor: 'openai',
      connections: 32,
      direct: { path: '/v1/chat/completions', headers: json, body },
      gateway: { path: '/v1/chat/completions', headers: byKey, body },
      portkey: portkey(upstream, 'openai', '/v1/chat/completions', body),
    };
  };
  return [
    native('native, 0.5 KB, whole', filler(450), false),
    native('native, 100 KB, whole', filler(100_000), false),
    native('native, 200 events', words, true),
    {
      name: 'chat-completions to anthropic, 200 events',
      format: 'chat-completions',
      spoken: 'messages',
      streamed: true,
      vendor: 'anthropic',
      connections: 32,
      direct: { path: '/v1/messages', headers: json, body: message('claude-sonnet-4-5', words) },
      gateway: {
        path: '/v1/chat/completions',
        headers: byKey,
        body: chat('anthropic/claude-sonnet-4-5', words, true),
      },
      portkey: portkey(upstream, 'anthropic', '/v1/chat/completions', chat('claude-sonnet-4-5', words, true)),
    },
    {
      name: 'chat-completions to google, 200 events',
      format: 'chat-completions',
      spoken: 'generate-content',
      streamed: true,
      vendor: 'google',
      connections: 32,
      direct: {
        path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        headers: json,
        body: contents(words),
      },
      gateway: {
        path: '/v1/chat/completions',
        headers: byKey,
        body: chat('google/gemini-2.5-flash', words, true),
      },
      portkey: portkey(upstream, 'google', '/v1/chat/completions', chat('gemini-2.5-flash', words, true)),
    },
    {
      name: 'messages to openai, 200 events',
      format: 'messages',
      spoken: 'chat-completions',
      streamed: true,
      vendor: 'messages',
      connections: 32,
      direct: { path: '/v1/chat/completions', headers: json, body: chat('gpt-4.1', words, true) },
      gateway: { path: '/v1/messages', headers: byKey, body: message('openai/gpt-4.1', words) },
    },
  ];
}
