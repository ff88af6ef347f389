/** Checklist, section 12: what keeps a silent stream open. */

import { setTimeout as sleep } from 'node:timers/promises';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { formats } from '../../src/formats/formats.ts';
import { asObject, asObjects, type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { validator } from '../../src/protocol/validate.ts';
import { decodeSse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { googleClient } from '../support/google-client.ts';
import { postJson } from '../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';
import {
  CALLERS,
  type Caller,
  CLAUDE,
  chatStream,
  chunk,
  claudeBoth,
  QWEN,
  type Said,
  useDoor,
} from './support.ts';

// The real settings, scaled down: how long a head is held back, and the silence before a ping.
const door = useDoor({ countTokens: { models: 'all' }, timeouts: { hold: 60, keepAlive: 30 } });
/** One that sends a sign of life only once. */
const terse = useDoor({ timeouts: { hold: 60, keepAlive: 60_000 } });
/** One that waits for the vendor's first byte as long as it takes. */
const patient = useDoor({ timeouts: { hold: 10_000, keepAlive: 30 } });

/** A comment, an empty text delta, a ping event, or an event that repeats that the answer is in progress. */
const PING = new RegExp(
  `(?<=^|\\n)(?:${[
    ': ping\\n',
    'data: \\{[^\\n]*"delta":\\{"content":""\\}[^\\n]*\\n\\n',
    'event: [a-z_.]+\\.delta\\ndata: \\{[^\\n]*"delta":""\\}\\n\\n',
    '(?<!event: response\\.created\\n[^\\n]*\\n\\n)event: response\\.in_progress\\n[^\\n]*\\n\\n',
    'event: ping\\ndata: \\{"type": ?"ping"\\}\\n\\n',
  ].join('|')})`,
);

const models: Readonly<Record<Caller, string>> = {
  'chat-completions': CLAUDE,
  responses: CLAUDE,
  messages: QWEN,
};
const answers: Readonly<Record<string, Said>> = {
  [CLAUDE]: claudeBoth([{ type: 'text', text: 'Yes.' }], 'end_turn').stream,
  [QWEN]: chatStream(chunk({ role: 'assistant', content: 'Yes.' }), chunk({}, 'stop'), {
    ...chunk({}),
    choices: [],
    usage: { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 },
  }),
};
const bodyFor = (from: Caller): string => String(answers[models[from]]?.body);

/** What a vendor waits for before it continues. */
type Silence = () => Promise<unknown>;

/** Longer than the head is held back, and than the silence before a ping. */
const aWhile: Silence = () => sleep(250);

/** What the caller has received so far. */
let heardSoFar = '';
beforeEach(() => {
  heardSoFar = '';
});
const heard = (text: string): void => {
  heardSoFar = text;
};
const pingsIn = (text: string): number => text.match(new RegExp(PING, 'g'))?.length ?? 0;

/** Waits until the caller has this many more pings: however slow the machine is, they came in this silence. */
const pinged =
  (more: number): Silence =>
  async () => {
    const before = pingsIn(heardSoFar);
    await expect.poll(() => pingsIn(heardSoFar)).toBeGreaterThanOrEqual(before + more);
  };

/** The vendor's head at once, and then these pieces of its body with silence before each. */
function slowly(pieces: readonly string[], at = door, silence = aWhile): void {
  at.answers(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const piece of pieces) {
      await silence();
      response.write(piece);
    }
    response.end();
  });
}

test.each(CALLERS)(
  'checklist 99: a vendor that is silent at first is bridged by pings (%s)',
  async (from) => {
    slowly([bodyFor(from)], door, pinged(2));
    const { text, reply } = await door.stream(from, models[from], {}, heard);
    expect(pingsIn(text.slice(0, text.indexOf('Yes.')))).toBeGreaterThanOrEqual(2);
    expect(reply().choices[0]?.parts).toMatchObject([{ text: 'Yes.' }]);
  },
);

/** A vendor that sends nothing for a while, not even a head, and then this. */
function withheld(status: number, type: string, body: string, silence = aWhile): void {
  door.answers(async (_, response) => {
    await silence();
    response.writeHead(status, { 'content-type': type }).end(body);
  });
}

test.each(CALLERS)('checklist 99: so is one that sends not even a head (%s)', async (from) => {
  withheld(200, 'text/event-stream', bodyFor(from), pinged(3));
  const { status, headers, reply } = await door.stream(from, models[from], {}, heard);
  expect(status).toBe(200);
  expect(headers.get('content-type')).toMatch(/^text\/event-stream/);
  expect(headers.get('x-request-id')).toMatch(/./);
  expect(reply().choices[0]?.parts).toMatchObject([{ text: 'Yes.' }]);
});

test('checklist 99: and one that gets a request again in the format of the caller', async () => {
  withheld(200, 'text/event-stream', String(answers[QWEN]?.body), pinged(3));
  const said = { messages: [], input: 'Hi' };
  const { reply } = await door.stream('chat-completions', QWEN, said, heard);
  expect(reply().choices[0]?.parts).toMatchObject([{ text: 'Yes.' }]);
});

test('checklist 99: whose answer may be long', async () => {
  const pieces = Array.from({ length: 200 }, (_, at) => chunk({ content: `<${at}>`.padEnd(50_000, '.') }));
  withheld(200, 'text/event-stream', String(chatStream(...pieces, chunk({}, 'stop')).body), pinged(1));
  const { text } = await door.stream('messages', QWEN, {}, heard);
  expect([...text.matchAll(/<(\d+)>/g)].map(([, at]) => Number(at))).toEqual([...pieces.keys()]);
});

/** The head of a stream whose body is still arriving. */
function streamed(from: Caller, at = door, signal?: AbortSignal): Promise<Response> {
  const paths = {
    'chat-completions': '/v1/chat/completions',
    responses: '/v1/responses',
    messages: '/v1/messages',
  };
  const said =
    from === 'responses' ? { input: 'Hi' } : { max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
  return fetch(at.url() + paths[from], {
    method: 'POST',
    body: JSON.stringify({ model: models[from], stream: true, ...said }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
    ...(signal && { signal }),
  });
}

test.each(CALLERS)('checklist 99: which gets its head and a ping as soon as it begins (%s)', async (from) => {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  terse.answers((_, response) => {
    void begun.then(() => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).end(bodyFor(from));
    });
  });
  const response = await streamed(from, terse);
  const pieces = response.body?.pipeThrough(new TextDecoderStream()).values();
  expect((await pieces?.next())?.value).toMatch(PING);
  begin();
  expect((await Array.fromAsync(pieces ?? [])).join('')).toContain('Yes.');
});

const refusal = '{"type":"error","error":{"type":"rate_limit_error","message":"Too many"}}';

test.each(CALLERS)('checklist 99: whose failure is then reported in the stream (%s)', async (from) => {
  withheld(429, 'application/json', refusal, pinged(1));
  const { status, text, reply } = await door.stream(from, models[from], {}, heard);
  expect(status).toBe(200);
  expect(text).toContain('Too many');
  expect(() => reply()).toThrow();
});

test.each(CALLERS)('checklist 99: but a whole answer keeps its status, however late (%s)', async (from) => {
  withheld(429, 'application/json', refusal);
  expect((await door.whole(from, models[from])).status).toBe(429);
});

test.each([
  ['/v1/messages/count_tokens', { messages: [{ role: 'user', content: 'Hi' }] }],
  ['/v1/responses/input_tokens', { input: 'Hi' }],
])(
  'checklist 99: and a token count is not a stream, even if its body asks for one (%s)',
  async (path, said) => {
    withheld(200, 'application/json', '{"totalTokens":7}');
    const response = await postJson(door.url() + path, {
      model: 'google/gemini-2.5-flash',
      stream: true,
      ...said,
    });
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toMatchObject({ input_tokens: 7 });
    expect(door.upstream().received[0]?.headers['accept']).not.toBe('text/event-stream');
  },
);

test.each(CALLERS)(
  'checklist 99, 105: a caller who leaves meanwhile aborts the request to the vendor (%s)',
  async (from) => {
    const closed = door.upstream().closed();
    door.answers(() => undefined);
    const client = new AbortController();
    const response = await streamed(from, door, client.signal);
    expect(response.status).toBe(200);
    client.abort();
    await closed;
    await expect(response.text()).rejects.toThrow();
  },
);

test.each(Object.values(formats))('checklist 100: the ping of $name is not an event', ({ name, inbound }) => {
  const real = 'data: {"a":1}\n\n';
  const around = new TextEncoder().encode(real + inbound.ping + inbound.ping + real);
  const datas = run(decodeSse(), [around]).map(({ data }) => data);
  const nothing = { candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, index: 0 }] };
  const told: Partial<Record<FormatName, object>> = {
    messages: { type: 'ping' },
    'generate-content': nothing,
  };
  const ping = told[name];
  const pings = ping === undefined ? [] : [ping, ping];
  expect(datas.map(parseJson)).toEqual([{ a: 1 }, ...pings, { a: 1 }]);
});

// As openai-go before 3.43 does: each empty line ends an event, whether there is any data or not.
test.each([formats['chat-completions'], formats.responses])(
  'checklist 100: nor does the ping of $name end one that has no data',
  ({ inbound }) => {
    const lines = `data: {"a":1}\n\n${inbound.ping}${inbound.ping}data: {"a":2}\n\n`.split('\n');
    const events: string[] = [];
    let data = '';
    for (const line of lines.slice(0, -1)) {
      if (line.startsWith('data: ')) data += line.slice('data: '.length);
      if (line !== '') continue;
      events.push(data);
      data = '';
    }
    expect(events).toEqual(['{"a":1}', '{"a":2}']);
  },
);

// As many programs without an SDK do: what does not begin with data is not an event, even if data follows a comment.
test.each([
  ['a text', { type: 'text', text: 'Yes, and no.' }, { content: 'Yes, and no.' }],
  [
    'a call',
    { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 'Yes, and no.' } },
    { call: '{"a":"Yes, and no."}' },
  ],
  [
    'a thought',
    { type: 'thinking', thinking: 'Yes, and no.', signature: 'c2ln' },
    { thought: 'Yes, and no.' },
  ],
])(
  'checklist 100: nor does it hide the next event from clients that split at empty lines: %s',
  async (_, block, said) => {
    const body = String(claudeBoth([block], 'end_turn').stream.body);
    const cut = body.lastIndexOf('event: content_block_delta', body.indexOf('and no.'));
    let goOn: (() => void) | undefined;
    door.answers((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(body.slice(0, cut));
      goOn = () => response.end(body.slice(cut));
    });
    const response = await streamed('chat-completions');
    const decoder = new TextDecoder();
    let text = '';
    let silent = 0;
    for await (const piece of response.body ?? []) {
      text += decoder.decode(piece, { stream: true });
      // Before this come the vendor's events and some pings.
      silent += 1;
      if (silent === 4) goOn?.();
    }
    const deltas = text
      .split('\n\n')
      .filter((one) => one.startsWith('data: {'))
      .map((one) =>
        asObject(asObjects(asObject(parseJson(one.slice('data: '.length)))?.['choices'])[0]?.['delta']),
      );
    const joined = (of: (delta: JsonObject) => Json | undefined) =>
      deltas.map((delta) => of(delta ?? {}) ?? '').join('');
    expect({
      content: joined(({ content }) => content),
      thought: joined(({ reasoning_content }) => reasoning_content),
      call: joined(({ tool_calls }) => asObject(asObjects(tool_calls)[0]?.['function'])?.['arguments']),
    }).toEqual({ content: '', thought: '', call: '', ...said });
  },
);

// As Codex does: it waits five minutes for an event, and a comment is not an event (openai/codex#31539).
test.each<[where: string, before: string, block: JsonObject]>([
  ['before the vendor has said anything', 'event: message_start', { type: 'text', text: 'Yes.' }],
  ['before anything is said', 'event: content_block_start', { type: 'text', text: 'Yes.' }],
  [
    'in a thought that is not shown',
    'signature_delta',
    { type: 'thinking', thinking: '', signature: 'c2ln' },
  ],
  ['in a thought', 'Hm.', { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' }],
  ['in a text', 'Yes.', { type: 'text', text: 'Yes.' }],
  ['behind a text', 'event: message_delta', { type: 'text', text: 'Yes.' }],
  ['in a call', '{\\"a\\":', { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } }],
])(
  'checklist 100: it resets the timeout of a client that waits for events of a response: %s',
  async (_, before, block) => {
    const body = String(claudeBoth([block], 'end_turn').stream.body);
    const at = body.indexOf(before);
    const cut = before.startsWith('event: ') ? at : body.lastIndexOf('event: ', at);
    let goOn: (() => void) | undefined;
    door.answers((_received, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      response.write(body.slice(0, cut));
      goOn = () => response.end(body.slice(cut));
    });
    const client = new OpenAI({ baseURL: `${door.url()}/v1`, apiKey: KEY, maxRetries: 0 });
    const stream = client.responses.stream({ model: CLAUDE, input: 'Hi' });
    const judge = validator('responses');
    let heard = 0;
    for await (const event of stream) {
      judge.add({ event: event.type, data: JSON.stringify(event) });
      heard += 1;
      // More than the vendor has sent in total.
      if (heard === 12) goOn?.();
    }
    expect(judge.end()).toEqual([]);
    const { output } = await stream.finalResponse();
    door.answers(claudeBoth([block], 'end_turn').whole);
    const { json } = await door.whole('responses', CLAUDE);
    expect(output.map((item) => ({ ...item, id: '' }))).toMatchObject(
      asObjects(json['output']).map((item) => ({ ...item, id: '' })),
    );
  },
);

// As Google's SDKs for Python and Go do: every line that is not empty must be data.
test('checklist 100: the ping of generate-content has no line but data', () => {
  const lines = formats['generate-content'].inbound.ping.split('\n').filter((line) => line !== '');
  expect(lines.map((line) => line.startsWith('data: '))).toEqual([true]);
});

describe('checklist 101: if Gemini is served by another service', () => {
  let upstream: TestUpstream | undefined;
  let gateway: TestGateway | undefined;
  afterEach(async () => {
    await gateway?.close();
    await upstream?.close();
  });

  test('checklist 101: Google, whose chat remembers what was said between pings', async () => {
    const pieces = bodyFor('messages').split(/(?<=\n\n)/);
    const texts: (string | undefined)[] = [];
    upstream = await startUpstream(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
      for (const piece of pieces) {
        const before = texts.length;
        await expect.poll(() => texts.slice(before)).toContain('');
        response.write(piece);
      }
      response.end();
    });
    gateway = await startGateway({
      timeouts: { hold: 60, keepAlive: 30 },
      vendors: {
        google: { baseUrl: `${upstream.url}/v1`, apiKey: 'vendor-key', formats: ['chat-completions'] },
      },
    });
    const client = googleClient(gateway.url);
    const chat = client.chats.create({ model: 'gemini-2.5-flash' });
    for await (const part of await chat.sendMessageStream({ message: 'Hi' })) texts.push(part.text);
    expect(texts.join('')).toBe('Yes.');
    const said = chat.getHistory().flatMap(({ parts }) => parts?.map(({ text }) => text));
    expect(said.join('')).toBe('HiYes.');
  });
});

describe("checklist 101: the vendors' own SDKs are not disturbed", () => {
  test('checklist 101: OpenAI, chat and responses', async () => {
    const client = new OpenAI({ baseURL: `${door.url()}/v1`, apiKey: KEY, maxRetries: 0 });
    const half = Math.floor(bodyFor('responses').length / 2);
    const pieces = [bodyFor('responses').slice(0, half), bodyFor('responses').slice(half)];
    slowly(pieces);
    const chat = await client.chat.completions.create({
      model: CLAUDE,
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
    });
    let text = '';
    for await (const part of chat) text += part.choices[0]?.delta.content ?? '';
    expect(text).toBe('Yes.');
    slowly(pieces);
    const response = await client.responses.stream({ model: CLAUDE, input: 'Hi' }).finalResponse();
    expect(response.output_text).toBe('Yes.');
  });

  test('checklist 101: Anthropic, whose pings are events', async () => {
    const client = new Anthropic({ baseURL: door.url(), apiKey: KEY, maxRetries: 0 });
    slowly([bodyFor('messages')]);
    const stream = client.messages.stream({
      model: QWEN,
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
    });
    expect((await stream.finalMessage()).content).toMatchObject([{ type: 'text', text: 'Yes.' }]);
    slowly([bodyFor('messages')], door, pinged(1));
    await door.stream('messages', QWEN, {}, heard);
    expect(heardSoFar).toContain('event: ping\n');
  });
});

test.each(CALLERS)(
  'checklist 102: pings come between events, wherever the vendor pauses (%s)',
  async (from) => {
    const body = bodyFor(from);
    const third = Math.floor(body.length / 3);
    slowly([body.slice(0, third), body.slice(third, 2 * third), body.slice(2 * third)], door, pinged(1));
    const { reply } = await door.stream(from, models[from], {}, heard);
    expect(reply().choices[0]?.parts).toMatchObject([{ text: 'Yes.' }]);
  },
);

/** Timers that keep the process alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

test.each<[when: string, begin: () => void]>([
  ['of a vendor that is silent at first', () => slowly([bodyFor('messages')])],
  ['of one that keeps its head back', () => withheld(200, 'text/event-stream', bodyFor('messages'))],
  ['that fails', () => withheld(429, 'application/json', refusal)],
])('checklist 102: nothing of it goes on when the stream %s is over', async (_, begin) => {
  const before = timers();
  begin();
  await Promise.all(Array.from({ length: 10 }, () => door.stream('messages', QWEN)));
  await expect.poll(timers).toBeLessThan(before + 10);
});

describe('checklist 103: a failure has its own status as long as the head is held back', () => {
  const failure = 'data: {"error":{"code":429,"message":"Too many","status":"RESOURCE_EXHAUSTED"}}\r\n\r\n';

  test.each(CALLERS)('checklist 103: before that time is over (%s)', async (from) => {
    slowly([failure], patient);
    const { status, headers } = await patient.stream(from, 'google/gemini-2.5-flash');
    expect(status).toBe(429);
    expect(headers.get('content-type')).toBe('application/json');
  });

  test.each(CALLERS)('checklist 103: after it, an event (%s)', async (from) => {
    slowly([failure], door, pinged(1));
    const { status, text } = await door.stream(from, 'google/gemini-2.5-flash', {}, heard);
    expect(status).toBe(200);
    expect(text).toContain('Too many');
  });
});
