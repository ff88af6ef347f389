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
import type { Deltas, EventWriter } from './output-item.ts';
import { renderErrorFields, renderFailureCode } from './render-error.ts';
import type { RenderedResponse } from './rendered-response.ts';
import { ResponseWriter } from './response-writer.ts';

const NOWHERE: Sink<Sse> = { enqueue() {} };

/** @see Inbound.renderEvents */
export function renderEvents(request: RequestContext): EventRenderer {
  return new ResponseEvents(request);
}

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
    const code = renderFailureCode(asText(fields['code']), error.fault);
    const message = asText(fields['message']) ?? error.message;
    this.writeResponse(['response.failed'], () => this.#response.renderFailed({ code, message }));
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
    this.#write(type, JSON.stringify(fields).slice(1));
  }

  writeResponse(types: readonly string[], render: () => RenderedResponse): void {
    const fields = `"response":${render().text()}}`;
    for (const type of types) this.#write(type, fields);
  }

  /** @param fields JSON without the first bracket */
  #write(type: string, fields: string): void {
    const data = `{"type":"${type}","sequence_number":${this.#nextNumber()},${fields}`;
    this.#out.enqueue({ event: type, data });
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
