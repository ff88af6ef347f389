/** The requests of the load bench. */

import type { FormatName } from '../../src/conversation/prompt.ts';
import { KEY } from './processes.ts';
import { EVENTS, SENTENCE, SENTENCES, WORD } from './voices.ts';

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
  /** The vendor's name of the model. */
  readonly model: string;
  /** What an answer must contain, exactly so many times; absent: not known. */
  readonly expected?: { readonly text: string; readonly times: number };
  /** Concurrent connections. */
  readonly connections: number;
  /** To the upstream itself, and through the bare proxy: the request that the vendor would receive. */
  readonly direct: Request;
  readonly gateway: Request;
}

export const json = { 'content-type': 'application/json' };
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

/** A request to a gateway in another gateway's words: its headers, and its name of the model. */
export const inWordsOf = (
  { gateway: { path, body } }: Scenario,
  model: string,
  headers: Readonly<Record<string, string>>,
): Request => ({
  path,
  headers: { ...json, ...headers },
  body: JSON.stringify({ ...JSON.parse(body), model }),
});

/**
 * @param words the prompt of the streams, instead of a filler of 0.5 KB: the upstream follows commands in it.
 */
export function scenarios(words?: string): readonly Scenario[] {
  const prompt = words ?? filler(450);
  const wholeAnswer = { expected: { text: SENTENCE, times: SENTENCES } };
  const streamedAnswer = words === undefined ? { expected: { text: WORD, times: EVENTS } } : {};
  const native = (name: string, asked: string, streamed: boolean): Scenario => {
    const body = chat('gpt-4.1', asked, streamed);
    return {
      name,
      format: 'chat-completions',
      spoken: 'chat-completions',
      streamed,
      vendor: 'openai',
      model: 'gpt-4.1',
      ...(streamed ? streamedAnswer : wholeAnswer),
      connections: 32,
      direct: { path: '/v1/chat/completions', headers: json, body },
      gateway: { path: '/v1/chat/completions', headers: byKey, body },
    };
  };
  return [
    native('native, 0.5 KB, whole', filler(450), false),
    native('native, 100 KB, whole', filler(100_000), false),
    native('native, 200 events', prompt, true),
    {
      name: 'chat-completions to anthropic, 200 events',
      format: 'chat-completions',
      spoken: 'messages',
      streamed: true,
      vendor: 'anthropic',
      model: 'claude-sonnet-4-5',
      ...streamedAnswer,
      connections: 32,
      direct: { path: '/v1/messages', headers: json, body: message('claude-sonnet-4-5', prompt) },
      gateway: {
        path: '/v1/chat/completions',
        headers: byKey,
        body: chat('anthropic/claude-sonnet-4-5', prompt, true),
      },
    },
    {
      name: 'chat-completions to google, 200 events',
      format: 'chat-completions',
      spoken: 'generate-content',
      streamed: true,
      vendor: 'google',
      model: 'gemini-2.5-flash',
      ...streamedAnswer,
      connections: 32,
      direct: {
        path: '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse',
        headers: json,
        body: contents(prompt),
      },
      gateway: {
        path: '/v1/chat/completions',
        headers: byKey,
        body: chat('google/gemini-2.5-flash', prompt, true),
      },
    },
    {
      name: 'messages to openai, 200 events',
      format: 'messages',
      spoken: 'chat-completions',
      streamed: true,
      vendor: 'messages',
      model: 'gpt-4.1',
      ...streamedAnswer,
      connections: 32,
      direct: { path: '/v1/chat/completions', headers: json, body: chat('gpt-4.1', prompt, true) },
      gateway: { path: '/v1/messages', headers: byKey, body: message('openai/gpt-4.1', prompt) },
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
export function translatedWhole(): readonly Scenario[] {
  return scenarios()
    .filter(({ name }) => name.includes(' to '))
    .map((scenario) => ({
      ...scenario,
      name: scenario.name.replace('200 events', '0.5 KB, whole'),
      streamed: false,
      gateway: unstreamed(scenario.gateway),
      direct: unstreamed(scenario.direct),
      expected: { text: SENTENCE, times: SENTENCES },
    }));
}
