/**
 * The request path itself, without sockets: all stages fused into one, as they run, compared with a
 * TransformStream for each, as they are written; and the single hop of a translated body compared with one
 * hop for each step.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { configSchema } from '../src/config/schema.ts';
import type { Route } from '../src/conversation/route.ts';
import type { RequestContext } from '../src/formats/format.ts';
import { formats } from '../src/formats/formats.ts';
import { pipeline } from '../src/pipeline/pipeline.ts';
import { openGateway } from '../src/server/open-gateway.ts';
import { hashKey } from '../src/store/keys/key-secret.ts';
import type { ChainMode } from '../src/streams/chain.ts';
import { framedAsEvents } from '../src/streams/framing.ts';
import { pushedWhole } from '../src/streams/push-body.ts';
import { decodeSse } from '../src/streams/sse.ts';
import { fuse } from '../src/streams/step.ts';
import { translateBody } from '../src/streams/translate-body.ts';
import { modelOf } from '../test/support/model-traits.ts';
import { answerOnce, Instant } from './support/instant.ts';
import { benchArguments, median, type Row, report, round } from './support/report.ts';

const args = benchArguments({ seconds: 0.5, rounds: 7 });
const KEY = 'gw-a-key-that-is-only-for-benches-0123456789';
const recorded = readFileSync(join(import.meta.dirname, '../fixtures/replies/messages/long-text.sse'));
const whole = readFileSync(join(import.meta.dirname, '../fixtures/replies/chat-completions/plain-text.json'));

const body = Buffer.from(
  JSON.stringify({ model: 'openai/gpt-4.1', messages: [{ role: 'user', content: 'x'.repeat(450) }] }),
);

const route: Route = { format: 'chat-completions', operation: 'generate' };

async function request(mode: ChainMode): Promise<() => Promise<void>> {
  const config = configSchema.parse({
    keys: [{ name: 'bench', hash: hashKey(KEY) }],
    vendors: { openai: { apiKey: 'sk-bench', baseUrl: 'http://127.0.0.1:1' } },
  });
  const { gateway } = await openGateway(config, { mode });
  const run = pipeline({ ...gateway, agent: new Instant(whole) }, route);
  return () => answerOnce(run, KEY, '/v1/chat/completions', body);
}

const PROMPT = { model: 'a-model', calls: [], stream: true, includeUsage: true };
const ASKED: RequestContext = { prompt: PROMPT, body: {}, id: 'abc123', created: 1_700_000_000 };
const TARGET = modelOf();

function recordedPieces(): Buffer[] {
  return recorded
    .toString('utf8')
    .split(/(?<=\n\n)/)
    .map((event) => Buffer.from(event));
}

/** The recorded stream, one event a chunk, as an economical vendor sends it. */
function source(): ReadableStream<Uint8Array> {
  const bytes = recordedPieces();
  return new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const next = bytes.shift();
        if (next === undefined) controller.close();
        else controller.enqueue(next);
      },
    },
    { highWaterMark: 0 },
  );
}

async function drain(stream: ReadableStream<unknown>): Promise<void> {
  const reader = stream.getReader();
  while (!(await reader.read()).done);
}

const steps = () =>
  [
    decodeSse(),
    formats.messages.outbound.parseEvents(PROMPT, TARGET),
    formats['chat-completions'].inbound.renderEvents(ASKED),
    framedAsEvents(''),
  ] as const;

async function fusedBody(): Promise<void> {
  const [decode, parse, render, encode] = steps();
  const { body } = translateBody(
    pushedWhole(recordedPieces()),
    fuse(fuse(decode, parse), fuse(render, encode)),
    {
      fail: (error) => {
        throw error;
      },
    },
  );
  await drain(body);
}

async function chainedBody(): Promise<void> {
  const [decode, parse, render, encode] = steps();
  await drain(
    source()
      .pipeThrough(new TransformStream(decode))
      .pipeThrough(new TransformStream(parse))
      .pipeThrough(new TransformStream(render))
      .pipeThrough(new TransformStream(encode))
      .pipeThrough(new TextEncoderStream()),
  );
}

/** Microseconds a run, the median over all rounds, for each of several ways in turn. */
async function compare(ways: Readonly<Record<string, () => Promise<void>>>): Promise<Map<string, number>> {
  const times = new Map<string, number[]>(Object.keys(ways).map((name) => [name, []]));
  for (let round_ = 0; round_ <= args.rounds; round_ += 1) {
    for (const [name, way] of Object.entries(ways)) {
      const began = performance.now();
      let runs = 0;
      do {
        await way();
        runs += 1;
      } while (performance.now() - began < args.seconds * 1000);
      if (round_ > 0) times.get(name)?.push(((performance.now() - began) * 1000) / runs);
    }
  }
  return new Map([...times].map(([name, all]) => [name, median(all)]));
}

const rows: Row[] = [];
const requests = await compare({ fused: await request('fused'), chained: await request('chained') });
const events = recorded.toString('utf8').split('\n\n').length - 1;
const bodies = await compare({ fused: fusedBody, chained: chainedBody });
for (const [what, times, unit] of [
  ['a native request, all stages', requests, 1],
  [`a translated event (messages to chat-completions, ${events} events)`, bodies, events],
] as const) {
  const fused = (times.get('fused') ?? 0) / unit;
  const chained = (times.get('chained') ?? 0) / unit;
  rows.push({
    what,
    'fused, µs': round(fused),
    'chained, µs': round(chained),
    ratio: round(chained / fused),
  });
}
report('pipeline', rows, args);
process.exit();
