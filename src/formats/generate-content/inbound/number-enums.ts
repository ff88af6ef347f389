/** Answers with enums as numbers, for callers who ask for them (`$alt=json;enum-encoding=int`). */

import { parseExact } from '../../../conversation/rules/arguments.ts';
import { isObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { Inbound } from '../../format.ts';
import { withNumbers } from '../wire/enum-encoding.ts';

/** This inbound half, with numbers for the enums in its answers. */
export function numberingEnums(inbound: Inbound): Inbound {
  return {
    ...inbound,
    renderReply: (reply, asked) => withNumbers(inbound.renderReply(reply, asked), 'GenerateContentResponse'),
    renderEvents(asked) {
      const renderer = inbound.renderEvents(asked);
      return {
        transform: (event, out) => renderer.transform(event, numbering(out)),
        flush: (out) => renderer.flush?.(numbering(out)),
        // Both also write parts that were held back.
        fail: (error, out) => renderer.fail(error, numbering(out)),
        ping: (out) => renderer.ping?.(numbering(out)),
      };
    },
  };
}

/** A sink that puts numbers into what a renderer writes. An error has none. */
function numbering(out: Sink<Sse>): Sink<Sse> {
  return { enqueue: (event) => out.enqueue({ ...event, data: withNumbersIn(event.data) }) };
}

/** A chunk with numbers. The numbers in the arguments of calls keep their spelling. */
function withNumbersIn(data: string): string {
  const chunk = parseExact(data);
  return isObject(chunk) ? JSON.stringify(withNumbers(chunk, 'GenerateContentResponse')) : data;
}
