/** Events of a reply as the events of Anthropic's stream ("Streaming messages"). */

import type { ChoiceEnd, ReplyEvent, ReplyStart, Usage } from '../../../conversation/reply.ts';
import { mergeUsage } from '../../../conversation/reply.ts';
import type { GatewayError } from '../../../lib/errors.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { EventRenderer, RequestContext } from '../../format.ts';
import { renderEndFields, renderStop } from '../wire/finish-reasons.ts';
import { renderUsage } from '../wire/usage.ts';
import { BlockRenderer } from './render-blocks.ts';
import { renderLateError } from './render-error.ts';
import { findWebSearch } from './render-web-searches.ts';
import { renderMessage } from './response-fields.ts';

/** Keeps a silent stream open: Anthropic's own event for that, byte for byte. */
export const PING = 'event: ping\ndata: {"type": "ping"}\n\n';

type End = Omit<ChoiceEnd, 'type' | 'choice'>;

const NO_END: End = { finish: 'other' };
const NO_USAGE: Usage = {};

/** @see Inbound.renderEvents */
export function renderEvents(asked: RequestContext): EventRenderer {
  return new MessageRenderer(asked);
}

/** Renders one streamed answer: the first choice only, because a message has one. */
class MessageRenderer implements EventRenderer {
  readonly #asked: RequestContext;
  readonly #blocks: BlockRenderer;
  #usage = NO_USAGE;
  #tier: string | undefined;
  #end = NO_END;

  constructor(asked: RequestContext) {
    this.#asked = asked;
    this.#blocks = new BlockRenderer(asked.id, findWebSearch(asked.prompt));
  }

  transform(event: ReplyEvent, out: Sink<Sse>): void {
    switch (event.type) {
      case 'part-delta':
        if (event.choice === 0) this.#blocks.delta(event.text, out);
        return;
      case 'part-start':
        if (event.choice === 0) this.#blocks.start(event, out);
        return;
      case 'part-detail':
        if (event.choice === 0) this.#blocks.detail(event, out);
        return;
      case 'part-end':
        if (event.choice === 0) this.#blocks.end(out);
        return;
      case 'choice-end':
        if (event.choice === 0) this.#end = event;
        return;
      case 'usage':
        this.#usage = mergeUsage(this.#usage, event.usage);
        return;
      case 'reply-start':
        this.#start(event, out);
        return;
      case 'reply-end':
        this.#tier = event.serviceTier ?? this.#tier;
        this.#stop(out);
        return;
      case 'logprobs':
        // Anthropic has none.
        return;
    }
  }

  fail(error: GatewayError, out: Sink<Sse>): void {
    out.enqueue(renderLateError(error));
  }

  #start(event: ReplyStart, out: Sink<Sse>): void {
    // The number of input tokens is rarely known this early, that of output tokens never. `message_delta` has both. Some
    // clients read the input here alone (LangChain's ChatAnthropic), so it is estimated.
    const { output: _, reasoning: __, input = this.#asked.estimatedInput, ...others } = this.#usage;
    const early = input === undefined ? others : { ...others, input };
    this.#tier = event.serviceTier;
    const usage = renderUsage(early, this.#tier);
    const open = { stop_reason: null, stop_sequence: null, stop_details: null, usage };
    out.enqueue(named('message_start', { message: renderMessage(event, this.#asked, [], open) }));
  }

  #stop(out: Sink<Sse>): void {
    const blocks = this.#blocks;
    blocks.close(this.#end, out);
    const { inside, beside } = renderEndFields(this.#end);
    const { calls, refusal } = blocks;
    const delta = {
      container: null,
      ...inside,
      ...blocks.others(),
      ...renderStop(this.#end, { calls, refusal, stop: this.#asked.prompt.stop }),
    };
    const usage = renderUsage(this.#usage, this.#tier);
    out.enqueue(named('message_delta', { ...beside, delta, usage }));
    out.enqueue(named('message_stop', {}));
  }
}

/** Makes an event whose name is also the `type` in its data. */
function named(type: string, fields: JsonObject): Sse {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}
