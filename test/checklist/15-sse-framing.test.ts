/** Checklist, section 15: how events are cut into bytes. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { collect } from '../../src/conversation/collect.ts';
import { formats } from '../../src/formats/formats.ts';
import { decodeSse, type Sse } from '../../src/streams/sse.ts';
import { run } from '../../src/streams/step.ts';
import { KEY } from '../support/gateway.ts';
import { eventsOf, meaningOf } from '../support/meaning.ts';
import { postJson } from '../support/post-json.ts';
import { FIXTURES } from '../support/recording.ts';
import {
  CALLERS,
  type Caller,
  CLAUDE,
  chatStream,
  chunk,
  claudeBoth,
  GEMINI,
  gemini,
  geminiStream,
  QWEN,
  useDoor,
} from './support.ts';

const door = useDoor();
const utf8 = new TextEncoder();

const TEXT = 'Ü 漢字 👩‍👩‍👧 é\u2028 \\n "quoted"';
const streams = [
  ['chat-completions', QWEN, String(chatStream(chunk({ content: TEXT }), chunk({}, 'stop')).body)],
  ['messages', CLAUDE, String(claudeBoth([{ type: 'text', text: TEXT }], 'end_turn').stream.body)],
  ['generate-content', GEMINI, String(geminiStream(gemini([{ text: TEXT }], 'STOP')).body)],
] as const;

const decoded = (...chunks: readonly Uint8Array[]): readonly Sse[] => run(decodeSse(), chunks);

describe.each(streams)('%s', (name, model, body) => {
  const bytes = utf8.encode(body);
  const callers = CALLERS.filter((from) => from !== name);

  test('checklist 118: a stream cut in two at any byte is the same stream', () => {
    const whole = eventsOf(formats[name], bytes);
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(decoded(bytes.subarray(0, cut), bytes.subarray(cut))).toEqual(decoded(bytes));
    }
    expect(eventsOf(formats[name], bytes, 1)).toEqual(whole);
    expect(meaningOf(collect(whole)).text).toBe(TEXT);
  });

  test.each(callers)('checklist 118: byte by byte, through the gateway (%s)', async (from) => {
    door.answers((_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.socket?.setNoDelay(true);
      const next = (at: number): void => {
        if (at >= bytes.length) response.end();
        else response.write(bytes.subarray(at, at + 1), () => setImmediate(next, at + 1));
      };
      next(0);
    });
    expect(meaningOf((await door.stream(from, model)).reply()).text).toBe(TEXT);
  });

  test.each([
    ['LF', (text: string) => text.replaceAll('\r\n', '\n')],
    ['CRLF', (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\n', '\r\n')],
    ['CR', (text: string) => text.replaceAll('\r\n', '\n').replaceAll('\n', '\r')],
    ['no space after the colon', (text: string) => text.replaceAll('data: ', 'data:')],
    [
      'comments between',
      (text: string) => `: PROCESSING\n\n${text.replaceAll('\n\n', '\n\n: PROCESSING\n\n')}`,
    ],
    ['ids and retries', (text: string) => text.replaceAll('data: ', 'id: 7\nretry: 10\ndata: ')],
    ['an event of several data lines', (text: string) => text.replaceAll(/data: \{/g, 'data: {\ndata: ')],
    ['a byte order mark', (text: string) => `\uFEFF${text}`],
    ['no empty line at the end', (text: string) => text.trimEnd()],
  ])('checklist 120: line ends of services: %s', async (_, rewritten) => {
    const given = rewritten(body);
    for (const from of callers) {
      door.answers({ type: 'text/event-stream', body: given });
      expect(meaningOf((await door.stream(from, model)).reply()).text).toBe(TEXT);
    }
    expect(eventsOf(formats[name], utf8.encode(given), 1)).toEqual(eventsOf(formats[name], bytes));
  });
});

test('checklist 119: a CRLF cut in the middle is one line end', () => {
  const bytes = utf8.encode('event: a\r\ndata: 1\r\n\r\nevent: b\r\ndata: 2\r\n\r\n');
  for (let cut = 0; cut <= bytes.length; cut++) {
    for (let second = cut; second <= bytes.length; second++) {
      const events = decoded(bytes.subarray(0, cut), bytes.subarray(cut, second), bytes.subarray(second));
      expect(events.map(({ event, data }) => [event, data])).toEqual([
        ['a', '1'],
        ['b', '2'],
      ]);
    }
  }
});

/** Answers piece by piece, each only after the previous one has come out of the gateway. */
async function inTurn(
  from: Caller,
  model: string,
  pieces: readonly string[],
  words: readonly string[],
): Promise<void> {
  let more: (at: number) => void = () => {};
  door.answers((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    more = (at) => {
      const piece = pieces[at];
      if (piece === undefined) throw new RangeError('there is no such piece');
      if (at === pieces.length - 1) response.end(piece);
      else response.write(piece);
    };
    more(0);
  });
  const paths = {
    'chat-completions': '/v1/chat/completions',
    responses: '/v1/responses',
    messages: '/v1/messages',
  };
  const least =
    from === 'responses' ? { input: 'Hi' } : { max_tokens: 10, messages: [{ role: 'user', content: 'Hi' }] };
  const response = await postJson(door.url() + paths[from], { model, stream: true, ...least });
  const decoder = new TextDecoder();
  let text = '';
  let at = 0;
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true });
    // The vendor is silent until its last piece has arrived: if anything was held back, this would hang.
    for (let word = words[at]; word !== undefined && text.includes(word); word = words[at]) {
      at += 1;
      more(at);
    }
  }
  expect(at).toBe(words.length);
}

describe('checklist 121: every piece is passed on as soon as it arrives', () => {
  const words = ['alpha', 'beta', 'gamma'];
  test.each(CALLERS.filter((from) => from !== 'chat-completions'))(
    'checklist 121: chat-completions to %s',
    async (from) => {
      const events = words.map((content) => `data: ${JSON.stringify(chunk({ content }))}\n\n`);
      await inTurn(
        from,
        QWEN,
        [...events, `data: ${JSON.stringify(chunk({}, 'stop'))}\n\ndata: [DONE]\n\n`],
        words,
      );
    },
  );

  test.each(CALLERS)('checklist 121: generate-content to %s', async (from) => {
    const events = words.map((text) => `data: ${JSON.stringify(gemini([{ text }]))}\r\n\r\n`);
    await inTurn(from, GEMINI, [...events, `data: ${JSON.stringify(gemini([], 'STOP'))}\r\n\r\n`], words);
  });

  test.each(CALLERS.filter((from) => from !== 'messages'))('checklist 121: messages to %s', async (from) => {
    const body = String(
      claudeBoth(
        words.map((text) => ({ type: 'text', text })),
        'end_turn',
      ).stream.body,
    );
    const pieces = body.split(/(?<=\n\n)(?=event: content_block_stop)/);
    await inTurn(from, CLAUDE, pieces, words);
  });

  test('checklist 121: natively', async () => {
    const events = words.map((content) => `data: ${JSON.stringify(chunk({ content }))}\n\n`);
    await inTurn(
      'chat-completions',
      QWEN,
      [...events, `data: ${JSON.stringify(chunk({}, 'stop'))}\n\ndata: [DONE]\n\n`],
      words,
    );
  });
});

describe('checklist 122: Gemini with and without alt=sse', () => {
  test.each(CALLERS)(
    'checklist 122: the gateway asks for events, and understands a list too (%s)',
    async (from) => {
      const list = [gemini([{ text: 'Ye' }]), gemini([{ text: 's.' }], 'STOP')];
      door.answers({ type: 'application/json', body: JSON.stringify(list) });
      expect(meaningOf((await door.stream(from, GEMINI)).reply()).text).toBe('Yes.');
      expect(door.upstream().received[0]?.url).toMatch(/:streamGenerateContent\?alt=sse$/);
    },
  );

  test.each(['', '?alt=sse'])('checklist 122: a caller gets what it asked for: %j', async (query) => {
    const body = readFileSync(join(FIXTURES, 'replies/generate-content/plain-text.sse'));
    door.answers({ type: 'text/event-stream', body });
    const response = await fetch(
      `${door.url()}/v1beta/models/gemini-2.5-flash:streamGenerateContent${query}`,
      {
        method: 'POST',
        body: JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] }),
        headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
      },
    );
    expect(Buffer.from(await response.arrayBuffer())).toEqual(body);
    expect(door.upstream().received[0]?.url).toBe(
      `/v1beta/models/gemini-2.5-flash:streamGenerateContent${query}`,
    );
  });
});
