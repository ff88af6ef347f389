/** A gateway in front of one scripted vendor: each test sets the vendor's answer, and sees what it was sent. */

import { afterAll, beforeAll, beforeEach, expect } from 'vitest';
import type { ConfigInput } from '../../src/config/schema.ts';
import { collect } from '../../src/conversation/collect.ts';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Reply } from '../../src/conversation/reply.ts';
import { formats } from '../../src/formats/formats.ts';
import { asObjects, isList, isObject, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { RULEBOOKS, validator } from '../../src/protocol/validate.ts';
import { decodeSse, type Sse, sseText } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { eventsOf, eventsOfWhole } from '../support/meaning.ts';
import { postJson } from '../support/post-json.ts';
import { type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';

/** Models of each kind of vendor. Gemini 2.5 thinks by a budget and takes no signatures; 3 by a level, and does. */
export const OPENAI = 'openai/gpt-4o';
export const CLAUDE = 'anthropic/claude-sonnet-4-5';
export const CLAUDE_ADAPTIVE = 'anthropic/claude-opus-4-7';
export const CLAUDE_OLD = 'anthropic/claude-sonnet-4-0';
export const GEMINI = 'google/gemini-2.5-flash';
export const GEMINI_3 = 'google/gemini-3-flash-preview';
export const DEEPSEEK = 'deepseek/deepseek-v4-pro';
/** A model that always thinks. */
export const KIMI = 'moonshotai/kimi-k3';
export const MINIMAX = 'minimax/minimax-m3';
export const CEREBRAS = 'cerebras/a-model';
export const GLM = 'z-ai/glm-5.2';
export const MUSE = 'meta/muse-spark-1.3';
export const LMSTUDIO = 'lmstudio/a-model';
export const VLLM = 'vllm/a-model';
export const OLLAMA = 'ollama/a-model';
export const THINKING = 'openrouter/a-thinking-model';
/** Gemini behind a router that speaks chat-completions. */
export const GEMINI_ROUTED = 'openrouter/gemini-3-flash-preview';
export const ALIBABA = 'alibaba/a-model';
export const ALIBABA_WORDS = 'alibaba/a-model-with-words';
/** A service that the gateway knows nothing about. */
export const QWEN = 'qwen/qwen3-max';
/** A service that speaks responses and nothing else. */
export const RESPONDER = 'responder/a-model';
/** A Gemini that accepts schemas only in the older OpenAPI subset. */
export const GEMINI_SUBSET = 'google/gemini-subset';

/** Formats whose callers reach every vendor. */
export const CALLERS = ['chat-completions', 'responses', 'messages'] as const satisfies readonly FormatName[];
export type Caller = (typeof CALLERS)[number];

const PATHS: Readonly<Record<Caller, string>> = {
  'chat-completions': '/v1/chat/completions',
  responses: '/v1/responses',
  messages: '/v1/messages',
};

const LEAST: Readonly<Record<Caller, JsonObject>> = {
  'chat-completions': { messages: [{ role: 'user', content: 'Hello?' }] },
  responses: { input: 'Hello?' },
  messages: { max_tokens: 4000, messages: [{ role: 'user', content: 'Hello?' }] },
};

/** What a vendor answers: the bytes of a body of this type. */
export interface Said {
  readonly type: string;
  readonly body: string | Uint8Array;
}

export type Both = Readonly<Record<'whole' | 'stream', Said>>;

export interface Whole {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: JsonObject;
  /** What a client of the format understands. */
  reply(): Reply;
}

export interface Streamed {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly events: readonly Sse[];
  /** The data of all events that are JSON. */
  readonly data: readonly JsonObject[];
  /** What a client of the format understands. @throws GatewayError if the stream reports a failure. */
  reply(): Reply;
}

export interface Door {
  url(): string;
  upstream(): TestUpstream;
  /** How the vendor answers every request from now on. */
  answers(said: Said | Respond): void;
  /** Asks for a whole answer; `more` extends the smallest possible request. A good answer must follow the protocol. */
  whole(from: Caller, model: string, more?: JsonObject): Promise<Whole>;
  /** Asks for a stream, which must follow the protocol, failures included. `heard` gets all text received so far. */
  stream(from: Caller, model: string, more?: JsonObject, heard?: (text: string) => void): Promise<Streamed>;
  /**
   * Asks for a stream, of which the vendor sends the beginning, and the rest once the caller has heard `word` of it: what
   * comes in one read counts as one. A further request of the gateway gets the same answer.
   */
  streamInTwo(
    from: Caller,
    model: string,
    word: string,
    answer: { readonly begun: string; readonly rest: string },
  ): Promise<Streamed>;
  /** The body of the last request to the vendor. */
  sent(): JsonObject;
  /** What the vendor of `model` is sent for a request. Its answer does not matter. */
  readonly sentFor: (from: Caller, model: string, more: JsonObject) => Promise<JsonObject>;
}

/** One gateway and one vendor for all tests of a file. */
export function useDoor(config: Omit<ConfigInput, 'vendors'> = {}): Door {
  let upstream: TestUpstream | undefined;
  let gateway: TestGateway | undefined;
  let respond: Respond;

  beforeAll(async () => {
    upstream = await startUpstream((received, response, request) => respond(received, response, request));
    gateway = await startGateway({ ...config, vendors: vendors(upstream.url), models: MODELS });
  });
  afterAll(async () => {
    await gateway?.close();
    await upstream?.close();
  });
  beforeEach(() => {
    if (upstream) upstream.received.length = 0;
    respond = (_, response) => response.writeHead(500).end();
  });

  const urlOf = (): string => given(gateway).url;
  const ask = async (from: Caller, body: JsonObject): Promise<Response> =>
    postJson(urlOf() + PATHS[from], body);

  const door: Door = {
    url: urlOf,
    upstream: () => given(upstream),
    answers(said) {
      respond =
        typeof said === 'function'
          ? said
          : (_, response) => response.writeHead(200, { 'content-type': said.type }).end(said.body);
    },
    async whole(from, model, more = {}) {
      const response = await ask(from, { model, ...LEAST[from], ...more });
      const text = await response.text();
      const json = objectOf(parseJson(text));
      if (response.ok) expect(RULEBOOKS[from].whole(json).violations, text).toEqual([]);
      return {
        status: response.status,
        headers: response.headers,
        text,
        json,
        reply: () => collect(eventsOfWhole(formats[from], text)),
      };
    },
    async stream(from, model, more = {}, heard = () => undefined) {
      const options = from === 'chat-completions' && { stream_options: { include_usage: true } };
      const body = { model, ...LEAST[from], stream: true, ...options, ...more };
      const response = await ask(from, body);
      let text = '';
      for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += piece;
        heard(text);
      }
      const events = run(decodeSse(), [new TextEncoder().encode(text)]);
      if (response.ok) {
        const usageAsked = [at(body, 'stream_options.include_usage'), at(body, 'usage.include')].includes(
          true,
        );
        const judge = validator(from, { usageAsked });
        for (const event of events) judge.add(event);
        expect(judge.end(), text).toEqual([]);
      }
      return {
        status: response.status,
        headers: response.headers,
        text,
        events,
        data: response.ok ? dataOf(events) : [],
        reply: () => collect(eventsOf(formats[from], new TextEncoder().encode(text))),
      };
    },
    streamInTwo(from, model, word, { begun, rest }) {
      const isHeard = Promise.withResolvers<void>();
      door.answers(async (_, response) => {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        response.write(begun);
        await isHeard.promise;
        response.end(rest);
      });
      return door.stream(from, model, {}, (text) => {
        if (text.includes(word)) isHeard.resolve();
      });
    },
    sent() {
      const last = given(upstream).received.at(-1);
      return objectOf(parseJson(given(last).body.toString('utf8')));
    },
    async sentFor(from, model, more) {
      door.answers((_, response) => response.writeHead(418).end('{}'));
      const { text } = await door.whole(from, model, more);
      expect(door.upstream().received.length, text).toBeGreaterThan(0);
      return door.sent();
    },
  };
  return door;
}

/** Services that speak chat-completions, each in its own way. */
const DIALECTS = [
  'alibaba',
  'cerebras',
  'deepseek',
  'fireworks',
  'lmstudio',
  'meta',
  'minimax',
  'moonshotai',
  'ollama',
  'openrouter',
  'vllm',
  'x-ai',
  'z-ai',
];

function vendors(url: string): NonNullable<ConfigInput['vendors']> {
  return {
    ...vendorsAtUrl(url),
    ...Object.fromEntries(
      DIALECTS.map((name) => [name, { baseUrl: `${url}/v1`, apiKey: `vendor-key-${name}` }]),
    ),
    responder: { baseUrl: `${url}/v1`, apiKey: 'vendor-key-responder', formats: ['responses'] },
  };
}

const MODEL = {
  created: 1_700_000_000,
  contextWindow: 128_000,
  maxOutputTokens: 32_000,
  prices: { input: 1, output: 2 },
};

const MODELS: NonNullable<ConfigInput['models']> = [
  { ...MODEL, id: RESPONDER, name: 'A model' },
  { ...MODEL, id: 'openrouter/a-model', name: 'A model behind a router' },
  { ...MODEL, id: THINKING, name: 'A model behind a router that cannot but think' },
  { ...MODEL, id: GEMINI_ROUTED, name: 'A Gemini behind a router' },
  { ...MODEL, id: OLLAMA, name: 'A model in Ollama that does not think' },
  { ...MODEL, id: 'ollama/another-model', name: 'A model in Ollama' },
  { ...MODEL, id: 'fireworks/a-model', name: 'A model at Fireworks' },
  { ...MODEL, id: CEREBRAS, name: 'A model at Cerebras' },
  { ...MODEL, id: LMSTUDIO, name: 'A model in LM Studio' },
  { ...MODEL, id: VLLM, name: 'A model in vLLM' },
  { ...MODEL, id: ALIBABA, name: 'A Qwen that thinks unasked' },
  {
    ...MODEL,
    id: ALIBABA_WORDS,
    name: 'A Qwen with words for it',
    thinking: { kinds: ['effort'], efforts: ['low', 'medium', 'xhigh'], canDisable: true },
  },
  { ...MODEL, id: GEMINI_SUBSET, name: 'A Gemini of old', dialect: 'openapi-schema' },
];

function dataOf(events: readonly Sse[]): readonly JsonObject[] {
  return events.filter(({ data }) => data !== '[DONE]').map(({ data }) => objectOf(parseJson(data)));
}

function given<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('There is none yet.');
  return value;
}

function objectOf(value: Json): JsonObject {
  if (!isObject(value)) throw new TypeError(`This is no JSON object: ${JSON.stringify(value)}`);
  return value;
}

/** The value at a dotted path; undefined where there is none. */
export function at(value: Json | undefined, path: string): Json | undefined {
  let found: Json | undefined = value;
  for (const step of path.split('.')) {
    if (isList(found)) found = found.at(Number(step));
    else if (isObject(found)) found = found[step];
    else return undefined;
  }
  return found;
}

/** The objects in the list at a dotted path. */
export function listAt(value: Json | undefined, path: string): readonly JsonObject[] {
  const found = at(value, path);
  if (!isList(found)) throw new TypeError(`There is no list at ${path} of ${JSON.stringify(value)}`);
  return found.map(objectOf);
}

const STREAM = 'text/event-stream';

/** A vendor's whole answer. */
export function json(body: JsonObject): Said {
  return { type: 'application/json', body: JSON.stringify(body) };
}

/** Chunks as OpenAI and compatible services stream them. */
export function chatStream(...chunks: readonly JsonObject[]): Said {
  const datas = [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'];
  return { type: STREAM, body: datas.map((data) => sseText({ data })).join('') };
}

/** A chunk of one choice. */
export function chunk(delta: JsonObject, finish: string | null = null, more: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'm',
    choices: [{ index: 0, delta, finish_reason: finish }],
    ...more,
  };
}

/** A whole chat completion of one choice. */
export function completion(message: JsonObject, finish: string, more: JsonObject = {}): JsonObject {
  return {
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'm',
    choices: [{ index: 0, message: { role: 'assistant', ...message }, finish_reason: finish }],
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
    ...more,
  };
}

/** Chunks as Gemini streams them. */
export function geminiStream(...chunks: readonly JsonObject[]): Said {
  return { type: STREAM, body: chunks.map((data) => `data: ${JSON.stringify(data)}\r\n\r\n`).join('') };
}

/** An answer of Gemini with one candidate, whole or a chunk of it. */
export function gemini(
  parts: readonly JsonObject[],
  finish?: string,
  usage: JsonObject = { promptTokenCount: 7, candidatesTokenCount: 5, totalTokenCount: 12 },
): JsonObject {
  return {
    candidates: [
      {
        content: { parts, role: 'model' },
        ...(finish !== undefined && { finishReason: finish }),
        index: 0,
      },
    ],
    usageMetadata: usage,
    modelVersion: 'gemini-m',
    responseId: 'resp1',
  };
}

/** Events as Anthropic streams them, each named as its `type`. */
export function namedStream(...events: readonly JsonObject[]): Said {
  return {
    type: STREAM,
    body: events.map((data) => sseText({ event: String(data['type']), data: JSON.stringify(data) })).join(''),
  };
}

/** Anthropic's stream of an answer with these blocks, each given by its start and its deltas. */
export function claudeStream(
  blocks: readonly (readonly [start: JsonObject, ...deltas: JsonObject[]])[],
  stop: string,
  usage: JsonObject = { output_tokens: 5 },
): Said {
  return namedStream(
    { type: 'message_start', message: claudeMessage([], null, { input_tokens: 7, output_tokens: 1 }) },
    ...blocks.flatMap(([start, ...deltas], index) => [
      { type: 'content_block_start', index, content_block: start },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: stop, stop_sequence: null }, usage },
    { type: 'message_stop' },
  );
}

/** A whole message of Anthropic. */
export function claudeMessage(
  content: readonly JsonObject[],
  stop: string | null,
  usage: JsonObject = { input_tokens: 7, output_tokens: 5 },
): JsonObject {
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'claude-m',
    content,
    stop_reason: stop,
    stop_sequence: null,
    usage,
  };
}

/** A function for requests, as each kind of caller declares it. */
export function tool(from: Caller, name: string, parameters: JsonObject): JsonObject {
  switch (from) {
    case 'chat-completions':
      return { type: 'function', function: { name, parameters } };
    case 'responses':
      return { type: 'function', name, parameters, strict: false };
    case 'messages':
      return { name, input_schema: parameters };
  }
}

/** A function with one string parameter. */
export function cityTool(from: Caller, name = 'get_weather'): JsonObject {
  return tool(from, name, { type: 'object', properties: { city: { type: 'string' } } });
}

/** An answer of Gemini with these parts: whole, and streamed part by part. */
export function geminiBoth(parts: readonly JsonObject[]): Both {
  return {
    whole: json(gemini(parts, 'STOP')),
    stream: geminiStream(...parts.map((part) => gemini([part])), gemini([], 'STOP')),
  };
}

/** Blocks of Claude, whole and streamed. */
export function claudeBoth(blocks: readonly JsonObject[], stop: string): Both {
  return {
    whole: json(claudeMessage(blocks, stop)),
    stream: claudeStream(
      blocks.map((block): [JsonObject, ...JsonObject[]] => {
        switch (block['type']) {
          case 'thinking':
            return [
              { type: 'thinking', thinking: '', signature: '' },
              ...(block['thinking'] === ''
                ? []
                : [{ type: 'thinking_delta', thinking: block['thinking'] ?? '' }]),
              { type: 'signature_delta', signature: block['signature'] ?? '' },
            ];
          case 'text':
            return [
              { type: 'text', text: '' },
              { type: 'text_delta', text: block['text'] ?? '' },
              ...asObjects(block['citations']).map((citation) => ({ type: 'citations_delta', citation })),
            ];
          case 'tool_use':
            return [
              { ...block, input: {} },
              { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) },
            ];
          default:
            return [block];
        }
      }),
      stop,
    ),
  };
}
