/** Neutral events as the events of Anthropic's stream ("Streaming messages"). */

import type { ChoiceEnd, ReplyEvent, ReplyStart, Usage } from '../../../conversation/reply.ts';
import { mergeUsage } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { renderLateError } from '../wire/errors.ts';
import { endFields, renderStop } from '../wire/finish-reasons.ts';
import { renderUsedTier } from '../wire/service-tier.ts';
import { renderUsage } from '../wire/usage.ts';
import { searchTool } from '../wire/web-searches.ts';
import { blockEvents } from './render-blocks.ts';
import { renderMessage } from './response-fields.ts';

/** What keeps a stream open: Anthropic's own event for it, byte for byte. */
export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

/** A message has one choice: of several, the first is told. */
export function renderEvents(asked: RequestContext): EventRenderer {
  const blocks = blockEvents(asked.id, searchTool(asked.prompt));
  let usage: Usage = {};
  let end: Omit<ChoiceEnd, 'type' | 'choice'> = { finish: 'other' };

  const start = (event: ReplyStart, out: Sink<Sse>): void => {
    // Input is rarely known as early as this, and output never is: `message_delta` tells it all.
    const { output: _, reasoning: __, ...early } = usage;
    const known = { ...renderUsage(early), ...renderUsedTier(event.serviceTier) };
    const open = { stop_reason: null, stop_sequence: null, stop_details: null, usage: known };
    out.enqueue(named('message_start', { message: renderMessage(event, asked, [], open) }));
  };

  const stop = (out: Sink<Sse>): void => {
    blocks.close(out);
    const { inside, beside } = endFields(end);
    const delta = {
      ...inside,
      ...blocks.others(),
      ...renderStop(end, { ...blocks.said(), stop: asked.prompt.stop }),
    };
    out.enqueue(named('message_delta', { ...beside, delta, usage: renderUsage(usage) }));
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

/** An event, named as its data's `type` is. */
function named(type: string, fields: JsonObject): Sse {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}
