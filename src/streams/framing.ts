/** How the events of a stream are written to a caller. */

import { encodeSse, type Sse } from './sse.ts';
import type { Step } from './step.ts';

export interface Framing extends Step<Sse, string> {
  readonly contentType: string;
  /** What says nothing but that there is more to come. */
  ping(): string;
}

/** As server-sent events. @param ping of the format. */
export function framedAsEvents(ping: string): Framing {
  return { ...encodeSse(), contentType: 'text/event-stream; charset=utf-8', ping: () => ping };
}

/**
 * As one JSON list of what they say, in which white space says nothing; but only in it: Google's client for Python takes
 * no other sign for the first one than `[`, and none after `]` (api_core, `BaseResponseIterator`).
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
