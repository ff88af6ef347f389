/**
 * Every format to every other, over the recorded answers: microseconds an event, and the ratio to the floor,
 * which is the work that no translator can avoid: eventsource-parser, JSON.parse and JSON.stringify of the
 * very same events.
 */

import { deepStrictEqual } from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { collect } from '../src/conversation/collect.ts';
import type { Prompt } from '../src/conversation/prompt.ts';
import type { PromptOutline } from '../src/conversation/prompt-outline.ts';
import type { Format, RequestContext } from '../src/formats/format.ts';
import { formats } from '../src/formats/formats.ts';
import { framedAsEvents } from '../src/streams/framing.ts';
import { decodeSse, type Sse, sseText } from '../src/streams/sse.ts';
import { fuse, run, type Sink, type Step } from '../src/streams/step.ts';
import { modelOf } from '../test/support/model-traits.ts';
import { benchArguments, median, type Row, report, round } from './support/report.ts';

const RECORDINGS = ['long-text', 'thinking', 'parallel-tool-calls'] as const;

/** Bytes that a socket delivers at a time. */
const CHUNK = 1024;

const PROMPT: Prompt & PromptOutline = {
  model: 'a-model',
  turns: [],
  calls: [],
  stream: true,
  includeUsage: true,
  thinking: { visible: true },
};
const ASKED: RequestContext = { prompt: PROMPT, body: {}, id: 'abc123', created: 1_700_000_000 };
const TARGET = modelOf();

const args = benchArguments({ seconds: 0.25, rounds: 9 });

function chunksOf(bytes: Uint8Array): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += CHUNK) chunks.push(bytes.subarray(at, at + CHUNK));
  return chunks;
}

const floor = (): Step<Uint8Array, string> =>
  fuse(decodeSse(), {
    transform(event: Sse, out: Sink<string>) {
      if (event.data === '[DONE]') out.enqueue(sseText(event));
      else out.enqueue(sseText({ event: event.event, data: JSON.stringify(JSON.parse(event.data)) }));
    },
  });

const translator = (from: Format, to: Format): Step<Uint8Array, string> => {
  const parser = from.outbound.parseEvents(PROMPT, TARGET);
  return fuse(
    fuse(decodeSse(undefined, parser.pieces), parser),
    fuse(to.inbound.renderEvents(ASKED), framedAsEvents('')),
  );
};

/** The duration of one pass, in microseconds. */
function time(make: () => Step<Uint8Array, string>, chunks: readonly Uint8Array[], seconds: number): number {
  let length = 0;
  const sink: Sink<string> = {
    enqueue: (text) => {
      length += text.length;
    },
  };
  const began = performance.now();
  let passes = 0;
  do {
    const step = make();
    for (const chunk of chunks) step.transform(chunk, sink);
    step.flush?.(sink);
    passes += 1;
  } while (performance.now() - began < seconds * 1000);
  if (length === 0) throw new Error('A translator that says nothing is not measured.');
  return ((performance.now() - began) * 1000) / passes;
}

/** A wrong translation is not worth timing. */
function check(from: Format, to: Format, chunks: readonly Uint8Array[]): void {
  const direct = collect(run(fuse(decodeSse(), from.outbound.parseEvents(PROMPT, TARGET)), chunks));
  const said = new TextEncoder().encode(run(translator(from, to), chunks).join(''));
  const back = collect(run(fuse(decodeSse(), to.outbound.parseEvents(PROMPT, TARGET)), [said]));
  const text = (reply: typeof direct): string =>
    (reply.choices[0]?.parts ?? []).map((part) => (part.kind === 'text' ? part.text : '')).join('');
  deepStrictEqual(text(back), text(direct));
}

const rows: Row[] = [];
for (const from of Object.values(formats)) {
  const recordings = RECORDINGS.map((name) =>
    chunksOf(readFileSync(join(import.meta.dirname, '../fixtures/replies', from.name, `${name}.sse`))),
  );
  const events = recordings.reduce((sum, chunks) => sum + run(decodeSse(), chunks).length, 0);
  const bytes = recordings.flat().reduce((sum, chunk) => sum + chunk.length, 0);
  for (const to of Object.values(formats)) {
    const name = `${from.name} to ${to.name}`;
    if (!name.includes(args.filter)) continue;
    for (const chunks of recordings) check(from, to, chunks);
    const all = (make: () => Step<Uint8Array, string>): number =>
      recordings.reduce((sum, chunks) => sum + time(make, chunks, args.seconds / recordings.length), 0);
    const floors: number[] = [];
    const times: number[] = [];
    const ratios: number[] = [];
    for (let round_ = 0; round_ <= args.rounds; round_ += 1) {
      const least = all(floor);
      const took = all(() => translator(from, to));
      // The first round is the warm-up.
      if (round_ === 0) continue;
      floors.push(least);
      times.push(took);
      ratios.push(least / took);
    }
    rows.push({
      translation: name,
      'µs an event': round(median(times) / events),
      'floor, µs an event': round(median(floors) / events),
      'MB/s': round(bytes / median(times), 1),
      'of the floor': round(median(ratios)),
    });
  }
}
report('translators', rows, args);
