/** How the events of a stream are written to a caller. */

import { type Sse, sseText } from './sse.ts';
import type { Sink, Step } from './step.ts';

export interface Framing extends Step<Sse, string> {
  readonly contentType: string;
  /** Text that means only that more is to come: a keep-alive. */
  ping(): string;
}

/** Frames events as server-sent events. @param ping the format's keep-alive. */
export function framedAsEvents(ping: string): Framing {
  return new EventFraming(ping);
}

class EventFraming implements Framing {
  readonly #ping: string;

  constructor(ping: string) {
    this.#ping = ping;
  }

  get contentType(): string {
    return 'text/event-stream; charset=utf-8';
  }

  transform(event: Sse, out: Sink<string>): void {
    out.enqueue(sseText(event));
  }

  ping(): string {
    return this.#ping;
  }
}

/**
 * Frames the data of events as one JSON list, in which white space is the keep-alive. It is sent only inside the list:
 * Google's Python client expects `[` first and nothing after `]` (api_core, `BaseResponseIterator`).
 */
export function framedAsList(): Framing {
  let opening = '[';
  let comma = '';
  const opened = (): string => {
    const before = opening;
    opening = '';
    return before;
  };
  return {
    contentType: 'application/json; charset=utf-8',
    transform({ data }, out) {
      out.enqueue(`${opened()}${comma}${data}\n`);
      comma = ',\r\n';
    },
    flush: (out) => out.enqueue(`${opened()}]`),
    ping: () => `${opened()}\n`,
  };
}
