/** Answers with enums as numbers, for callers who ask for them (`$alt=json;enum-encoding=int`). */

import { parseExact } from '../../../conversation/rules/arguments.ts';
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
    renderEvents: (asked) => numberingEvents(inbound.renderEvents(asked)),
  };
}

function numberingEvents(renderer: EventRenderer): EventRenderer {
  const numbering = (out: Sink<Sse>): Sink<Sse> => ({
    enqueue: (event) => out.enqueue({ ...event, data: withNumbersIn(event.data) }),
  });
  const { ping } = renderer;
  return {
    ...renderer,
    transform: (event, out) => renderer.transform(event, numbering(out)),
    ...(renderer.flush && { flush: (out: Sink<Sse>) => renderer.flush?.(numbering(out)) }),
    ...(ping && { ping: (out: Sink<Sse>) => ping(out) }),
  };
}

/** A chunk with numbers. The numbers in the arguments of calls keep their spelling. */
function withNumbersIn(data: string): string {
  const chunk = parseExact(data);
  return isObject(chunk) ? JSON.stringify(withNumbers(chunk, 'GenerateContentResponse')) : data;
}
