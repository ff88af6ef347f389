/** The tools of requests, which agents send again with every turn. */

import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { MAX_TOKENS } from '../../src/lib/json-bounds.ts';
import { scanInSteps, scanObject } from '../../src/lib/json-scan.ts';
import { RememberedTools } from '../../src/pipeline/body/remembered-tools.ts';
import { scanned } from '../../src/pipeline/body/scanned.ts';
import { startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { json, startUpstream, type TestUpstream } from '../support/upstream.ts';

const toolsOf = (count: number, word = 'file'): object[] =>
  Array.from({ length: count }, (_, at) => ({
    type: 'function',
    function: {
      name: `tool_${at}`,
      description: `Reads the ${word} “${at}”.`,
      parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
    },
  }));
const bytesOf = (value: unknown): Buffer => Buffer.from(JSON.stringify(value));

test('the same bytes have the same value, and other bytes their own', () => {
  const memory = new RememberedTools();
  const tools = bytesOf(toolsOf(40));
  const value = memory.recall(tools);
  expect(value).toEqual(toolsOf(40));
  expect(memory.recall(Buffer.from(tools))).toBe(value);
  const others = bytesOf(toolsOf(40, 'page'));
  expect(others).toHaveLength(tools.length);
  expect(memory.recall(others)).toEqual(toolsOf(40, 'page'));
  expect(memory.recall(tools)).toEqual(toolsOf(40));
});

test('what is small, or no JSON, is not remembered', () => {
  const memory = new RememberedTools();
  expect(memory.recall(bytesOf(toolsOf(2)))).toBeUndefined();
  expect(memory.recall(bytesOf(toolsOf(40)).subarray(1))).toBeUndefined();
});

test('the memory is bounded, and the bytes of a request are not kept with it', () => {
  const memory = new RememberedTools();
  const first = bytesOf(toolsOf(800));
  const value = memory.recall(first);
  expect(memory.recall(first)).toBe(value);
  for (let count = 801; count < 860; count += 1) memory.recall(bytesOf(toolsOf(count)));
  expect(memory.recall(first)).not.toBe(value);
  expect(memory.recall(first)).toEqual(value);
  const body = bytesOf(toolsOf(900));
  const known = memory.recall(body);
  const sent = Buffer.from(body);
  body.fill(0);
  expect(memory.recall(sent)).toBe(known);
});

test('a body has the value that JSON.parse gives it, wherever its tools are', () => {
  const memory = new RememberedTools();
  const lists = [[], toolsOf(3), toolsOf(40), toolsOf(41, 'Zeile ü \ud83d\ude00')];
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.tuple(fc.string({ unit: 'binary' }), fc.jsonValue()), {
        selector: ([key]) => key,
        maxLength: 6,
      }),
      fc.nat(6),
      fc.constantFrom(...lists),
      (fields, at, tools) => {
        const others = fields.filter(([key]) => key !== 'tools');
        const members = [...others.slice(0, at), ['tools', tools] as const, ...others.slice(at)];
        const text = `{${members.map(([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`).join(' ,')}}`;
        const body = Buffer.from(text);
        const tree = scanned(body, memory).tree();
        expect(tree).toEqual(JSON.parse(body.toString()));
        expect(JSON.stringify(tree)).toBe(JSON.stringify(JSON.parse(body.toString())));
      },
    ),
  );
});

/** A JSON text, with space and escapes in places where no client writes them. */
const oddText = fc
  .tuple(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), fc.boolean())
  .map(([value, indent, escaped]) => {
    const text = JSON.stringify(value, null, indent).replaceAll('": ', '" :');
    return escaped ? text.replaceAll('a', String.raw`\u0061`) : text;
  });

test('a scan finds in known tools what it finds in new ones', () => {
  fc.assert(
    fc.property(
      fc.array(oddText, { minLength: 1, maxLength: 6 }),
      fc.array(fc.tuple(fc.string(), oddText), { maxLength: 4 }),
      fc.nat(4),
      fc.constantFrom('', ' ', '\n', ' x', '[]', ']', '}', ',', '"'),
      fc.integer({ min: 2, max: 5_000 }),
      (items, others, at, after, stretch) => {
        const memory = new RememberedTools();
        // Long enough to be remembered, with a string that counts as large, numbers of both kinds, and JSON in a text.
        const long = String.raw`["${'x'.repeat(5_000)}",12345678901234567890,-0.5,7,"{\"a\":1}",[{}]]`;
        const tools = `[${[...items, long].join(', ')}]`;
        const bodyOf = (end: string): Buffer => {
          const fields = others.map(([key, text]) => `${JSON.stringify(`_${key}`)}:${text}`);
          fields.splice(at, 0, `"tools": ${tools}${end}`);
          return Buffer.from(`{${fields.join(',')}}`);
        };
        for (let turn = 0; turn < 3; turn += 1) outcomeOf(() => scanned(bodyOf(''), memory).scan);
        const body = bodyOf(after);
        const expected = outcomeOf(() => scanObject(body));
        expect(outcomeOf(() => scanObject(body, memory))).toEqual(expected);
        expect(outcomeOf(() => lastOf(scanInSteps(body, stretch, memory)))).toEqual(expected);
      },
    ),
  );
});

test('known tools count towards the limit of tokens', () => {
  const memory = new RememberedTools();
  const bodyOf = (tokens: number): Buffer =>
    Buffer.from(`{"tools":[${'1,'.repeat(200_000)}1],"messages":[${'1,'.repeat(tokens)}1]}`);
  for (let turn = 0; turn < 2; turn += 1) scanned(bodyOf(1), memory);
  // Besides the commas in both lists there are three brackets, two colons and a comma.
  expect(() => scanned(bodyOf(MAX_TOKENS - 200_006), memory)).not.toThrow();
  expect(() => scanned(bodyOf(MAX_TOKENS - 200_005), memory)).toThrow('JSON tokens');
});

test('a scan looks at known tools no more', () => {
  const memory = new RememberedTools();
  const body = Buffer.from(`{"model":"m","tools":${JSON.stringify(toolsOf(40))},"stream":true}`);
  const start = body.indexOf('[');
  expect(memory.find('tools', body, start)).toBeUndefined();
  for (let turn = 0; turn < 2; turn += 1) scanned(body, memory);
  expect(memory.find('tools', body, start)).toMatchObject({
    length: JSON.stringify(toolsOf(40)).length + 160,
  });
  expect(memory.find('other', body, start)).toBeUndefined();
  expect(memory.find('tools', body, start + 1)).toBeUndefined();
  expect(memory.find('tools', body.subarray(0, -20), start)).toBeUndefined();
  const changed = Buffer.from(body);
  changed[start + 100] = 0x20;
  expect(memory.find('tools', changed, start)).toBeUndefined();
});

function outcomeOf(scan: () => unknown): unknown {
  try {
    return scan();
  } catch (error) {
    return String(error);
  }
}

function lastOf<T>(steps: Generator<undefined, T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

let vendor: TestUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  vendor = await startUpstream((_, response) =>
    json(response, {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude-sonnet-4-5',
      content: [{ type: 'text', text: 'Yes.' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 1, output_tokens: 1 },
    }),
  );
  gateway = await startGateway({ vendors: vendorsAtUrl(vendor.url) });
});
afterAll(async () => {
  await gateway.close();
  await vendor.close();
});

test('each turn of an agent has its own dialogue and its own tools', async () => {
  const ask = (turn: number, tools: unknown) =>
    postJson(`${gateway.url}/v1/chat/completions`, {
      model: 'anthropic/claude-sonnet-4-5',
      tools,
      messages: [{ role: 'user', content: `Turn ${turn}.` }],
    });
  const sent = [toolsOf(40), toolsOf(40), toolsOf(40, 'page'), toolsOf(41), toolsOf(40)];
  for (const [turn, tools] of sent.entries()) expect((await ask(turn, tools)).status).toBe(200);
  const received = vendor.received.map(({ body }) => JSON.parse(body.toString()));
  expect(received.map(({ messages }) => JSON.stringify(messages).match(/Turn \d/)?.[0])).toEqual(
    sent.map((_, turn) => `Turn ${turn}`),
  );
  expect(received.map(({ tools }) => tools.length)).toEqual([40, 40, 40, 41, 40]);
  expect(received[0].tools).toEqual(received[1].tools);
  expect(received[0].tools).toEqual(received[4].tools);
  expect(received[2].tools[0].description).toBe('Reads the page “0”.');
});

test('tools that are wrong are refused each time', async () => {
  const wrong = [...toolsOf(40), { type: 'function', function: { description: 'It has no name.' } }];
  for (let turn = 0; turn < 2; turn += 1) {
    const answer = await postJson(`${gateway.url}/v1/chat/completions`, {
      model: 'anthropic/claude-sonnet-4-5',
      tools: wrong,
      messages: [{ role: 'user', content: 'Go on.' }],
    });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: { param: 'tools[40].function.name' } });
  }
});
