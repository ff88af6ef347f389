/**
 * The cost of translating a request, for each pair of formats and several kinds of bodies: CPU of this process from the
 * body's bytes to those for the vendor, and the longest time that the event loop was held. `floor` is what no translator
 * can avoid: JSON.parse and JSON.stringify of the same body. They take turns of 20 milliseconds, so that other work
 * on the machine changes both. Rows whose two formats are the same are native requests.
 */

import { strictEqual } from 'node:assert/strict';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { configSchema } from '../src/config/schema.ts';
import type { FormatName } from '../src/conversation/prompt.ts';
import { unreported } from '../src/formats/format.ts';
import { formats } from '../src/formats/formats.ts';
import type { JsonObject } from '../src/lib/json.ts';
import { authenticate } from '../src/pipeline/authenticate.ts';
import { decode } from '../src/pipeline/decode.ts';
import type { Admitted, Incoming, Prepared } from '../src/pipeline/exchange.ts';
import { resolveModel } from '../src/pipeline/resolve-model.ts';
import { translateRequest } from '../src/pipeline/translate-request.ts';
import { openGateway } from '../src/server/open-gateway.ts';
import { hashKey } from '../src/store/keys/key-secret.ts';
import { chain } from '../src/streams/chain.ts';
import { modelOf } from '../test/support/model-traits.ts';
import { incoming } from './support/instant.ts';
import { benchArguments, median, type Row, report, round } from './support/report.ts';

const args = benchArguments({ seconds: 0.02, rounds: 12 });

/** How many turns a pair runs before it is measured. By then its code is compiled. */
const WARM_TURNS = 20;

/** How many runs of a pair are watched for how long they hold the event loop. */
const WATCHED = 5;

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

/** The stages between the body of a request and the vendor. */
async function stagesOf(from: FormatName, to: FormatName, body: Buffer): Promise<() => Promise<Prepared>> {
  const { options, mode } = gateway;
  const admitted = await chain<Incoming>(mode)
    .to(decode({ format: from, operation: 'generate' }, options))
    .to(authenticate(gateway))
    .run(incoming(KEY, PATHS[from](modelFor(to)), body));
  const { run } = chain<Admitted>(mode).to(resolveModel(gateway, options)).to(translateRequest(options));
  return async () => run({ ...admitted, readBody: async () => body });
}

/** Runs for some time. @returns CPU milliseconds a run. */
async function cpuOf(run: () => unknown, seconds: number): Promise<number> {
  const before = process.cpuUsage();
  const end = performance.now() + seconds * 1000;
  let runs = 0;
  do {
    await run();
    runs += 1;
  } while (performance.now() < end);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / runs;
}

/** The longest time in milliseconds that a run keeps everything else of the event loop waiting. */
async function longestHold(run: () => Promise<unknown>): Promise<number> {
  const turns = monitorEventLoopDelay({ samplePerIteration: true });
  await nextTurn();
  turns.enable();
  await run();
  // A short run needs no turn of its own, and a turn counts when it is over.
  await nextTurn();
  await nextTurn();
  turns.disable();
  return turns.max / 1e6;
}

interface Measured {
  /** CPU milliseconds of a run, and of the floor in the same turns. */
  readonly cpu: number;
  readonly floor: number;
  /** How many times the floor a run takes, in the median of the turns. */
  readonly times: number;
}

async function measure(floor: () => unknown, run: () => Promise<unknown>): Promise<Measured> {
  await cpuOf(floor, args.seconds);
  await cpuOf(run, WARM_TURNS * args.seconds);
  const turns: { readonly least: number; readonly cpu: number }[] = [];
  for (let turn = 0; turn < args.rounds; turn += 1)
    turns.push({ least: await cpuOf(floor, args.seconds), cpu: await cpuOf(run, args.seconds) });
  return {
    cpu: median(turns.map(({ cpu }) => cpu)),
    floor: median(turns.map(({ least }) => least)),
    times: median(turns.map(({ cpu, least }) => cpu / least)),
  };
}

const rows: Row[] = [];
for (const [size, body] of Object.entries(BODIES)) {
  for (const from of FORMATS) {
    for (const to of FORMATS) {
      const name = `${size}: ${from} to ${to}`;
      if (!name.includes(args.filter)) continue;
      const bytes = written(body, from, modelFor(to));
      const run = await stagesOf(from, to, bytes);
      strictEqual((await run()).upstreamFormat, to);
      const { cpu, floor, times } = await measure(() => JSON.stringify(JSON.parse(bytes.toString())), run);
      const held: number[] = [];
      for (let turn = 0; turn < WATCHED; turn += 1) held.push(await longestHold(run));
      rows.push({
        body: size,
        from,
        to,
        KB: round(bytes.length / 1024, 0),
        'floor ms': round(floor, 4),
        'CPU ms': round(cpu, 4),
        'of the floor': round(times),
        // Other work on the machine only ever makes it longer.
        'held ms': round(Math.min(...held), 1),
      });
    }
  }
}
report('requests', rows, args);
process.exit();
