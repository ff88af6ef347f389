/** An answer's stream in several formats, event by event: what each event of the vendor becomes in the others. */

import { type TranslatedRequest, translateStream } from '../../translate/index.ts';
import type { FormatName } from '../formats/dialogue.ts';
import { readEvents, type ServerSentEvent } from '../formats/sse.ts';

/** An event of the vendor, and those that it becomes in each of the other formats. */
export interface AlignedEvent {
  readonly event: ServerSentEvent | undefined;
  readonly others: readonly (readonly ServerSentEvent[])[];
}

/**
 * Translates a stream into other formats.
 * @param text the vendor's stream
 * @param from the vendor's format
 * @param request what the answer belongs to; used for its caller's own format
 * @returns one row for each event, and a last one for what only the end of the stream brings
 */
export async function alignStreams(
  text: string,
  from: FormatName,
  to: readonly FormatName[],
  request: { readonly of: FormatName; readonly made: TranslatedRequest } | undefined,
): Promise<readonly AlignedEvent[]> {
  const events = await collect(text);
  const columns = await Promise.all(
    to.map((format) =>
      translateEach(events, from, format, request?.of === format ? request.made : undefined),
    ),
  );
  return [...events, undefined].map((event, at) => ({
    event,
    others: columns.map((column) => column[at] ?? []),
  }));
}

async function collect(text: string): Promise<readonly ServerSentEvent[]> {
  const events: ServerSentEvent[] = [];
  for await (const event of readEvents(bytesOf(`${text.trim()}\n\n`))) events.push(event);
  return events;
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text);
}

/** The events that each event becomes, and those of the end. */
async function translateEach(
  events: readonly ServerSentEvent[],
  from: FormatName,
  to: FormatName,
  request: TranslatedRequest | undefined,
): Promise<readonly (readonly ServerSentEvent[])[]> {
  const { writable, readable } = translateStream({ from, to, request });
  const rows: ServerSentEvent[][] = [];
  let row: ServerSentEvent[] = [];
  const reading = (async () => {
    for await (const event of readEvents(chunksOf(readable))) row.push(event);
  })();
  const writer = writable.getWriter();
  // A translated stream may be over before the vendor's is (`[DONE]`). Then it takes nothing more, and has no more events.
  let isOver = false;
  const unlessOver = async (written: () => Promise<void>): Promise<void> => {
    if (isOver) return;
    try {
      await written();
    } catch {
      isOver = true;
      await reading;
    }
  };
  const encoder = new TextEncoder();
  for (const { name, data } of events) {
    row = [];
    rows.push(row);
    const lines = data.split('\n').map((line) => `data: ${line}\n`);
    const text = `${name ? `event: ${name}\n` : ''}${lines.join('')}\n`;
    await unlessOver(() => writer.write(encoder.encode(text)));
    await nextTask();
  }
  row = [];
  rows.push(row);
  await unlessOver(() => writer.close());
  await reading;
  return rows;
}

async function* chunksOf(readable: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const reader = readable.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Waits until all that has been written has been read: streams hand on what they have in the same task. */
function nextTask(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port2.onmessage = () => {
      port2.close();
      resolve();
    };
    port1.postMessage(undefined);
  });
}

/** A whole stream in another format. */
export async function translateText(text: string, from: FormatName, to: FormatName): Promise<string> {
  if (from === to) return text;
  const source = new Blob([`${text.trim()}\n\n`]).stream();
  const bytes = source.pipeThrough(translateStream({ from, to }));
  return new Response(bytes).text();
}
