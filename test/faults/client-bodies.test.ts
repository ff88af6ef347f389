/**
 * Malicious bodies: too large, too deep, too many values, ambiguous. They are refused before anything is built from
 * them.
 */

import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, test } from 'vitest';
import { KEY } from '../support/gateway.ts';
import { eventually, exchange, post, rawClient, statusOf } from '../support/raw.ts';
import { json } from '../support/upstream.ts';
import { alike, CANARY, costOf, requestOf, useStage, ways } from './stage.ts';

const MB = 1024 * 1024;

// glibc keeps freed memory below its largest block, up to 64 MB and with holes; so its thresholds are set as
// deploy/README.md says.
const env = { MALLOC_MMAP_THRESHOLD_: '131072', MALLOC_TRIM_THRESHOLD_: '131072' };
const stage = useStage({}, { env });
let idle: number;
beforeAll(async () => {
  // Memory that any work at all makes a process take is allocated before the measurement.
  for (let round = 0; round < 10; round++) {
    const asked = ways.flatMap((way) =>
      Array.from({ length: 10 }, () => send(way.path, requestOf(way, false))),
    );
    await Promise.all(asked);
  }
  idle = stage.gateway.memory();
});

const asked = () => stage.upstream.received.length;

const send = (
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(stage.gateway.url + path, {
    method: 'POST',
    body,
    headers: {
      authorization: `Bearer ${KEY}`,
      'content-type': 'application/json',
      connection: 'close',
      ...headers,
    },
  });

/**
 * Expects that a body is refused with a status and a message, without asking a vendor, showing the body, or taking
 * long.
 */
async function expectRefused(
  path: string,
  body: string | Uint8Array<ArrayBuffer>,
  status: number,
  message: RegExp,
  headers: Record<string, string> = {},
): Promise<void> {
  const before = asked();
  const response = await send(path, body, headers);
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(JSON.parse(text).error.message).toMatch(message);
  expect(text).not.toContain(CANARY);
  expect(asked()).toBe(before);
}

describe.each(ways)('$way', ({ path, model }) => {
  const with_ = (fields: string): string => `{"model":"${model}","max_tokens":9,${fields}}`;

  test.each([
    ['text/plain'],
    ['multipart/form-data; boundary=x'],
    ['application/x-www-form-urlencoded'],
    ['application/jsonp'],
    ['application/json2'],
    ['text/json'],
    ['application/json, text/plain'],
    ['text/plain, application/json'],
    ['application/json,'],
    [`application/${'a+'.repeat(100)}`],
  ])('C-12 content type %s: 415, unread', async (type) => {
    await expectRefused(path, requestOf({ model }, false), 415, /application\/json/, {
      'content-type': type,
    });
  });

  test.each([
    'application/json',
    'application/json; charset=utf-8',
    'application/json, application/json',
    'application/json; charset=utf-8,application/json',
    'APPLICATION/JSON',
    'application/vnd.api+json',
    'application/json;charset="utf-8"',
    'application/problem+json ; x=y',
  ])('C-12 content type %s is JSON', async (type) => {
    const before = asked();
    await send(path, requestOf({ model }, false), { 'content-type': type });
    expect(asked()).toBe(before + 1);
  });

  test('C-12 without a content type, a JSON object is accepted', async () => {
    const before = asked();
    const request = post(path, requestOf({ model }, false), ['Connection: close']);
    await exchange(stage.gateway.port, request.replace('Content-Type: application/json\r\n', ''));
    expect(asked()).toBe(before + 1);
    const form = post(path, 'model=x', ['Connection: close']).replace(
      'Content-Type: application/json\r\n',
      '',
    );
    expect(statusOf(await exchange(stage.gateway.port, form))).toBe(400);
  });

  test.each([
    ['a million lists', '['.repeat(1_000_000)],
    ['a million objects', '{"a":'.repeat(1_000_000)],
    ['10,000 closed lists', `{"x":${'['.repeat(10_000)}${']'.repeat(10_000)}}`],
    ['100,000 closed objects', with_(`"x":${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`)],
    [
      'lists in a tool schema',
      with_(`"tools":[{"parameters":${'{"items":'.repeat(200)}{}${'}'.repeat(200)}}]`),
    ],
  ])('C-13 nested %s: refused before they are parsed', async (_, body) => {
    const plain = await costOf(stage, () => send(path, with_(`"x":"${'a'.repeat(body.length)}"`)));
    const cost = await costOf(stage, () =>
      expectRefused(path, body, 400, /nested deeper than 128|not a valid JSON object/),
    );
    expect(cost).toBeLessThan(alike(plain));
  });

  test.each([
    ['objects', with_(`"x":[${'{},'.repeat((10 * MB) / 3)}{}]`)],
    ['numbers', with_(`"x":[${'1,'.repeat((10 * MB) / 2)}1]`)],
    ['keys', with_(`"x":{${Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join()}}`)],
    ['top-level keys', with_(Array.from({ length: 300_000 }, (_, at) => `"k${at}":1`).join())],
    ['messages', with_(`"messages":[${'{"role":"user","content":"x"},'.repeat(200_000)}{}]`)],
  ])('C-14 too many %s: refused before they are parsed', async (_, body) => {
    const before = stage.gateway.memory();
    await expectRefused(path, body, 400, /more than 500000 JSON tokens/);
    // The body itself, and at most one copy of it.
    expect(stage.gateway.memory() - before).toBeLessThan(96 * MB);
  });

  test.each(['', ' \n'])('C-15 no body: %j', async (body) => {
    await expectRefused(path, body, 400, /The request has no body\./);
  });

  test.each([
    'null',
    'true',
    '0',
    '[]',
    `[{"model":"${model}"}]`,
    `"${CANARY}"`,
    'NaN',
    '{',
    '{}}',
    '{"a":1,}x',
    `{model:"${CANARY}"}`,
    `{'model':'${CANARY}'}`,
    `${requestOf({ model }, false)}{}`,
    requestOf({ model }, false).slice(0, -1),
    `${requestOf({ model }, false)}\0`,
    '// comment\n{}',
    '{"a":undefined}',
  ])('C-15 no closed JSON object, or one without a model: %s', async (body) => {
    await expectRefused(path, body, 400, /JSON object|model: Field required/);
  });

  test.each([
    ['a byte that never occurs', [0xff]],
    ['a lone continuation', [0x80]],
    ['cut short', [0xe2, 0x82]],
    ['overlong', [0xc0, 0xaf]],
    ['a surrogate', [0xed, 0xa0, 0x80]],
    ['beyond Unicode', [0xf5, 0x80, 0x80, 0x80]],
  ])('C-16 bytes that are not UTF-8 are refused: %s', async (_, bytes) => {
    const [start = '', end = ''] = with_('"x":"HERE"').split('HERE');
    const body = Buffer.concat([Buffer.from(start), Buffer.from(bytes), Buffer.from(end)]);
    await expectRefused(path, new Uint8Array(body), 400, /UTF-8/);
  });

  test('C-17 a byte order mark before the object is skipped', async () => {
    stage.respondWith((_, response) => json(response, {}));
    const before = stage.upstream.received.length;
    await send(path, `\ufeff${requestOf({ model }, false)}`);
    expect(stage.upstream.received[before]?.body.toString()).toMatch(/^\{/);
  });

  test.each(['model', 'stream', 'messages', 'x', '__proto__', 'mod\\u0065l'])(
    'C-18 the key %s twice is refused, in either order',
    async (key) => {
      const other = key === 'mod\\u0065l' ? 'model' : key;
      for (const [first, second] of [
        [key, other],
        [other, key],
      ]) {
        await expectRefused(path, `{"${first}":"${model}","y":1,"${second}":"gpt-4o-mini"}`, 400, /twice/);
      }
    },
  );

  const messages = (count: number): string =>
    `"messages":[${Array(count).fill('{"role":"user","content":"x"}').join()}]`;
  const tools = (count: number): string =>
    `"messages":[],"tools":[${Array.from({ length: count }, (_, at) => `{"type":"function","function":{"name":"f${at}"}}`).join()}]`;

  test.each([
    ['100,000 messages', messages, 100_000],
    ['90,000 messages, as many as may be', messages, 90_000],
    ['10,000 tools', tools, 10_000],
  ])('C-21 %s: accepted or refused, and the cost is linear in their number', async (_, fields, count) => {
    const take = async (many: number): Promise<void> => {
      const answered = send(path, with_(fields(many)));
      await stage.health('/health/live');
      expect((await answered).status).toBeLessThan(503);
    };
    const part = await costOf(stage, () => take(count / 10));
    // A neighbour waits no longer than the parsing takes.
    expect(await costOf(stage, () => take(count))).toBeLessThan(alike(part, 10));
  });
});

describe('JSON in texts, which is parsed separately if it is translated', () => {
  const text = (inside: string): string => JSON.stringify(`{"a":[${inside}]}`);
  const call = (args: string): string =>
    `{"id":"c","type":"function","function":{"name":"f","arguments":${args}}}`;
  const turns = (args: string, result: string): string =>
    `"messages":[{"role":"user","content":"x"},{"role":"assistant","tool_calls":[${call(args)}]},{"role":"tool","tool_call_id":"c","content":${result}}]`;
  const item = (args: string): string =>
    `{"type":"function_call","call_id":"c","name":"f","arguments":${args}}`;
  const output = '{"type":"function_call_output","call_id":"c","output":"x"}';
  const models = { anthropic: 'anthropic/claude-haiku-4-5', google: 'google/gemini-2.5-flash' };

  test.each([
    ['arguments', '/v1/chat/completions', models.anthropic, turns(text(`${'{},'.repeat(2 * MB)}{}`), '"x"')],
    [
      'long numbers',
      '/v1/chat/completions',
      models.google,
      turns(text(`${'1,'.repeat(3 * MB)}12345678901234567890`), '"x"'),
    ],
    ['results', '/v1/chat/completions', models.google, turns('"{}"', text(`${'[],'.repeat(2 * MB)}[]`))],
    [
      'items',
      '/v1/responses',
      models.anthropic,
      `"input":[${item(text('['.repeat(3 * MB) + ']'.repeat(3 * MB)))},${output}]`,
    ],
    [
      'many calls',
      '/v1/responses',
      models.anthropic,
      `"input":[${Array(50)
        .fill(`${item(text(`${'1,'.repeat(20_000)}1`))},${output}`)
        .join()}]`,
    ],
  ])('C-14 too many values in %s: refused before they are parsed', async (_, path, model, fields) => {
    const before = stage.gateway.memory();
    await expectRefused(path, `{"model":"${model}",${fields}}`, 400, /more than 500000 JSON tokens/);
    expect(stage.gateway.memory() - before).toBeLessThan(96 * MB);
  });

  test('C-14 as much as a dialogue can hold is accepted, and the content of its strings does not count', async () => {
    const before = asked();
    const file = JSON.stringify(JSON.stringify({ path: 'a.json', text: '[1,{"a":2}],'.repeat(200_000) }));
    const list = text(`${'1,'.repeat(200_000)}1`);
    await send('/v1/chat/completions', `{"model":"${models.anthropic}",${turns(file, list)}}`);
    expect(asked()).toBe(before + 1);
  });
});

describe('what arrives at a vendor', () => {
  const [native, translated] = ways;
  /** What the vendor receives for a request whose only message is this JSON string. */
  const gotText = async (path: string, model: string, text: string): Promise<string> => {
    await send(path, `{"model":"${model}","max_tokens":9,"messages":[{"role":"user","content":"${text}"}]}`);
    return stage.upstream.received.at(-1)?.body.toString() ?? '';
  };

  test('C-16 half a surrogate pair: unchanged natively, U+FFFD if it is translated', async () => {
    for (const half of ['\\ud83d', '\\uDE00', 'a\\ud800\\ud800b', '\\udc00\\ud800']) {
      expect(await gotText(native.path, native.model, half)).toContain(half);
      const got = await gotText(translated.path, translated.model, half);
      expect(got).not.toMatch(/\\ud[89a-f]/i);
      expect(JSON.parse(got).messages[0].content).toBe(
        JSON.parse(`"${half}"`).replaceAll(/[\ud800-\udfff]/gu, '\ufffd'),
      );
    }
    const whole = '\\ud83d\\ude00 \\\\ud83d \\u0000 \\u2028';
    expect(JSON.parse(await gotText(translated.path, translated.model, whole)).messages[0].content).toBe(
      JSON.parse(`"${whole}"`),
    );
  });

  test.each([
    ['"temperature":1e400', 400],
    ['"top_k":9007199254740993', 400],
    ['"x":{"deep":[1e999]}', 400],
    ['"x":-1e999', 400],
    ['"temperature":"1"', undefined],
    ['"temperature":-0', undefined],
    ['"temperature":1.0', undefined],
    ['"seed":9007199254740991', undefined],
  ])('C-20 %s, translated: refused or passed on, never another number', async (field, status) => {
    const body = `{"model":"${translated.model}","max_tokens":9,"messages":[{"role":"user","content":"x"}],${field}}`;
    const before = asked();
    const response = await send(translated.path, body);
    if (status !== undefined) {
      expect(response.status).toBe(status);
      expect(asked()).toBe(before);
      return;
    }
    const [, key = '', value = ''] = /"(\w+)":(.*)/.exec(field) ?? [];
    if (asked() === before) {
      expect(response.status).toBe(400);
      return;
    }
    const got = stage.upstream.received.at(-1)?.body.toString() ?? '{}';
    expect(JSON.stringify(JSON.parse(got)[key])).toBe(JSON.stringify(JSON.parse(value)));
  });

  // OpenAI's seeds have 64 bits, and clients use all of them: Claude has no seed, and a service gets exactly the seed
  // of the caller.
  test('C-20 a seed longer than a double: dropped if the model has no seed, unchanged if it is passed on', async () => {
    const body = (model: string): string =>
      `{"model":"${model}","max_tokens":9,"messages":[{"role":"user","content":"x"}],"seed":9223372036854775807}`;
    const before = asked();
    await send('/v1/chat/completions', body('anthropic/claude-sonnet-4-5'));
    expect(asked()).toBe(before + 1);
    expect(stage.upstream.received.at(-1)?.body.toString()).not.toContain('seed');
    await send(translated.path, body(translated.model));
    expect(stage.upstream.received.at(-1)?.body.toString()).toContain('"seed":9223372036854775807');
  });

  test('C-20 numbers of a call that are longer than a double pass digit by digit', async () => {
    const input =
      '{"order":12345678901234567890,"ratio":0.1,"tiny":1e-7,"huge":1e400,"list":[9007199254740993]}';
    const body = `{"model":"${translated.model}","max_tokens":9,"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":${input}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":{"order":{"type":"integer","maximum":18446744073709551615}}}}]}`;
    await send(translated.path, body);
    const got = JSON.parse(stage.upstream.received.at(-1)?.body.toString() ?? '{}');
    expect(got.messages[1].tool_calls[0].function.arguments).toBe(input);
    expect(got.tools[0].function.parameters.properties.order).toEqual({ type: 'integer', maximum: 2 ** 64 });
  });

  test('C-19 keys named after prototypes arrive as keys, or not at all, and change nothing', async () => {
    const hostile =
      '{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}},"toString":1,"hasOwnProperty":1}';
    const nativeBody = `{"model":"${native.model}","messages":[],"__proto__":{"polluted":1},"x":${hostile}}`;
    await send(native.path, nativeBody);
    expect(stage.upstream.received.at(-1)?.body.toString()).toBe(nativeBody);
    const body = `{"model":"${translated.model}","max_tokens":9,"__proto__":{"polluted":1},"messages":[{"role":"user","content":"x"},{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"f","input":${hostile}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"ok"}]}],"tools":[{"name":"f","input_schema":{"type":"object","properties":${hostile}}}]}`;
    const response = await send(translated.path, body);
    const got = JSON.parse(stage.upstream.received.at(-1)?.body.toString() ?? '{}');
    expect(JSON.parse(got.messages[1].tool_calls[0].function.arguments)).toEqual(JSON.parse(hostile));
    expect(got.polluted).toBeUndefined();
    expect(response.status).toBe(502); // this vendor's answer is not valid
    // A setting with such keys is refused as one with any other unknown key.
    const setting = body.replace('"max_tokens":9', `"max_tokens":9,"metadata":${hostile}`);
    expect((await send(translated.path, setting)).status).toBe(400);
  });
});

describe('more than the limit', () => {
  test('C-11 declared: refused before a byte of it is read, and without a 100 Continue', async () => {
    for (const { path } of ways) {
      const client = rawClient(
        stage.gateway.port,
        post(path, '', ['X: y']).replace('Content-Length: 0', `Content-Length: ${33 * MB}`),
      );
      expect(statusOf(await client.over)).toBe(413);
    }
  });

  test('C-10 400 callers who keep sending, with and without a key: each gets an error, and none does harm', async () => {
    const chunk = `10000\r\n${' '.repeat(0x10000)}\r\n`;
    const flood = async (key: string): Promise<string> => {
      const head = post('/v1/messages', '')
        .replace(/Content-Length: 0/, 'Transfer-Encoding: chunked')
        .replace(KEY, key);
      const client = rawClient(stage.gateway.port, head);
      const { socket } = client;
      let left = 600;
      const more = (): void => {
        while (left-- > 0 && !socket.destroyed && client.text() === '') {
          if (socket.write(chunk)) continue;
          socket.once('drain', more);
          return;
        }
      };
      more();
      return client.over;
    };
    for (let round = 0; round < 4; round++) {
      const anonymous = await Promise.all(Array.from({ length: 95 }, () => flood('gw-none')));
      expect(anonymous.filter((text) => statusOf(text) === 401)).toHaveLength(95);
      const known = await Promise.all(Array.from({ length: 5 }, () => flood(KEY)));
      // Of one key, no more than 128 MB may be on their way: whatever comes beyond that is a 429.
      expect(known.filter((text) => [413, 429].includes(statusOf(text)))).toHaveLength(5);
    }
  });

  test.each([
    ['/v1/messages', 'openai/gpt-4o', '"max_tokens":9,"messages":[{"role":"user","content":nope}]'],
    ['/v1/responses', 'anthropic/claude-sonnet-4-5', '"input":"x","temperature":1.'],
  ])('invalid JSON inside the body is refused where it is read: %s', async (path, model, fields) => {
    await expectRefused(
      path,
      `{"model":"${model}",${fields}}`,
      400,
      /^The request body is not a valid JSON object\.$/,
    );
  });

  test('C-29 30 KB that become 30 MB are accepted, 300 KB that become 300 MB are not, at the cost of the limit', async () => {
    const wrap = (megabytes: number) =>
      new Uint8Array(gzipSync(`{"model":"gpt-4o","x":"${' '.repeat(megabytes * MB)}"}`));
    stage.respondWith((_, response) => json(response, {}));
    const encoded = { 'content-encoding': 'gzip' };
    expect((await send('/v1/chat/completions', wrap(30), encoded)).status).toBe(200);
    await expectRefused('/v1/chat/completions', wrap(300), 413, /larger than/, encoded);
    stage.upstream.received.length = 0;
  });

  test('afterwards the memory is back under twice its size at rest', async () => {
    // Idle heaps are not collected by themselves: a little traffic triggers it.
    const traffic = setInterval(
      () => void send('/v1/messages', '{}').then((response) => response.text()),
      10,
    );
    try {
      await eventually(() => stage.gateway.memory() < 2 * idle, 'memory under twice that of rest');
    } finally {
      clearInterval(traffic);
    }
  });
});
