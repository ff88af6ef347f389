/** The ways through the gateway to a vendor, and the normal answers of a vendor of each format. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { formats } from '../../src/formats/formats.ts';
import { asObject, asText, isObject, tryParseJson } from '../../src/lib/json.ts';
import { decodeSse, type Sse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';
import { KEY } from '../support/gateway.ts';

export interface UpstreamWay {
  readonly name: string;
  /** The caller's format, and the vendor's. */
  readonly format: FormatName;
  readonly spoken: FormatName;
  readonly path: (stream: boolean) => string;
  readonly body: (stream: boolean) => string;
}

const chat = (model: string) => (stream: boolean) =>
  JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'Hello' }] });
const responses = (model: string) => (stream: boolean) => JSON.stringify({ model, stream, input: 'Hello' });
const messages = (model: string) => (stream: boolean) =>
  JSON.stringify({ model, stream, max_tokens: 99, messages: [{ role: 'user', content: 'Hello' }] });
const always = (path: string) => () => path;

export const native: readonly [UpstreamWay, ...UpstreamWay[]] = [
  {
    name: 'chat-completions, native',
    format: 'chat-completions',
    spoken: 'chat-completions',
    path: always('/v1/chat/completions'),
    body: chat('openai/gpt-4o'),
  },
  {
    name: 'responses, native',
    format: 'responses',
    spoken: 'responses',
    path: always('/v1/responses'),
    body: responses('openai/gpt-4o'),
  },
  {
    name: 'messages, native',
    format: 'messages',
    spoken: 'messages',
    path: always('/v1/messages'),
    body: messages('anthropic/claude-sonnet-4-5'),
  },
  {
    name: 'generate-content, native',
    format: 'generate-content',
    spoken: 'generate-content',
    path: (stream) =>
      `/v1beta/models/gemini-2.5-flash:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    body: () => JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] }),
  },
];

export const translated: readonly [UpstreamWay, ...UpstreamWay[]] = [
  {
    name: 'messages to chat-completions',
    format: 'messages',
    spoken: 'chat-completions',
    path: always('/v1/messages'),
    body: messages('openai/gpt-4o'),
  },
  {
    name: 'chat-completions to messages',
    format: 'chat-completions',
    spoken: 'messages',
    path: always('/v1/chat/completions'),
    body: chat('anthropic/claude-sonnet-4-5'),
  },
  {
    name: 'responses to generate-content',
    format: 'responses',
    spoken: 'generate-content',
    path: always('/v1/responses'),
    body: responses('google/gemini-2.5-flash'),
  },
  {
    name: 'messages to responses',
    format: 'messages',
    spoken: 'responses',
    path: always('/v1/messages'),
    body: messages('openai/gpt-5.1'),
  },
];

export const ways: readonly UpstreamWay[] = [...native, ...translated];

/** Posts the request of a way. */
export function ask(
  url: string,
  way: UpstreamWay,
  stream: boolean,
  init: RequestInit = {},
): Promise<Response> {
  const carrier =
    way.format === 'generate-content' ? { 'x-goog-api-key': KEY } : { authorization: `Bearer ${KEY}` };
  return fetch(url + way.path(stream), {
    method: 'POST',
    body: way.body(stream),
    ...init,
    headers: { 'content-type': 'application/json', ...carrier, ...init.headers },
  });
}

const FIXTURES = join(import.meta.dirname, '../../fixtures/replies');

/** A good answer of a vendor that speaks `format`. */
export function wholeAnswer(format: FormatName, name = 'plain-text'): string {
  return readFileSync(join(FIXTURES, format, `${name}.json`), 'utf8');
}

/** The same as a stream. */
export function streamedAnswer(format: FormatName, name = 'plain-text'): string {
  return readFileSync(join(FIXTURES, format, `${name}.sse`), 'utf8');
}

/** The events of a stream as text, each with its empty line. */
export function eventTexts(stream: string): readonly string[] {
  return stream.split(/(?<=\r?\n\r?\n)/);
}

/** What a caller read from a stream. */
export function eventsIn(text: string): readonly Sse[] {
  return run(decodeSse(), [Buffer.from(text)]);
}

/** The content, event by event, without what differs between two renderings of one answer. */
export function said(text: string): readonly string[] {
  return eventsIn(text).map(({ event, data }) => {
    const plain = data
      .replaceAll(/"(?:id|response_id|item_id|request_id|responseId)":"[^"]*"/g, '')
      .replaceAll(/"(?:created|created_at|completed_at)":\d+/g, '');
    return `${event ?? ''} ${plain}`;
  });
}

/** Whether an event is an error in the given format. */
export function isErrorEvent(format: FormatName, { event, data }: Sse): boolean {
  const body = tryParseJson(data);
  if (!isObject(body)) return false;
  const named = format === 'messages' || format === 'responses';
  if (named && (event !== 'error' || body['type'] !== 'error')) return false;
  return asText(asObject(body['error'])?.['message']) !== undefined;
}

/** Whether a stream says that its answer is finished, as its format does. */
export function isFinished(format: FormatName, text: string): boolean {
  return formats[format].outbound.marks.ending.test(text) && !/"error": ?[{"]|"type": ?"error"/.test(text);
}
