/**
 * Writes the events of content blocks ("Streaming messages"). Blocks are numbered from 0, and each is stopped before the
 * next one starts.
 */

import type { Signature } from '../../../conversation/prompt.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
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

/** Writes one answer. */
export class BlockWriter {
  #index = 0;
  /** The carriers that wait. */
  #carriers: JsonObject[] | undefined;

  /** Starts a block. The carriers that wait are written before it. */
  start(block: JsonObject, out: Out): void {
    this.writeCarriers(out);
    this.#writeStart(block, out);
  }

  /** Returns the data of a delta of the open block up to its text. @param delta JSON of the delta up to its text. */
  deltaHead(delta: string): string {
    return `{"type":"content_block_delta","index":${this.#index},"delta":${delta}`;
  }

  /** Writes a delta that is not text. */
  delta(value: JsonObject, out: Out): void {
    out.enqueue({ event: 'content_block_delta', data: `${this.deltaHead(JSON.stringify(value))}}` });
  }

  /** Writes a delta of text. @param head as `deltaHead` returns it. */
  text(head: string, text: string, out: Out): void {
    out.enqueue({ event: 'content_block_delta', data: `${head}${JSON.stringify(text)}}}` });
  }

  stop(out: Out): void {
    const data = `{"type":"content_block_stop","index":${this.#index}}`;
    out.enqueue({ event: 'content_block_stop', data });
    this.#index += 1;
  }

  /** Writes a block of Anthropic's own. The input of a tool comes as a delta, as from Anthropic, all else in the start. */
  whole(block: JsonObject, out: Out): void {
    const { type, input } = block;
    const isCall = typeof type === 'string' && type.endsWith('tool_use') && isObject(input);
    this.start(isCall ? { ...block, input: {} } : block, out);
    if (isCall) this.delta({ type: 'input_json_delta', partial_json: JSON.stringify(input) }, out);
    this.stop(out);
  }

  /** Lets the carrier of a signature wait until another block starts: an answer must not end with a text's carrier. */
  carry(signature: Signature | undefined, place: CarrierPlace): void {
    for (const carrier of renderCarrierBlocks(signature, place)) {
      this.#carriers ??= [];
      this.#carriers.push(carrier);
    }
  }

  /** Writes the carriers that wait. */
  writeCarriers(out: Out): void {
    if (this.#carriers === undefined) return;
    for (const block of this.#carriers) {
      this.#writeStart({ ...block, signature: '' }, out);
      this.delta(EMPTY_THINKING, out);
      this.delta({ type: 'signature_delta', signature: block['signature'] }, out);
      this.stop(out);
    }
    this.#carriers = undefined;
  }

  /** Forgets the carriers that wait. */
  dropCarriers(): void {
    this.#carriers = undefined;
  }

  #writeStart(block: JsonObject, out: Out): void {
    out.enqueue({
      event: 'content_block_start',
      data: `{"type":"content_block_start","index":${this.#index},"content_block":${JSON.stringify(block)}}`,
    });
  }
}
