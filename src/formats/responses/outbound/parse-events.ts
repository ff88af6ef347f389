/**
 * OpenAI's responses as neutral events: a stream (API reference, "Streaming events"), or a whole response, which is
 * read as items that come all at once. Of the services that speak this format, some leave out events or their
 * numbers, so what an item's end shows beyond what came before is made up for.
 */

import type { Prompt } from '../../../conversation/prompt.ts';
import type { ReplyEvent, ReplyStart } from '../../../conversation/reply.ts';
import { withParallelCalls } from '../../../conversation/rules/parallel-calls.ts';
import { endedEarly, GatewayError } from '../../../lib/errors.ts';
import {
  asNumber,
  asObject,
  asObjects,
  asText,
  isObject,
  type Json,
  type JsonObject,
} from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink, Step } from '../../../streams/step.ts';
import { broken, eventObject } from '../../event-data.ts';
import type { ModelTraits } from '../../format.ts';
import { parseErrorObject } from '../wire/errors.ts';
import { parseFinish } from '../wire/finish-reasons.ts';
import { parseUsage } from '../wire/usage.ts';
import { additionalFields } from './additional-fields.ts';
import { ITEM_EVENTS, type ItemEvent } from './item-events.ts';
import { itemOrder } from './item-order.ts';
import type { ItemReader } from './item-reader.ts';
import { itemReaders } from './parse-item.ts';
import { partWriter } from './part-writer.ts';

/** Statuses of a response that is no answer, or not yet. */
const UNFINISHED: ReadonlySet<Json | undefined> = new Set(['queued', 'in_progress', 'cancelled']);

const NOWHERE: Sink<ReplyEvent> = { enqueue() {} };

/** @see Outbound.parseEvents */
export function parseEvents(prompt: Prompt, _target: ModelTraits): Step<Sse, ReplyEvent> {
  return withParallelCalls(parseItems(prompt), prompt);
}

function parseItems(prompt: Prompt): Step<Sse, ReplyEvent> {
  let out = NOWHERE;
  let started = false;
  let ended = false;
  let seen = false;
  const parts = partWriter(() => out);
  const readerOf = itemReaders(parts, prompt.tools);
  /** Items that are not done yet. */
  const open = new Map<number, { readonly reader: ItemReader; readonly item: JsonObject }>();
  /** What came of calls that were not added yet: their names are to come. */
  const early: { readonly at: number; readonly what: ItemEvent; readonly event: JsonObject }[] = [];

  const start = (response: JsonObject): void => {
    if (started) return;
    started = true;
    out.enqueue(replyStart(response));
  };

  const openItem = (at: number, item: JsonObject): ItemReader => {
    start({});
    seen = true;
    const reader = readerOf(at, item);
    open.set(at, { reader, item });
    for (const held of early) if (held.at === at) reader.read(held.what, held.event);
    return reader;
  };

  const order = itemOrder((what, event, at) => {
    const known = open.get(at)?.reader;
    if (what.verb === 'item') {
      if (!known) openItem(at, asObject(event['item']) ?? {});
    } else if (what.verb === 'item-done') {
      const item = asObject(event['item']) ?? {};
      (known ?? openItem(at, item)).done(item);
      open.delete(at);
    } else if (!known && what.kind.part === 'tool-call') early.push({ at, what, event });
    else {
      // Of an item that was never added, the first event tells the kind.
      const type = what.kind.part === 'thinking' ? 'reasoning' : 'message';
      (known ?? openItem(at, { type })).read(what, event);
    }
  });

  const end = (response: JsonObject): void => {
    const output = asObjects(response['output']);
    start(response);
    order.flush();
    for (const [at, { reader, item }] of open) {
      const whole = output[at];
      reader.done(whole && whole['type'] === item['type'] ? whole : item);
    }
    open.clear();
    if (!seen) for (const [at, item] of output.entries()) openItem(at, item).done(item);
    const usage = parseUsage(response['usage']);
    if (usage) out.enqueue({ type: 'usage', usage });
    const finish = parseFinish(response, parts.said);
    out.enqueue({ type: 'choice-end', choice: 0, ...finish, ...additionalFields(response, finish.finish) });
    const { serviceTier } = replyStart(response);
    out.enqueue({ type: 'reply-end', ...(serviceTier !== undefined && { serviceTier }) });
    ended = true;
  };

  const readEvent = (type: string, event: JsonObject): void => {
    const what = ITEM_EVENTS.get(type);
    if (what) {
      order.add(what, event);
      return;
    }
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        start(asObject(event['response']) ?? {});
        return;
      case 'response.completed':
      case 'response.incomplete':
        end(endedBy(type, asObject(event['response']) ?? {}));
        return;
      case 'error':
      case 'response.failed':
        throw parseErrorObject(event);
      case 'response.cancelled':
        throw new GatewayError('upstream-broken', 'The upstream gave up on its answer.');
    }
  };

  const readWhole = (body: JsonObject): void => {
    const { error, object, output, status } = body;
    if (status === 'failed' || (isObject(error) && status !== 'incomplete') || typeof error === 'string')
      throw parseErrorObject(body);
    if (object !== 'response' && !Array.isArray(output)) throw broken('something that is not a response');
    if (UNFINISHED.has(status)) throw broken('a response that is not finished');
    end(body);
  };

  return {
    transform({ data }, sink) {
      if (ended || data === '[DONE]') return;
      out = sink;
      const value = eventObject(data);
      const { type } = value;
      if (typeof type === 'string') readEvent(type, value);
      else readWhole(value);
    },
    flush() {
      if (ended) return;
      throw endedEarly();
    },
  };
}

/**
 * A response as the event tells that ends it: some services leave out its status (openclaw/openclaw#115132), and Azure's
 * may call one `incomplete` that is not, and then gives no reason (NousResearch/hermes-agent#27988).
 */
function endedBy(type: string, response: JsonObject): JsonObject {
  if (type === 'response.incomplete') return { ...response, status: 'incomplete' };
  const hasReason = asText(asObject(response['incomplete_details'])?.['reason']) !== undefined;
  return hasReason ? response : { ...response, status: 'completed' };
}

function replyStart(response: JsonObject): ReplyStart {
  const created = asNumber(response['created_at']);
  const serviceTier = asText(response['service_tier']);
  return {
    type: 'reply-start',
    id: asText(response['id']) ?? '',
    model: asText(response['model']) ?? '',
    ...(created !== undefined && { created: Math.floor(created) }),
    // `auto` is what was asked for; which tier it became is told at the end.
    ...(serviceTier !== undefined && serviceTier !== 'auto' && { serviceTier }),
  };
}
