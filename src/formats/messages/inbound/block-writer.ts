/**
 * Writes the events of content blocks ("Streaming messages"). Blocks are numbered from 0, and each is stopped before the
 * next one starts.
 */

import type { Signature } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { isObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { CarrierPlace } from '../wire/signature-carriers.ts';
import { renderCarrierBlocks } from './render-carriers.ts';

type Out = Sink<Sse>;

/**
 * What Claude itself sends before a signature. Older clients need it as the beginning of a thought: the AI SDK 4 ends with
 * "reasoning-signature without reasoning" if a signature comes without one.
 */
export const EMPTY_THINKING = { type: 'thinking_delta', thinking: '' } as const;

interface BlockWriter {
  /** Starts a block. The carriers that wait are written before it. */
  start(block: JsonObject, out: Out): void;
  /** Returns the data of a delta of the open block up to its text. @param delta JSON of the delta up to its text. */
  deltaHead(delta: string): string;
  /** Writes a delta that is not text. */
  delta(delta: JsonObject, out: Out): void;
  /** Writes a delta of text. @param head as `deltaHead` returns it. */
  text(head: string, text: string, out: Out): void;
  stop(out: Out): void;
  /** Writes a block of Anthropic's own. The input of a tool comes as a delta, as from Anthropic, all else in the start. */
  whole(block: JsonObject, out: Out): void;
  /** Lets the carrier of a signature wait until another block starts: an answer must not end with a text's carrier. */
  carry(signature: Signature | undefined, place: CarrierPlace): void;
  /** Writes the carriers that wait. */
  writeCarriers(out: Out): void;
  /** Forgets the carriers that wait. */
  dropCarriers(): void;
}

/** Makes the writer of one answer. */
export function createBlockWriter(): BlockWriter {
  let index = 0;
  let carriers: JsonObject[] = [];

  const writeStart = (block: JsonObject, out: Out): void =>
    out.enqueue({
      event: 'content_block_start',
      data: `{"type":"content_block_start","index":${index},"content_block":${JSON.stringify(block)}}`,
    });

  const deltaHead = (delta: string): string =>
    `{"type":"content_block_delta","index":${index},"delta":${delta}`;

  const delta = (value: JsonObject, out: Out): void =>
    out.enqueue({ event: 'content_block_delta', data: `${deltaHead(JSON.stringify(value))}}` });

  const stop = (out: Out): void => {
    out.enqueue({ event: 'content_block_stop', data: `{"type":"content_block_stop","index":${index}}` });
    index += 1;
  };

  const writeCarriers = (out: Out): void => {
    for (const block of carriers) {
      writeStart({ ...block, signature: '' }, out);
      delta(EMPTY_THINKING, out);
      delta({ type: 'signature_delta', signature: block['signature'] }, out);
      stop(out);
    }
    carriers = [];
  };

  const start = (block: JsonObject, out: Out): void => {
    writeCarriers(out);
    writeStart(block, out);
  };

  return {
    start,
    deltaHead,
    delta,
    text: (head, text, out) =>
      out.enqueue({ event: 'content_block_delta', data: `${head}${JSON.stringify(text)}}}` }),
    stop,
    whole(block, out) {
      const { type, input } = block;
      const isCall = typeof type === 'string' && type.endsWith('tool_use') && isObject(input);
      start(isCall ? { ...block, input: {} } : block, out);
      if (isCall) delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }, out);
      stop(out);
    },
    carry: (signature, place) => void carriers.push(...renderCarrierBlocks(signature, place)),
    writeCarriers,
    dropCarriers() {
      carriers = [];
    },
  };
}
