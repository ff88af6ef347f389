/** Anthropic's answers as reply events. They arrive as a stream ("Streaming messages") or as one whole message. */

import type { PromptOutline } from '../../../conversation/prompt-outline.ts';
import type { ReplyEvent } from '../../../conversation/reply.ts';
import { withCustomCalls } from '../../../conversation/rules/custom-tools.ts';
import { withSettledCalls } from '../../../conversation/rules/settle-calls.ts';
import { endedEarly } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import {
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  presentFields,
  withoutNulls,
} from '../../../lib/json.ts';
import type { Pieces } from '../../../streams/repeated-events.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink, Step } from '../../../streams/step.ts';
import { GUARDRAIL_ACTION, hasIntervened, INTERVENED } from '../../bedrock-guardrail.ts';
import { brokenAnswer, parseEventObject, saysNothing } from '../../event-data.ts';
import type { EventParser } from '../../format.ts';
import { parseEnd } from '../wire/finish-reasons.ts';
import { END_FIELDS } from '../wire/message-fields.ts';
import { mergeFigures, parseUsage } from '../wire/usage.ts';
import { BlockOrder } from './block-order.ts';
import { hasExactBlock, needsExactNumbers, parseExactObject } from './exact-blocks.ts';
import { isUntypedError, parseErrorValue } from './parse-error.ts';
import { parseReplyStart } from './parse-reply-start.ts';

type Out = Sink<ReplyEvent>;

/**
 * Makes the parser of one answer.
 * @param prompt the request, whose tools' names may have been changed for Anthropic.
 * @see Outbound.parseEvents
 */
export function parseEvents(prompt: PromptOutline): EventParser {
  const message = new MessageParser(prompt);
  return Object.assign(withSettledCalls(withCustomCalls(message, prompt)), {
    mayEnd: () => message.mayEnd(),
    endHere: () => message.endHere(),
    pieces: message,
  });
}

/** Reads one message. It leaves the arguments of calls as they are. */
class MessageParser implements Step<Sse, ReplyEvent>, Pieces {
  readonly #blocks: BlockOrder;
  #isStarted = false;
  #id: string | undefined;
  #isOver = false;
  /** Whether the message has said why it stopped, and no content has come after that. */
  #isStopped = false;
  /** Whether an event has said so of a guardrail of Bedrock's. */
  #isFiltered = false;
  /** Whether it counts as complete without a `message_stop`. */
  #mayEndHere = false;
  #lastPiece: string | undefined;
  /** The usage reported so far. */
  #figures: JsonObject = {};
  /** The fields of the message's end. */
  #end: JsonObject = {};

  constructor(prompt: PromptOutline) {
    this.#blocks = new BlockOrder(prompt);
  }

  transform({ event, data, piece }: Sse, out: Out): void {
    if (piece !== undefined) {
      this.#blocks.again(piece, out);
      return;
    }
    this.#lastPiece = undefined;
    if (this.#isOver || saysNothing(data, event)) return;
    const value = parseEventObject(data);
    const type = asText(value['type']) ?? event;
    this.#isFiltered ||= hasIntervened(value);
    if (type === 'content_block_delta') this.#lastPiece = this.#readDelta(value, out);
    else this.#read(type, data, value, out);
  }

  flush(out: Out): void {
    if (this.#isOver) return;
    if (!this.#mayEndHere) throw endedEarly();
    this.#stop({}, out);
  }

  /**
   * Whether only `message_stop` is to come. It has been seen to stay out while pings went on (tombii/better-ccflare#307).
   */
  mayEnd(): boolean {
    return this.#isStopped && !this.#isOver;
  }

  /** A stream that breaks off there is no complete one all the same: Anthropic ends each with `message_stop`. */
  endHere(): void {
    this.#mayEndHere = this.mayEnd();
  }

  last(): string | undefined {
    return this.#lastPiece;
  }

  #readDelta({ delta, index }: JsonObject, out: Out): string | undefined {
    this.#startLate(out);
    this.#isStopped = false;
    return isObject(delta) ? this.#blocks.delta(delta, index, out) : undefined;
  }

  #read(type: string | undefined, data: string, event: JsonObject, out: Out): void {
    switch (type) {
      case 'content_block_start': {
        const block = asObject(event['content_block']);
        if (block === undefined) throw brokenAnswer('a block without content');
        this.#startLate(out);
        this.#isStopped = false;
        this.#blocks.start(
          needsExactNumbers(block) ? parseExactObject(data, 'content_block') : block,
          event['index'],
          out,
        );
        return;
      }
      case 'content_block_stop':
        this.#blocks.stop(event['index'], out);
        return;
      case 'message_start': {
        const message = asObject(event['message']) ?? {};
        this.#start(hasExactBlock(message) ? parseExactObject(data, 'message') : message, out);
        return;
      }
      case 'message_delta': {
        const { type: _, delta, usage, ...beside } = event;
        this.#startLate(out);
        this.#blocks.stopAll(out);
        this.#end = { ...this.#end, ...withoutNulls(beside), ...withoutNulls(asObject(delta) ?? {}) };
        this.#isStopped = asText(this.#end['stop_reason']) !== undefined;
        this.#emitUsage(usage, out);
        return;
      }
      case 'message_stop':
        this.#readStop(event, out);
        return;
      case 'error':
        throw parseErrorValue(event);
      default:
        if (isUntypedError(event)) throw parseErrorValue(event);
        // Events of other types are ignored.
        if (type === 'message' || event['role'] === 'assistant') this.#readWhole(data, event, out);
    }
  }

  /** A `message_delta` with the reason has ended the last block. */
  #readStop({ type: _, ...fields }: JsonObject, out: Out): void {
    if (this.#blocks.isCut && asText(fields['stop_reason']) === undefined) throw endedEarly();
    this.#stop(fields, out);
  }

  #readWhole(data: string, message: JsonObject, out: Out): void {
    const { content, stop_reason: reason } = message;
    // Some services write one text, as in chat-completions.
    if (typeof content === 'string') {
      const blocks = content === '' ? [] : [{ type: 'text', text: content }];
      this.#readWhole(data, { ...message, content: blocks }, out);
      return;
    }
    if (!isList(content)) return;
    // A stream says that it has ended. A whole message without content does so only by its reason.
    if (content.length === 0 && asText(reason) === undefined)
      throw brokenAnswer('a message with neither content nor an end');
    this.#start(hasExactBlock(message) ? parseExactObject(data) : message, out);
    this.#stop({}, out);
  }

  /** Starts the message, which has no content yet or all of it. */
  #start(message: JsonObject, out: Out): void {
    const messageId = asText(message['id']);
    // A proxy that starts over sends another answer. It does not continue the first one, and the signatures of its
    // thinking do not cover that (vercel/ai#18402).
    if (messageId !== undefined && this.#id !== undefined && messageId !== this.#id) {
      throw brokenAnswer('another message within the first');
    }
    this.#id ??= messageId;
    if (this.#isStarted) return;
    this.#isStarted = true;
    const { content, usage } = message;
    this.#end = presentFields(message, END_FIELDS);
    out.enqueue(parseReplyStart(message, asObject(usage)));
    this.#emitUsage(usage, out);
    for (const block of asObjects(content)) {
      this.#blocks.start(block, undefined, out);
      this.#blocks.stop(undefined, out);
    }
  }

  #startLate(out: Out): void {
    if (!this.#isStarted) this.#start({}, out);
  }

  #emitUsage(usage: Json | undefined, out: Out): void {
    if (!isObject(usage)) return;
    this.#figures = mergeFigures(this.#figures, usage);
    out.enqueue({ type: 'usage', usage: parseUsage(this.#figures) });
  }

  #stop(fields: JsonObject, out: Out): void {
    this.#startLate(out);
    this.#isOver = true;
    this.#blocks.end(out);
    const filtered = this.#isFiltered ? { [GUARDRAIL_ACTION]: INTERVENED } : {};
    const ending = parseEnd({ ...this.#end, ...withoutNulls(fields), ...filtered }, this.#blocks.calls);
    out.enqueue({ type: 'choice-end', choice: 0, ...ending });
    out.enqueue({ type: 'reply-end' });
  }
}
