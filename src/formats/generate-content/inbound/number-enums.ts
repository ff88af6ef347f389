/** Answers with enums as numbers, for callers who ask for them (`$alt=json;enum-encoding=int`). */

import type { ReplyEvent } from '../../../conversation/reply.ts';
import { parseExact } from '../../../conversation/rules/arguments.ts';
import type { GatewayError } from '../../../lib/errors.ts';
import { isObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, Inbound } from '../../format.ts';
import { withNumbers } from '../wire/enum-encoding.ts';

/** This inbound half, with numbers for the enums in its answers. */
export function numberingEnums(inbound: Inbound): Inbound {
  return {
    ...inbound,
    renderReply: (reply, asked) => withNumbers(inbound.renderReply(reply, asked), 'GenerateContentResponse'),
    renderEvents: (asked) => new NumberingRenderer(inbound.renderEvents(asked)),
  };
}

/** Puts numbers into what a renderer writes as answers; its failures have none. */
class NumberingRenderer implements EventRenderer {
  readonly #renderer: EventRenderer;
  #out: Sink<Sse> | undefined;

  constructor(renderer: EventRenderer) {
    this.#renderer = renderer;
  }

  transform(event: ReplyEvent, out: Sink<Sse>): void {
    this.#out = out;
    this.#renderer.transform(event, this);
  }

  flush(out: Sink<Sse>): void {
    this.#out = out;
    this.#renderer.flush?.(this);
  }

  fail(error: GatewayError, out: Sink<Sse>): void {
    this.#renderer.fail(error, out);
  }

  ping(out: Sink<Sse>): void {
    this.#renderer.ping?.(out);
  }

  /** @internal What the renderer writes. */
  enqueue(event: Sse): void {
    this.#out?.enqueue({ ...event, data: withNumbersIn(event.data) });
  }
}

/** A chunk with numbers. The numbers in the arguments of calls keep their spelling. */
function withNumbersIn(data: string): string {
  const chunk = parseExact(data);
  return isObject(chunk) ? JSON.stringify(withNumbers(chunk, 'GenerateContentResponse')) : data;
}
