/**
 * Parses OpenAI's responses as neutral events: a stream (API reference, "Streaming events"), or a whole response, which
 * is read like a stream whose items come all at once. Some services that speak this format leave out events or their
 * numbers, so what an item has at its end beyond its events is made up for.
 */

import type { PromptOutline } from '../../../conversation/prompt-outline.ts';
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
import type { Pieces } from '../../../streams/repeated-events.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink, Step } from '../../../streams/step.ts';
import { brokenAnswer, parseEventObject, saysNothing } from '../../event-data.ts';
import type { EventParser, ModelTraits } from '../../format.ts';
import { parseErrorObject } from '../../openai/errors.ts';
import { withBareAnswer } from '../../openai/wrap-answer.ts';
import { findDialect } from '../dialects.ts';
import { eventType, namesEnd, parseFinish } from '../wire/finish-reasons.ts';
import { parseUsage } from '../wire/usage.ts';
import { parseAdditionalFields } from './additional-fields.ts';
import { type AnswerOfItems, ItemDispatcher } from './item-dispatcher.ts';
import { ITEM_EVENTS } from './item-events.ts';
import { PartWriter } from './part-writer.ts';

/** Statuses of a response that is no answer, or not yet. */
const UNFINISHED: ReadonlySet<Json | undefined> = new Set(['queued', 'in_progress', 'cancelled']);

/** @see Outbound.parseEvents */
export function parseEvents(prompt: PromptOutline, target: ModelTraits): EventParser {
  const answer = new AnswerParser(prompt, target);
  const bare = withBareAnswer(answer, prompt, target, 'responses');
  return Object.assign(withSettledCalls(withParallelCalls(bare, prompt)), { pieces: answer });
}

/** Reads one answer. It leaves calls as they are. */
class AnswerParser implements Step<Sse, ReplyEvent>, Pieces, AnswerOfItems {
  readonly isNumbered = true;
  readonly #model: string;
  readonly #parts: PartWriter;
  readonly #items: ItemDispatcher;
  #started = false;
  #ended = false;
  /** A failure that says nothing. Azure says why in the event after it (maximhq/bifrost#6419). */
  #unexplained: GatewayError | undefined;
  /** The event that was read last, if it adds to a text. */
  #delta: JsonObject | undefined;

  constructor(prompt: PromptOutline, { model, dialect }: ModelTraits) {
    this.#model = model;
    this.#parts = new PartWriter(findDialect(dialect).signatureOrigin);
    this.#items = new ItemDispatcher(this, this.#parts, prompt.tools);
  }

  transform({ event, data, piece }: Sse, out: Sink<ReplyEvent>): void {
    // A piece of a text may have no data.
    if (this.#ended || data === '[DONE]' || (piece === undefined && saysNothing(data, event))) return;
    this.#parts.out = out;
    const value = piece === undefined ? parseEventObject(data) : { ...this.#delta, delta: piece };
    this.#delta = undefined;
    const { type } = value;
    if (typeof type === 'string') this.#readEvent(eventType(type, value), value);
    else this.#readWhole(value);
  }

  flush(): void {
    if (!this.#ended) throw this.#unexplained ?? endedEarly();
  }

  last(): string | undefined {
    return asText(this.#delta?.['delta']);
  }

  /** @internal An item comes. */
  begin(): void {
    this.#start({});
  }

  #readEvent(type: string, event: JsonObject): void {
    const what = ITEM_EVENTS.get(type);
    if (what) {
      this.#items.add(what, event);
      if (what.type === 'delta') this.#delta = event;
      return;
    }
    switch (type) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.#start(asObject(event['response']) ?? {});
        return;
      case 'response.completed':
      case 'response.incomplete':
        this.#end(withFinalStatus(type, asObject(event['response']) ?? {}));
        return;
      case 'error':
      case 'response.failed':
        this.#fail(parseErrorObject(event));
        return;
      case 'response.cancelled':
        throw new GatewayError('upstream-broken', 'The upstream cancelled its answer.');
    }
  }

  #fail(failure: GatewayError): void {
    if (!failure.isUnexplained) throw failure;
    this.#unexplained ??= failure;
  }

  #readWhole(body: JsonObject): void {
    const { error, object, output, status } = body;
    if (status === 'failed' || (isObject(error) && status !== 'incomplete') || typeof error === 'string')
      throw parseErrorObject(body);
    if (object !== 'response' && !Array.isArray(output))
      throw brokenAnswer('something that is not a response');
    if (UNFINISHED.has(status)) throw brokenAnswer('a response that is not finished');
    if (this.#parts.isEmpty && asObjects(output).length === 0 && !namesEnd(body))
      throw brokenAnswer('a response with neither content nor an end');
    this.#end(body);
  }

  #start(response: JsonObject): void {
    if (this.#started) return;
    this.#started = true;
    this.#parts.out.enqueue(parseStart(response));
  }

  #end(response: JsonObject): void {
    this.#start(response);
    this.#items.finish(asObjects(response['output']));
    const { out } = this.#parts;
    const usage = parseUsage(response['usage'], this.#model);
    if (usage) out.enqueue({ type: 'usage', usage });
    const finish = parseFinish(response, this.#parts);
    const fields = parseAdditionalFields(response, finish.finish);
    out.enqueue({ type: 'choice-end', choice: 0, ...finish, ...fields });
    const { serviceTier } = parseStart(response);
    out.enqueue({ type: 'reply-end', ...(serviceTier !== undefined && { serviceTier }) });
    this.#ended = true;
  }
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
