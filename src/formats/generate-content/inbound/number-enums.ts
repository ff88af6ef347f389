/** Answers with enums as numbers, for callers who ask for them (`$alt=json;enum-encoding=int`). */

import { parseExact } from '../../../conversation/rules/arguments.ts';
import { isObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import { fuse, type Step } from '../../../streams/step.ts';
import type { Inbound } from '../../format.ts';
import { fusedRenderer } from '../../fused-renderer.ts';
import { withNumbers } from '../wire/enum-encoding.ts';

/** This inbound half, with numbers for the enums in its answers. */
export function numberingEnums(inbound: Inbound): Inbound {
  return {
    ...inbound,
    renderReply: (reply, asked) => withNumbers(inbound.renderReply(reply, asked), 'GenerateContentResponse'),
    renderEvents(asked) {
      const renderer = inbound.renderEvents(asked);
      return fusedRenderer(renderer, fuse(renderer, NUMBERING));
    },
  };
}

/** Puts numbers into what a renderer writes as answers; its failures have none. */
const NUMBERING: Step<Sse, Sse> = {
  transform: (event, out) => out.enqueue({ ...event, data: withNumbersIn(event.data) }),
};

/** A chunk with numbers. The numbers in the arguments of calls keep their spelling. */
function withNumbersIn(data: string): string {
  const chunk = parseExact(data);
  return isObject(chunk) ? JSON.stringify(withNumbers(chunk, 'GenerateContentResponse')) : data;
}
