/**
 * The cost of translating a request, for each pair of formats and several kinds of bodies: CPU of this process for the
 * whole pipeline (without sockets, with an upstream that answers at once), and the longest time that the event loop was
 * held. `floor` is what no translator can avoid: JSON.parse and JSON.stringify of the same body. Rows whose two formats
 * are the same are native requests.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema } from '../src/config/schema.ts';
import type { FormatName } from '../src/conversation/prompt.ts';
import { unreported } from '../src/formats/format.ts';
import { formats } from '../src/formats/formats.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { type Pipeline, pipeline } from '../src/pipeline/pipeline.ts';
import { openGateway } from '../src/server/open-gateway.ts';
import { hashKey } from '../src/store/key-secret.ts';
import { modelOf } from '../test/support/model-traits.ts';
import { answerOnce, Instant } from './support/instant.ts';
import { benchArguments, median, type Row, report, round } from './support/report.ts';

const args = benchArguments({ seconds: 0.2, rounds: 5 });
const KEY = 'gw-a-key-that-is-only-for-benches-0123456789';

const PROSE = 'The harbour lies still this morning, and only two boats have gone out to sea. ';
const CODE = 'if (a < b) {\n\treturn "x\\\\y" + \'z\'; // ünïcödé\n}\n';
const proseOf = (length: number): string => (PROSE + CODE).repeat(length / 100 + 1).slice(0, length);

/** A function with nested parameters, as agents declare them: about 1.3 KB. */
const toolOf = (at: number): JsonObject => ({
  type: 'function',
  function: {
    name: `tool_${at}`,
    description: proseOf(200),
    parameters: {
      type: 'object',
      properties: {
        path: { type: 'string', description: proseOf(60) },
        options: {
          type: 'object',
          properties: {
            limit: { type: 'integer', minimum: 1, maximum: 100 },
            mode: { type: 'string', enum: ['read', 'write', 'append'] },
            filters: {
              type: 'array',
              items: {
                type: 'object',
                properties: {
                  key: { type: 'string' },
                  value: { anyOf: [{ type: 'string' }, { type: 'number' }] },
                },
                required: ['key'],
                additionalProperties: false,
              },
            },
          },
          required: ['limit', 'mode'],
          additionalProperties: false,
        },
      },
      required: ['path'],
      additionalProperties: false,
    },
  },
});

/** A question, a call, its result and an answer: four messages, about 4 times `length`. */
const turnsOf = (at: number, length: number): JsonObject[] => [
  { role: 'user', content: `${at}: ${proseOf(length)}` },
  {
    role: 'assistant',
    content: proseOf(length / 2),
    tool_calls: [
      {
        id: `call_${at}`,
        type: 'function',
        function: { name: 'tool_0', arguments: JSON.stringify({ path: proseOf(length / 2) }) },
      },
    ],
  },
  { role: 'tool', tool_call_id: `call_${at}`, content: proseOf(length) },
  { role: 'assistant', content: proseOf(length) },
];

function dialogue(turns: number, length: number, tools: number): JsonObject {
  return {
    model: 'a',
    max_tokens: 1000,
    messages: [
      { role: 'system', content: proseOf(300) },
      ...Array.from({ length: turns }, (_, at) => turnsOf(at, length)).flat(),
      { role: 'user', content: 'Go on.' },
    ],
    tools: Array.from({ length: tools }, (_, at) => toolOf(at)),
  };
}

/** Bodies as an OpenAI client writes them; the other formats' are made of these. */
const BODIES: Readonly<Record<string, JsonObject>> = {
  '1 KB': { model: 'a', max_tokens: 1000, messages: [{ role: 'user', content: proseOf(1000) }] },
  '100 KB': dialogue(30, 700, 12),
  '600 KB, 1,000 turns': dialogue(250, 450, 12),
  '600 KB, 10 turns': dialogue(3, 48_000, 12),
  '60 tools': dialogue(1, 400, 60),
  '200 tools': dialogue(1, 400, 200),
};

const FORMATS = Object.keys(formats) as FormatName[];
const PATHS: Readonly<Record<FormatName, (model: string) => string>> = {
  'chat-completions': () => '/v1/chat/completions',
  responses: () => '/v1/responses',
  messages: () => '/v1/messages',
  'generate-content': (model) => `/v1beta/models/${model}:generateContent`,
};
const modelFor = (format: FormatName): string => `${format}/m`;

function written(body: JsonObject, format: FormatName, model: string): Buffer {
  const prompt = { ...formats['chat-completions'].inbound.parseRequest(body, unreported), model };
  const value =
    format === 'chat-completions'
      ? { ...body, model }
      : formats[format].outbound.renderRequest(prompt, { ...modelOf(), model }, unreported);
  return Buffer.from(JSON.stringify(value));
}

const config = configSchema.parse({
  keys: [{ name: 'bench', hash: hashKey(KEY) }],
  generateContent: { models: 'all' },
  vendors: Object.fromEntries(
    FORMATS.map((format) => [
      format,
      { apiKey: 'sk-bench', baseUrl: 'http://127.0.0.1:1', formats: [format] },
    ]),
  ),
  models: FORMATS.map((format) => ({
    id: modelFor(format),
    contextWindow: 1_000_000,
    maxOutputTokens: 64_000,
    prices: { input: 1, output: 1 },
  })),
});
const { gateway } = await openGateway(config, {});

function pathThrough(from: FormatName, to: FormatName): Pipeline {
  const answer = readFileSync(join(import.meta.dirname, `../fixtures/replies/${to}/plain-text.json`));
  return pipeline({ ...gateway, agent: new Instant(answer) }, { format: from, operation: 'generate' });
}

interface Measured {
  /** CPU milliseconds a run, and the longest run on the wall. */
  readonly cpu: number;
  readonly held: number;
}

async function measure(run: () => void | Promise<void>): Promise<Measured> {
  const used: number[] = [];
  let held = Number.POSITIVE_INFINITY;
  for (let turn = 0; turn <= args.rounds; turn += 1) {
    const before = process.cpuUsage();
    const began = performance.now();
    let longest = 0;
    let runs = 0;
    do {
      const start = performance.now();
      await run();
      longest = Math.max(longest, performance.now() - start);
      runs += 1;
    } while (performance.now() - began < args.seconds * 1000);
    const { user, system } = process.cpuUsage(before);
    if (turn === 0) continue;
    used.push((user + system) / 1000 / runs);
    // Other work on the machine makes a turn longer; the quietest turn contains the least of it.
    held = Math.min(held, longest);
  }
  return { cpu: median(used), held };
}

const rows: Row[] = [];
for (const [size, body] of Object.entries(BODIES)) {
  for (const from of FORMATS) {
    for (const to of FORMATS) {
      const name = `${size}: ${from} to ${to}`;
      if (!name.includes(args.filter)) continue;
      const bytes = written(body, from, modelFor(to));
      const run = pathThrough(from, to);
      const floor = await measure(() => void JSON.stringify(JSON.parse(bytes.toString())));
      const { cpu, held } = await measure(() => answerOnce(run, KEY, PATHS[from](modelFor(to)), bytes));
      rows.push({
        body: size,
        from,
        to,
        KB: round(bytes.length / 1024, 0),
        'floor ms': round(floor.cpu, 3),
        'CPU ms': round(cpu, 3),
        'of the floor': round(cpu / floor.cpu),
        'held ms': round(held, 1),
      });
    }
  }
}
report('requests', rows, args);
process.exit();
