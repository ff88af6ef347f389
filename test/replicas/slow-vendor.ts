/**
 * A vendor with streams that send a word now and then until a test ends them, and with short answers beside
 * them.
 */

import type { ServerResponse } from 'node:http';
import { chunk } from '../faults/stage.ts';
import { startUpstream } from '../support/upstream.ts';

/** A stream with this text in its prompt continues until a test ends it. */
export const LASTING = 'Go on.';

/** Milliseconds between two words. */
const PAUSE = 100;

export interface SlowVendor {
  readonly url: string;
  /** How many streams are open. */
  lasting(): number;
  /** Ends those with `text` in their prompt, properly. */
  finish(text: string): void;
  close(): Promise<void>;
}

export async function startSlowVendor(): Promise<SlowVendor> {
  const lasting = new Map<ServerResponse, { readonly prompt: string; words: number }>();
  const upstream = await startUpstream(({ body }, response) => {
    const prompt = body.toString();
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    if (!prompt.includes(LASTING)) {
      response.end(chunk('word 0 ') + endOf(1));
      return;
    }
    lasting.set(response, { prompt, words: 1 });
    response.write(chunk('word 0 '));
    response.once('close', () => lasting.delete(response));
  });
  const saying = setInterval(() => {
    for (const [response, stream] of lasting) response.write(chunk(`word ${stream.words++} `));
  }, PAUSE);
  return {
    url: upstream.url,
    lasting: () => lasting.size,
    finish(text) {
      for (const [response, { prompt, words }] of lasting) {
        if (!prompt.includes(text)) continue;
        lasting.delete(response);
        response.end(endOf(words));
      }
    },
    async close() {
      clearInterval(saying);
      await upstream.close();
    },
  };
}

/** The end of a stream, with its usage. */
function endOf(words: number): string {
  const about = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm' };
  const usage = { prompt_tokens: 7, completion_tokens: words, total_tokens: 7 + words };
  return [
    { ...about, choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    { ...about, choices: [], usage },
  ]
    .map((event) => `data: ${JSON.stringify(event)}\n\n`)
    .concat('data: [DONE]\n\n')
    .join('');
}

/** How many words of a stream have arrived. @throws Error if one is missing or came twice. */
export function wordsIn(text: string): number {
  const words = [...text.matchAll(/word (\d+) /g)].map(([, number]) => Number(number));
  if (words.some((number, at) => number !== at)) throw new Error(`Not in order: ${words.join(' ')}`);
  return words.length;
}

/** Whether a stream in either format has reached its proper end. */
export function hasEnded(text: string): boolean {
  return /data: \[DONE\]\n\n$/.test(text) || /"type":"message_stop"\}\n\n$/.test(text);
}
