/** Events of a reply as the events of Anthropic's stream ("Streaming messages"). */

import type { ChoiceEnd, ReplyEvent, ReplyStart, Usage } from '../../../conversation/reply.ts';
import { mergeUsage } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { renderEndFields, renderStop } from '../wire/finish-reasons.ts';
import { renderUsage } from '../wire/usage.ts';
import { createBlockRenderer } from './render-blocks.ts';
import { renderLateError } from './render-error.ts';
import { findWebSearch } from './render-web-searches.ts';
import { renderMessage } from './response-fields.ts';

/** Keeps a silent stream open: Anthropic's own event for that, byte for byte. */
export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

/**
 * Makes the renderer of one streamed answer.
 * @see Inbound.renderEvents
 * @returns a renderer that writes the first choice only, because a message has one.
 */
export function renderEvents(asked: RequestContext): EventRenderer {
  const blocks = createBlockRenderer(asked.id, findWebSearch(asked.prompt));
  let usage: Usage = {};
  let tier: string | undefined;
  let end: Omit<ChoiceEnd, 'type' | 'choice'> = { finish: 'other' };

  const start = (event: ReplyStart, out: Sink<Sse>): void => {
    // The number of input tokens is rarely known this early, that of output tokens never. `message_delta` has both. Some
    // clients read the input here alone (LangChain's ChatAnthropic), so it is estimated.
    const { output: _, reasoning: __, input = asked.estimatedInput, ...others } = usage;
    const early = input === undefined ? others : { ...others, input };
    tier = event.serviceTier;
    const known = renderUsage(early, tier);
    const open = { stop_reason: null, stop_sequence: null, stop_details: null, usage: known };
    out.enqueue(named('message_start', { message: renderMessage(event, asked, [], open) }));
  };

  const stop = (out: Sink<Sse>): void => {
    blocks.close(out);
    const { inside, beside } = renderEndFields(end);
    const delta = {
      container: null,
      ...inside,
      ...blocks.others(),
      ...renderStop(end, { ...blocks.said(), stop: asked.prompt.stop }),
    };
    out.enqueue(named('message_delta', { ...beside, delta, usage: renderUsage(usage, tier) }));
    out.enqueue(named('message_stop', {}));
  };

  const transform = (event: ReplyEvent, out: Sink<Sse>): void => {
    switch (event.type) {
      case 'part-delta':
        if (event.choice === 0) blocks.delta(event.text, out);
        return;
      case 'part-start':
        if (event.choice === 0) blocks.start(event, out);
        return;
      case 'part-detail':
        if (event.choice === 0) blocks.detail(event, out);
        return;
      case 'part-end':
        if (event.choice === 0) blocks.end(out);
        return;
      case 'choice-end':
        if (event.choice === 0) end = event;
        return;
      case 'usage':
        usage = mergeUsage(usage, event.usage);
        return;
      case 'reply-start':
        start(event, out);
        return;
      case 'reply-end':
        tier = event.serviceTier ?? tier;
        stop(out);
        return;
      case 'logprobs':
        // Anthropic has none.
        return;
    }
  };

  return {
    transform,
    fail: (error, out) => out.enqueue(renderLateError(error)),
  };
}

/** Makes an event whose name is also the `type` in its data. */
function named(type: string, fields: JsonObject): Sse {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}
