/**
 * Callers of all four formats before one scripted vendor, and what a plain client of each reads in the answers. The
 * reading is written apart from the gateway's own parsers.
 */

import type { ExchangeRecord } from '../../src/accounting/usage/exchange-record.ts';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/lib/json.ts';
import { KEY, startRecorded, vendorsAtUrl } from './gateway.ts';
import { type Received, startUpstream } from './upstream.ts';

/** Models of the vendors that speak each of the formats. */
export const MODELS = {
  'chat-completions': 'somebody/a-model',
  responses: 'responder/a-model',
  messages: 'anthropic/claude-sonnet-4-5',
  'generate-content': 'google/gemini-3-flash-preview',
} as const satisfies Record<FormatName, string>;

export const CALLERS: readonly FormatName[] = FORMAT_NAMES;

/** What a vendor answers: the body, of its own type. */
export type Said = JsonObject | readonly JsonObject[];

/** A call as the client reads it: the text of its arguments, or the object that stands for them. */
export interface ReadCall {
  readonly id: string;
  readonly name: string;
  readonly input: Json;
}

/** An answer as a client reads it. */
export interface Read {
  readonly text: string;
  readonly thoughts: string;
  readonly calls: readonly ReadCall[];
  readonly finish: string | undefined;
  readonly usage: JsonObject;
  readonly raw: string;
}

/** The names and the arguments of an answer's calls, however the client reads the arguments. */
export function namedInputs({ calls }: Read): readonly (readonly [name: string, input: Json])[] {
  return calls.map(({ name, input }) => [name, typeof input === 'string' ? parseJson(input) : input]);
}

export interface FourCallers {
  /** What the vendor answers from now on: a whole body, or the events of a stream. */
  answers(said: Said): void;
  /** The request of a caller, laid over the least there is. @throws Error unless the answer is 200. */
  ask(caller: FormatName, model: string, stream: boolean, more?: JsonObject): Promise<Read>;
  readonly records: readonly ExchangeRecord[];
  readonly received: readonly Received[];
  close(): Promise<void>;
}

const HELLO: Readonly<Record<FormatName, JsonObject>> = {
  'chat-completions': { messages: [{ role: 'user', content: 'Hello?' }] },
  responses: { input: 'Hello?' },
  messages: { max_tokens: 4000, messages: [{ role: 'user', content: 'Hello?' }] },
  'generate-content': { contents: [{ role: 'user', parts: [{ text: 'Hello?' }] }] },
};

/** A model of the configuration: a million tokens cost a dollar of input, and two of output. */
const MODEL = {
  created: 1_700_000_000,
  contextWindow: 128_000,
  maxOutputTokens: 32_000,
  prices: { input: 1, output: 2 },
};

/** Starts the vendor and the gateway before it. @param more further models, of `somebody` and the other vendors. */
export async function startFourCallers(...more: readonly string[]): Promise<FourCallers> {
  let said: Said = {};
  const upstream = await startUpstream((_, response) => {
    const answer = said;
    const isStream = isList(answer);
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.end(isStream ? streamOf(asObjects(answer)) : JSON.stringify(answer));
  });
  const chat = { baseUrl: `${upstream.url}/v1`, apiKey: 'a-key' };
  const models = [MODELS['chat-completions'], MODELS.responses, ...more].map((id) => ({
    ...MODEL,
    id,
    name: id,
  }));
  const gateway = await startRecorded({
    models,
    generateContent: { models: 'all' },
    vendors: {
      ...vendorsAtUrl(upstream.url),
      somebody: chat,
      responder: { ...chat, formats: ['responses'] },
    },
  });
  return {
    answers(next) {
      said = next;
    },
    async ask(caller, model, stream, fields = {}) {
      const response = await fetch(gateway.url + pathOf(caller, model, stream), {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          authorization: `Bearer ${KEY}`,
          'x-goog-api-key': KEY,
        },
        body: JSON.stringify({
          ...HELLO[caller],
          ...(caller !== 'generate-content' && { model, ...(stream && { stream }) }),
          ...(caller === 'chat-completions' && stream && { stream_options: { include_usage: true } }),
          ...fields,
        }),
      });
      const raw = await response.text();
      if (response.status !== 200) throw new Error(`${response.status}: ${raw}`);
      const datas = stream ? dataOf(raw) : [Object(parseJson(raw))];
      return { ...READ[caller](datas, stream), raw };
    },
    records: gateway.records,
    received: upstream.received,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

function pathOf(caller: FormatName, model: string, stream: boolean): string {
  switch (caller) {
    case 'chat-completions':
      return '/v1/chat/completions';
    case 'generate-content':
      return `/v1beta/models/${model.replace(/^google\//, '')}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`;
    default:
      return `/v1/${caller}`;
  }
}

/** Events as the vendors write them: named as their type, if they have one, and with `[DONE]` if they have none. */
function streamOf(events: readonly JsonObject[]): string {
  const lines = events.map((event) => {
    const name = asText(event['type']);
    return `${name === undefined ? '' : `event: ${name}\n`}data: ${JSON.stringify(event)}\n\n`;
  });
  return lines.join('') + (events.some(({ choices }) => choices !== undefined) ? 'data: [DONE]\n\n' : '');
}

function dataOf(raw: string): JsonObject[] {
  return raw
    .split(/\r?\n/)
    .filter((line) => line.startsWith('data:') && !line.includes('[DONE]'))
    .map((line) => Object(parseJson(line.slice('data:'.length))));
}

type Reader = (datas: readonly JsonObject[], stream: boolean) => Omit<Read, 'raw'>;

const READ: Readonly<Record<FormatName, Reader>> = {
  'chat-completions': readChat,
  responses: readResponse,
  messages: readMessage,
  'generate-content': readCandidates,
};

function readChat(datas: readonly JsonObject[]): Omit<Read, 'raw'> {
  const calls: { id: string; name: string; input: string }[] = [];
  let [text, thoughts] = ['', ''];
  let finish: string | undefined;
  for (const choice of datas.flatMap(({ choices }) => asObjects(choices))) {
    const message = asObject(choice['delta']) ?? asObject(choice['message']) ?? {};
    text += asText(message['content']) ?? '';
    thoughts += asText(message['reasoning_content']) ?? '';
    finish = asText(choice['finish_reason']) ?? finish;
    for (const [at, piece] of asObjects(message['tool_calls']).entries()) {
      const fn = asObject(piece['function']) ?? {};
      const index = asNumber(piece['index']) ?? at;
      const call = calls[index] ?? { id: '', name: '', input: '' };
      calls[index] = call;
      call.id ||= asText(piece['id']) ?? '';
      call.name ||= asText(fn['name']) ?? '';
      call.input += asText(fn['arguments']) ?? '';
    }
  }
  const usage = asObject(datas.findLast((data) => isObject(data['usage']))?.['usage']) ?? {};
  return { text, thoughts, calls, finish, usage };
}

function readResponse(datas: readonly JsonObject[], stream: boolean): Omit<Read, 'raw'> {
  const last = datas.at(-1) ?? {};
  const response = stream ? (asObject(last['response']) ?? {}) : last;
  const items = asObjects(response['output']);
  const textsIn = (type: string, list: string): string =>
    items
      .filter((item) => item['type'] === type)
      .flatMap((item) => asObjects(item[list]).map((part) => asText(part['text']) ?? ''))
      .join('');
  const calls = items.flatMap((item): ReadCall[] =>
    item['type'] === 'function_call'
      ? [{ id: `${item['call_id']}`, name: `${item['name']}`, input: item['arguments'] ?? null }]
      : [],
  );
  return {
    text: textsIn('message', 'content'),
    thoughts: textsIn('reasoning', 'summary') || textsIn('reasoning', 'content'),
    calls,
    finish: asText(asObject(response['incomplete_details'])?.['reason']) ?? asText(response['status']),
    usage: asObject(response['usage']) ?? {},
  };
}

function readMessage(datas: readonly JsonObject[], stream: boolean): Omit<Read, 'raw'> {
  const blocks: JsonObject[] = [];
  const inputs: string[] = [];
  let [finish, usage]: [string | undefined, JsonObject] = [undefined, {}];
  if (!stream) {
    blocks.push(...asObjects(datas[0]?.['content']));
    finish = asText(datas[0]?.['stop_reason']);
    usage = asObject(datas[0]?.['usage']) ?? {};
  }
  for (const data of stream ? datas : []) {
    const at = asNumber(data['index']) ?? -1;
    const delta = asObject(data['delta']) ?? {};
    if (data['type'] === 'content_block_start') blocks[at] = { ...asObject(data['content_block']) };
    const block = blocks[at];
    if (block && data['type'] === 'content_block_delta') {
      for (const field of ['text', 'thinking'] as const) {
        if (typeof delta[field] === 'string')
          blocks[at] = { ...block, [field]: `${block[field]}${delta[field]}` };
      }
      inputs[at] = (inputs[at] ?? '') + (asText(delta['partial_json']) ?? '');
    }
    if (data['type'] !== 'message_delta') continue;
    finish = asText(delta['stop_reason']);
    usage = asObject(data['usage']) ?? {};
  }
  const textsIn = (type: string): string =>
    blocks.map((block) => (block['type'] === type ? (asText(block[type]) ?? '') : '')).join('');
  const calls = blocks.flatMap((block, at): ReadCall[] =>
    block['type'] === 'tool_use'
      ? [
          {
            id: `${block['id']}`,
            name: `${block['name']}`,
            input: stream ? (inputs[at] ?? '') : (block['input'] ?? null),
          },
        ]
      : [],
  );
  return { text: textsIn('text'), thoughts: textsIn('thinking'), calls, finish, usage };
}

function readCandidates(datas: readonly JsonObject[]): Omit<Read, 'raw'> {
  const candidates = datas.flatMap((data) => asObjects(data['candidates']).slice(0, 1));
  const parts = candidates.flatMap((candidate) => asObjects(asObject(candidate['content'])?.['parts']));
  const textsOf = (thought: boolean): string =>
    parts
      .map((part) => ((part['thought'] === true) === thought ? (asText(part['text']) ?? '') : ''))
      .join('');
  const calls = parts.flatMap(({ functionCall }): ReadCall[] =>
    isObject(functionCall)
      ? [
          {
            id: asText(functionCall['id']) ?? '',
            name: `${functionCall['name']}`,
            input: functionCall['args'] ?? null,
          },
        ]
      : [],
  );
  return {
    text: textsOf(false),
    thoughts: textsOf(true),
    calls,
    finish: asText(candidates.at(-1)?.['finishReason']),
    usage: asObject(datas.findLast((data) => isObject(data['usageMetadata']))?.['usageMetadata']) ?? {},
  };
}
