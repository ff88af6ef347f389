/**
 * Renders neutral events as a responses stream (OpenAI API reference, "Streaming events"): events are numbered without
 * gaps, items come strictly one after another, and the whole response comes at the end.
 */

import type { ReplyEvent } from '../../../conversation/reply.ts';
import type { GatewayError } from '../../../lib/errors.ts';
import { asText, type JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { renderFailureCode } from '../wire/failure-codes.ts';
import type { Deltas, EventWriter } from './output-item.ts';
import { renderErrorFields } from './render-error.ts';
import { ResponseWriter } from './response-writer.ts';

const NOWHERE: Sink<Sse> = { enqueue() {} };

/** @see Inbound.renderEvents */
export function renderEvents(request: RequestContext): EventRenderer {
  return new ResponseEvents(request);
}

/** Renders one answer, and writes its events. */
class ResponseEvents implements EventRenderer, EventWriter {
  readonly #response: ResponseWriter;
  #out = NOWHERE;
  #sequence = 0;

  constructor(request: RequestContext) {
    this.#response = new ResponseWriter(request, this);
  }

  transform(event: ReplyEvent, out: Sink<Sse>): void {
    this.#out = out;
    this.#response.add(event);
  }

  fail(error: GatewayError, out: Sink<Sse>): void {
    this.#out = out;
    // The vendor's connection broke after its last event: the answer is whole.
    if (this.#response.isOver()) return;
    // Clients expect a response to begin before it fails, even if it fails before the first event.
    this.#response.begin();
    const fields = renderErrorFields(error);
    this.write('error', fields);
    const code = renderFailureCode(asText(fields['code']));
    const response = this.#response.renderFailed({ code, message: error.message });
    this.write('response.failed', { response });
  }

  /**
   * Writes an event, and no comment: Codex waits five minutes for an event, and does not count comments
   * (openai/codex#31539). Clients that split the stream at empty lines take a comment, together with the event after
   * it, for no event.
   */
  ping(out: Sink<Sse>): void {
    this.#out = out;
    this.#response.keepAlive();
  }

  // What the items write.

  write(type: string, fields: JsonObject): void {
    this.writeEach([type], () => fields);
  }

  writeEach(types: readonly string[], makeFields: () => JsonObject): void {
    const serialized = JSON.stringify(makeFields()).slice(1);
    for (const type of types) {
      const data = `{"type":"${type}","sequence_number":${this.#nextNumber()},${serialized}`;
      this.#out.enqueue({ event: type, data });
    }
  }

  deltas(type: string, place: JsonObject): Deltas {
    return { type, head: `{"type":"${type}",${JSON.stringify(place).slice(1, -1)},"sequence_number":` };
  }

  writeDelta({ type, head }: Deltas, text: string): void {
    const data = `${head}${this.#nextNumber()},"delta":${JSON.stringify(text)}}`;
    this.#out.enqueue({ event: type, data });
  }

  #nextNumber(): number {
    this.#sequence += 1;
    return this.#sequence - 1;
  }
}
