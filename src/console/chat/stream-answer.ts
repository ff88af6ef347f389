/** One answer of a model: requested, and recorded as it streams in. */

import type { Update, WireFormat } from '../formats/dialogue.ts';
import { parseJson } from '../formats/json.ts';
import { readEvents } from '../formats/sse.ts';
import { getCost, type Model } from '../models/model.ts';
import { BROKEN_OFF, errorMessage, reach, readBytes, readRefusal } from '../session/reach.ts';
import type { AnswerNode, Block, SentRequest, StreamEvent } from './conversation.ts';

export interface AnswerOptions {
  readonly request: SentRequest;
  readonly format: WireFormat;
  readonly key: string;
  /** Gives the prices; undefined if the catalog does not have the model. */
  readonly model: Model | undefined;
  /** Stops the answer. */
  readonly signal: AbortSignal;
  /** Receives the answer as it stands: at most once a frame, and at its end. */
  readonly onChange: (answer: AnswerNode) => void;
}

/** Headers of a response that say how the gateway answered. */
const TELLING =
  /^(?:content-type|x-request-id|request-id|server-timing|retry-after|x-gateway-|x-ratelimit|anthropic-)/;

/**
 * Sends the request, and fills `begun` with the answer. It does not throw: a failure is part of the answer, and
 * what has arrived before it stays.
 */
export async function streamAnswer(
  begun: AnswerNode,
  { request, format, key, model, signal, onChange }: AnswerOptions,
): Promise<AnswerNode> {
  const start = performance.now();
  const since = (): number => performance.now() - start;
  let answer = begun;
  const blocks: Block[] = [];
  const events: StreamEvent[] = [];
  let frame = 0;
  const show = (): void => {
    cancelAnimationFrame(frame);
    frame = 0;
    answer = { ...answer, blocks: [...blocks], trace: { request, events: [...events] } };
    onChange(answer);
  };
  const take = (update: Update): void => {
    // The answer has failed, whatever follows in the stream. It must not go back to the model as a complete one.
    if ('error' in update) throw new Error(update.error);
    if ('usage' in update) answer = { ...answer, usage: update.usage };
    else if ('finish' in update) answer = { ...answer, finish: update.finish };
    else if ('citation' in update) answer = { ...answer, citations: [...answer.citations, update.citation] };
    else {
      answer = answer.firstAfter === undefined ? { ...answer, firstAfter: since() } : answer;
      addTo(blocks, update);
    }
  };
  try {
    const response = await reach(request.path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...format.headers(key) },
      body: JSON.stringify(request.body),
      signal,
    });
    const headers = [...response.headers].filter(([name]) => TELLING.test(name));
    answer = { ...answer, response: { status: response.status, headers } };
    if (!response.ok || !response.body) throw await readRefusal(response);
    const reader = format.reader();
    for await (const { name, data } of readEvents(readBytes(response.body))) {
      events.push({ time: since(), name, data });
      if (data !== '[DONE]') for (const update of reader.read(parseJson(data))) take(update);
      // A fast model sends thousands of words a second. A layout for each of them would leave the page no time.
      frame ||= requestAnimationFrame(show);
    }
    requireEnd(answer, events);
    const kept = { format: format.name, model: begun.model, items: reader.kept() };
    answer = { ...answer, state: 'complete', kept };
  } catch (error) {
    answer = signal.aborted
      ? { ...answer, state: 'stopped' }
      : { ...answer, state: 'failed', error: errorMessage(error) };
  }
  answer = { ...answer, endedAfter: since() };
  if (answer.usage && model) {
    answer = { ...answer, cost: model.simulated ? 0 : getCost(answer.usage, model.prices) };
  }
  show();
  return answer;
}

/**
 * A proxy may end a body of which it has passed on the beginning, or answer with a page of its own.
 * @throws Error if neither the answer nor the stream has said that this is the end
 */
function requireEnd({ finish }: AnswerNode, events: readonly StreamEvent[]): void {
  if (finish === undefined && events.at(-1)?.data !== '[DONE]') throw new Error(BROKEN_OFF);
}

/** Adds an update to the blocks. Pieces of text in a row are one block. */
function addTo(blocks: Block[], update: Update): void {
  const last = blocks.at(-1);
  if ('text' in update) {
    if (last?.kind === 'text') blocks[blocks.length - 1] = { ...last, text: last.text + update.text };
    else blocks.push({ kind: 'text', text: update.text });
  } else if ('thinking' in update) {
    if (last?.kind === 'thinking') blocks[blocks.length - 1] = { ...last, text: last.text + update.thinking };
    else blocks.push({ kind: 'thinking', text: update.thinking });
  } else if ('call' in update) {
    blocks.push({ kind: 'call', ...update.call, arguments: '' });
  } else if ('image' in update) {
    blocks.push({ kind: 'image', image: update.image });
  } else if ('arguments' in update) {
    const places = blocks.flatMap((block, at) => (block.kind === 'call' ? [at] : []));
    const place = places[update.at] ?? -1;
    const call = blocks[place];
    if (call?.kind === 'call') blocks[place] = { ...call, arguments: call.arguments + update.arguments };
  }
}
