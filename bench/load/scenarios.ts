/** The requests of the load bench, and which of them each contender supports. */

import type { FormatName } from '../../src/conversation/prompt.ts';
import { KEY } from './processes.ts';

export interface Request {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Scenario {
  readonly name: string;
  /** The format of the caller's answer, by which it is validated. */
  readonly format: FormatName;
  /** The format of the vendor itself, and so of the bare proxy's answers. */
  readonly spoken: FormatName;
  readonly streamed: boolean;
  /** Vendor and caller format: `messages` is a caller of messages with an OpenAI model. */
  readonly vendor: 'openai' | 'anthropic' | 'google' | 'messages';
  /** Concurrent connections. */
  readonly connections: number;
  /** To the upstream itself, and through the bare proxy: the request that the vendor would receive. */
  readonly direct: Request;
  readonly gateway: Request;
  /** Absent if it does not support this. */
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
 * @param words the prompt of the streams, instead of a filler of 0.5 KB: the upstream follows commands in it.
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

const STREAM = /"stream":true,("stream_options":\{[^}]*\},)?/;

const unstreamed = ({ path, headers, body }: Request): Request => ({
  path: path.replace(':streamGenerateContent?alt=sse', ':generateContent'),
  headers,
  body: body.replace(STREAM, ''),
});

/** Translated answers of 0.5 KB without streaming. */
export function translatedWhole(upstream: number): readonly Scenario[] {
  return scenarios(upstream)
    .filter(({ name }) => name.includes(' to '))
    .map((scenario) => ({
      ...scenario,
      name: scenario.name.replace('200 events', '0.5 KB, whole'),
      streamed: false,
      gateway: unstreamed(scenario.gateway),
      direct: unstreamed(scenario.direct),
      ...(scenario.portkey && { portkey: unstreamed(scenario.portkey) }),
    }));
}
