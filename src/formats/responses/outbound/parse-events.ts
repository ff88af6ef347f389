/**
 * Parses OpenAI's responses as neutral events: a stream (API reference, "Streaming events"), or a whole response, which
 * is read like a stream whose items come all at once. Some services that speak this format leave out events or their
 * numbers, so what an item has at its end beyond its events is made up for.
 */

import type { Prompt } from '../../../conversation/prompt.ts';
import type { ReplyEvent, ReplyStart } from '../../../conversation/reply.ts';
import { withParallelCalls } from '../../../conversation/rules/parallel-calls.ts';
import { withSettledCalls } from '../../../conversation/rules/settle-calls.ts';
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
import type { Sink } from '../../../streams/step.ts';
import { brokenAnswer, parseEventObject } from '../../event-data.ts';
import type { EventParser, ModelTraits } from '../../format.ts';
import { parseErrorObject } from '../../openai/errors.ts';
import { parseFinish } from '../wire/finish-reasons.ts';
import { parseUsage } from '../wire/usage.ts';
import { parseAdditionalFields } from './additional-fields.ts';
import { itemDispatcher } from './item-dispatcher.ts';
import { ITEM_EVENTS } from './item-events.ts';
import { partWriter } from './part-writer.ts';

/** Statuses of a response that is no answer, or not yet. */
const UNFINISHED: ReadonlySet<Json | undefined> = new Set(['queued', 'in_progress', 'cancelled']);

const NO_SINK: Sink<ReplyEvent> = { enqueue() {} };

/** @see Outbound.parseEvents */
export function parseEvents(prompt: Prompt, { model }: ModelTraits): EventParser {
  const answer = parseAnswer(prompt, model);
  return Object.assign(withSettledCalls(withParallelCalls(answer, prompt)), { pieces: answer.pieces });
}

function parseAnswer(prompt: Prompt, model: string): EventParser & Required<Pick<EventParser, 'pieces'>> {
  let out = NO_SINK;
  let started = false;
  let ended = false;

  const start = (response: JsonObject): void => {
    if (started) return;
    started = true;
    out.enqueue(parseStart(response));
  };

  /** The event that was read last, if it adds to a text. */
  let delta: JsonObject | undefined;

  const parts = partWriter(() => out);
  const items = itemDispatcher(parts, prompt.tools, () => start({}));

  const end = (response: JsonObject): void => {
    start(response);
    items.finish(asObjects(response['output']));
    const usage = parseUsage(response['usage'], model);
    if (usage) out.enqueue({ type: 'usage', usage });
    const finish = parseFinish(response, parts.contained);
    const fields = parseAdditionalFields(response, finish.finish);
    out.enqueue({ type: 'choice-end', choice: 0, ...finish, ...fields });
    const { serviceTier } = parseStart(response);
    out.enqueue({ type: 'reply-end', ...(serviceTier !== undefined && { serviceTier }) });
    ended = true;
  };

  const readEvent = (type: string, event: JsonObject): void => {
    const what = ITEM_EVENTS.get(type);
    if (what) {
      items.add(what, event);
      if (what.type === 'delta') delta = event;
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
        end(withFinalStatus(type, asObject(event['response']) ?? {}));
        return;
      case 'error':
      case 'response.failed':
        throw parseErrorObject(event);
      case 'response.cancelled':
        throw new GatewayError('upstream-broken', 'The upstream cancelled its answer.');
    }
  };

  const readWhole = (body: JsonObject): void => {
    const { error, object, output, status } = body;
    if (status === 'failed' || (isObject(error) && status !== 'incomplete') || typeof error === 'string')
      throw parseErrorObject(body);
    if (object !== 'response' && !Array.isArray(output))
      throw brokenAnswer('something that is not a response');
    if (UNFINISHED.has(status)) throw brokenAnswer('a response that is not finished');
    end(body);
  };

  return {
    pieces: { last: () => asText(delta?.['delta']), isNumbered: true },
    transform({ data, piece }, sink) {
      if (ended || data === '[DONE]') return;
      out = sink;
      const value = piece === undefined ? parseEventObject(data) : { ...delta, delta: piece };
      delta = undefined;
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
 * Takes the status of a response from the event that ends it. Some services leave the status out
 * (openclaw/openclaw#115132). Azure's may call a complete response `incomplete`, and then gives no reason
 * (NousResearch/hermes-agent#27988).
 */
function withFinalStatus(type: string, response: JsonObject): JsonObject {
  if (type === 'response.incomplete') return { ...response, status: 'incomplete' };
  const hasReason = asText(asObject(response['incomplete_details'])?.['reason']) !== undefined;
  return hasReason ? response : { ...response, status: 'completed' };
}

function parseStart(response: JsonObject): ReplyStart {
  const created = asNumber(response['created_at']);
  const serviceTier = asText(response['service_tier']);
  return {
    type: 'reply-start',
    id: asText(response['id']) ?? '',
    model: asText(response['model']) ?? '',
    ...(created !== undefined && { created: Math.floor(created) }),
    // `auto` is what the request asked for. The tier that served it is known at the end.
    ...(serviceTier !== undefined && serviceTier !== 'auto' && { serviceTier }),
  };
}
