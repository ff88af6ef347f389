/** Anthropic's answers as reply events. They arrive as a stream ("Streaming messages") or as one whole message. */

import type { Prompt } from '../../../conversation/prompt.ts';
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
import type { Sink } from '../../../streams/step.ts';
import { brokenAnswer, parseEventObject } from '../../event-data.ts';
import type { EventParser } from '../../format.ts';
import { END_FIELDS, parseEnd } from '../wire/finish-reasons.ts';
import { mergeFigures, parseUsage } from '../wire/usage.ts';
import { hasExactBlock, needsExactNumbers, parseExactObject } from './exact-blocks.ts';
import { createBlockParser } from './parse-blocks.ts';
import { isUntypedError, parseErrorValue } from './parse-error.ts';
import { parseReplyStart } from './parse-reply-start.ts';

type Out = Sink<ReplyEvent>;

/**
 * Makes the parser of one answer.
 * @param prompt the request, whose tools' names may have been changed for Anthropic.
 * @see Outbound.parseEvents
 */
export function parseEvents(prompt: Prompt): EventParser {
  const message = parseMessage(prompt);
  return Object.assign(withSettledCalls(withCustomCalls(message, prompt)), { pieces: message.pieces });
}

function parseMessage(prompt: Prompt): EventParser & Required<Pick<EventParser, 'pieces'>> {
  const blocks = createBlockParser(prompt);
  let isStarted = false;
  let id: string | undefined;
  let isOver = false;
  let lastPiece: string | undefined;
  /** The usage reported so far. */
  let figures: JsonObject = {};
  /** The fields of the message's end. */
  let end: JsonObject = {};

  const emitUsage = (usage: Json | undefined, out: Out): void => {
    if (!isObject(usage)) return;
    figures = mergeFigures(figures, usage);
    out.enqueue({ type: 'usage', usage: parseUsage(figures) });
  };

  /** Starts the message, which has no content yet or all of it. */
  const start = (message: JsonObject, out: Out): void => {
    const messageId = asText(message['id']);
    // A proxy that starts over sends another answer. It does not continue the first one, and the signatures of its
    // thinking do not cover that (vercel/ai#18402).
    if (messageId !== undefined && id !== undefined && messageId !== id) {
      throw brokenAnswer('another message within the first');
    }
    id ??= messageId;
    if (isStarted) return;
    isStarted = true;
    const { content, usage } = message;
    end = presentFields(message, END_FIELDS);
    out.enqueue(parseReplyStart(message, asObject(usage)));
    emitUsage(usage, out);
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
    const ending = parseEnd({ ...end, ...withoutNulls(fields) }, blocks.calls());
    out.enqueue({ type: 'choice-end', choice: 0, ...ending });
    out.enqueue({ type: 'reply-end' });
  };

  const readDelta = ({ delta, index }: JsonObject, out: Out): string | undefined => {
    startLate(out);
    return isObject(delta) ? blocks.delta(delta, index, out) : undefined;
  };

  const read = (type: string | undefined, data: string, event: JsonObject, out: Out): void => {
    switch (type) {
      case 'content_block_start': {
        const block = asObject(event['content_block']);
        if (block === undefined) throw brokenAnswer('a block without content');
        startLate(out);
        blocks.start(
          needsExactNumbers(block) ? parseExactObject(data, 'content_block') : block,
          event['index'],
          out,
        );
        return;
      }
      case 'content_block_stop':
        blocks.stop(out);
        return;
      case 'message_start': {
        const message = asObject(event['message']) ?? {};
        start(hasExactBlock(message) ? parseExactObject(data, 'message') : message, out);
        return;
      }
      case 'message_delta': {
        const { type: _, delta, usage, ...beside } = event;
        startLate(out);
        blocks.stop(out);
        end = { ...end, ...withoutNulls(beside), ...withoutNulls(asObject(delta) ?? {}) };
        emitUsage(usage, out);
        return;
      }
      case 'message_stop': {
        const { type: _, ...fields } = event;
        stop(fields, out);
        return;
      }
      case 'error':
        throw parseErrorValue(event);
      default:
        // Events of other types are ignored.
        if (isUntypedError(event)) throw parseErrorValue(event);
        if (!isList(event['content']) || (type !== 'message' && event['role'] !== 'assistant')) return;
        start(hasExactBlock(event) ? parseExactObject(data) : event, out);
        stop({}, out);
    }
  };

  return {
    transform({ event, data, piece }, out) {
      if (piece !== undefined) return blocks.again(piece, out);
      lastPiece = undefined;
      if (isOver || data === '') return;
      const value = parseEventObject(data);
      const type = asText(value['type']) ?? event;
      if (type === 'content_block_delta') lastPiece = readDelta(value, out);
      else read(type, data, value, out);
    },
    pieces: { last: () => lastPiece },
    flush() {
      if (!isOver) throw endedEarly();
    },
  };
}
