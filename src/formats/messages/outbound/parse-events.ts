/** Anthropic's answers as neutral events: the events of a stream ("Streaming messages"), or a whole message. */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { Prompt } from '../../../conversation/prompt.ts';
import type { ReplyEvent, ReplyStart } from '../../../conversation/reply.ts';
import { parseExact } from '../../../conversation/rules/arguments.ts';
import { withCustomCalls } from '../../../conversation/rules/custom-tools.ts';
import { endedEarly } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import {
  asList,
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  splitFields,
  withoutNulls,
} from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink, Step } from '../../../streams/step.ts';
import { broken, eventObject } from '../../event-data.ts';
import { errorOf, isUntypedError } from '../wire/errors.ts';
import { END_OWN, parseEnd } from '../wire/finish-reasons.ts';
import { parseUsedTier } from '../wire/service-tier.ts';
import { mergeFigures, parseUsage } from '../wire/usage.ts';
import { FORMAT } from '../wire/wire.ts';
import { answerBlocks } from './parse-blocks.ts';

type Out = Sink<ReplyEvent>;

/** Fields of a message beside those that tell its end, and that only Anthropic has. */
const START_OWN: ReadonlySet<string> = new Set(['diagnostics']);

/** @see Outbound.parseEvents */
export function parseEvents(prompt: Prompt): Step<Sse, ReplyEvent> {
  return withCustomCalls(parseMessage(prompt), prompt);
}

function parseMessage(prompt: Prompt): Step<Sse, ReplyEvent> {
  const blocks = answerBlocks(prompt);
  let isStarted = false;
  let id: string | undefined;
  let isOver = false;
  /** Usage as told so far, and the fields that tell the end. */
  let figures: JsonObject = {};
  let end: JsonObject = {};

  const tellUsage = (usage: Json | undefined, out: Out): void => {
    if (!isObject(usage)) return;
    figures = mergeFigures(figures, usage);
    out.enqueue({ type: 'usage', usage: parseUsage(figures) });
  };

  /** A message starts: without content, or with all of it. */
  const start = (message: JsonObject, out: Out): void => {
    const called = asText(message['id']);
    // A proxy that begins anew: what comes is no part of what was told, nor are its thoughts signed for that (vercel/ai#18402).
    if (called !== undefined && id !== undefined && called !== id)
      throw broken('another message within the first');
    id ??= called;
    if (isStarted) return;
    isStarted = true;
    const { content, usage, stop_reason, stop_sequence, ...rest } = message;
    const [ending, head] = splitFields(rest, END_OWN);
    end = withoutNulls({ ...ending, stop_reason, stop_sequence });
    out.enqueue(replyStart(head, asObject(usage)));
    tellUsage(usage, out);
    for (const block of asObjects(content)) {
      blocks.start(block, undefined, out);
      blocks.stop(out);
    }
  };

  const startLate = (out: Out): void => {
    if (!isStarted) start({}, out);
  };

  const stop = (fields: JsonObject, out: Out): void => {
    startLate(out);
    isOver = true;
    blocks.end(out);
    const { finish, ...rest } = parseEnd({ ...end, ...withoutNulls(fields) }, blocks.calls());
    out.enqueue({ type: 'choice-end', choice: 0, finish, ...rest });
    out.enqueue({ type: 'reply-end' });
  };

  const readDelta = ({ delta, index }: JsonObject, out: Out): void => {
    startLate(out);
    if (isObject(delta)) blocks.delta(delta, index, out);
  };

  const read = (type: string | undefined, data: string, event: JsonObject, out: Out): void => {
    switch (type) {
      case 'content_block_start': {
        const block = asObject(event['content_block']);
        if (block === undefined) throw broken('a block without content');
        startLate(out);
        blocks.start(isCarriedWhole(block) ? exactly(data, 'content_block') : block, event['index'], out);
        return;
      }
      case 'content_block_stop':
        blocks.stop(out);
        return;
      case 'message_start': {
        const message = asObject(event['message']) ?? {};
        start(hasCarriedBlock(message) ? exactly(data, 'message') : message, out);
        return;
      }
      case 'message_delta': {
        const { type: _, delta, usage, ...beside } = event;
        startLate(out);
        blocks.stop(out);
        end = { ...end, ...withoutNulls(beside), ...withoutNulls(asObject(delta) ?? {}) };
        tellUsage(usage, out);
        return;
      }
      case 'message_stop': {
        const { type: _, ...fields } = event;
        stop(fields, out);
        return;
      }
      case 'error':
        throw errorOf(event);
      default:
        // Other kinds of events are let pass.
        if (isUntypedError(event)) throw errorOf(event);
        if (!isList(event['content']) || (type !== 'message' && event['role'] !== 'assistant')) return;
        start(hasCarriedBlock(event) ? exactly(data) : event, out);
        stop({}, out);
    }
  };

  return {
    transform({ event, data }, out) {
      if (isOver || data === '') return;
      const value = eventObject(data);
      const type = asText(value['type']) ?? event;
      if (type === 'content_block_delta') {
        readDelta(value, out);
        return;
      }
      read(type, data, value, out);
    },
    flush() {
      if (!isOver) throw endedEarly();
    },
  };
}

function replyStart(head: JsonObject, usage: JsonObject | undefined): ReplyStart {
  const { type: _type, role: _role, id, model, ...rest } = head;
  const [own, extra] = splitFields(withoutNulls(rest), START_OWN);
  const tier = asText(usage?.['service_tier']);
  return {
    type: 'reply-start',
    id: asText(id) ?? '',
    model: asText(model) ?? '',
    ...(tier !== undefined && { serviceTier: parseUsedTier(tier) }),
    ...formatSpecificOf(FORMAT, own),
    ...unknownFieldsOf(extra),
  };
}

/** Whether a block comes with values that are only carried on, so that the digits of their long numbers matter. */
function isCarriedWhole(block: JsonObject): boolean {
  const { type, input } = block;
  if (type !== 'tool_use') return type !== 'text' && type !== 'thinking';
  return isObject(input) && Object.keys(input).length > 0;
}

function hasCarriedBlock(message: JsonObject): boolean {
  return asList(message['content']).some((block) => isObject(block) && isCarriedWhole(block));
}

/** The event's data, or one of its fields, with every digit of its numbers. */
function exactly(data: string, field?: string): JsonObject {
  const value = asObject(parseExact(data)) ?? {};
  return field === undefined ? value : (asObject(value[field]) ?? {});
}
