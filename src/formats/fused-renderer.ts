/** A renderer that is joined with a step before or behind it. */

import type { ReplyEvent } from '../conversation/reply.ts';
import type { Sse } from '../streams/sse.ts';
import type { Step } from '../streams/step.ts';
import type { EventRenderer } from './format.ts';

/**
 * Makes the renderer.
 * @param renderer writes the failures and keep-alives, which do not pass through the step that is joined.
 * @param fused `renderer` and that step.
 */
export function fusedRenderer(renderer: EventRenderer, fused: Step<ReplyEvent, Sse>): EventRenderer {
  return {
    transform: (event, out) => fused.transform(event, out),
    flush: (out) => fused.flush?.(out),
    fail: (error, out) => renderer.fail(error, out),
    ping: (out) => renderer.ping?.(out),
  };
}
