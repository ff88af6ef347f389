/** The answer to a request that came over a WebSocket: each of its events is a message (OpenAI, "WebSocket mode"). */

import type { IncomingMessage } from 'node:http';
import { parseError, parseErrorObject, renderError } from '../../formats/openai/errors.ts';
import { eventType } from '../../formats/responses/wire/finish-reasons.ts';
import { ByteAccumulator } from '../../lib/byte-accumulator.ts';
import { asGatewayError, GatewayError } from '../../lib/errors.ts';
import { asNumber, asObject, asText, type JsonObject, parseJson } from '../../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../../lib/json-bounds.ts';
import { decodeSse, type Sse } from '../../streams/sse.ts';
import { isEventStream } from '../../upstream/headers.ts';

/** How the events of an answer are sent. */
export interface AnswerSink {
  readonly lane: string | undefined;
  /** The response that the request continues. The vendor does not know of it, since it received the whole dialogue. */
  readonly previousId: string | undefined;
  readonly send: (text: string) => void;
  /** Receives the number of bytes that are held for an incomplete event. */
  readonly reportHeld: (bytes: number) => void;
  /** Sends everything that `write` sends in one write. */
  readonly cork: (write: () => void) => void;
}

/** Events that carry the whole response, and those among them that a dialogue can continue. */
const CARRIES_RESPONSE = /^response\.(?:created|queued|in_progress|completed|incomplete|failed)$/;
const CONTINUABLE = /^response\.(?:completed|incomplete)$/;

/** Events that end an answer. */
const TERMINAL = /^response\.(?:completed|incomplete|failed)$/;

/** Headers of an error that its reader can act on. */
const ERROR_HEADERS = /^(?:retry-after|x-request-id|x-upstream-request-id|x-should-retry|x-ratelimit-)/;

/** The longest event, in UTF-16 code units. The last event of a response has all of its images. */
const MAX_EVENT_LENGTH = 64 * 1024 * 1024;

const ENDED_EARLY = 'The answer ended before it was complete.';

/** The longest error that is read, in bytes. */
const MAX_ERROR = 1024 * 1024;

/** An answer that is being sent. */
export interface SentAnswer {
  /**
   * Resolves to the response that the answer ends with, if a dialogue can continue it. It never rejects: an error is
   * sent as an event too.
   */
  readonly ended: Promise<JsonObject | undefined>;
  /**
   * Ends the answer for its client, unless it is over.
   * @param id the response that the client means; undefined if it names none
   * @returns whether the answer has ended by this
   */
  cancel(id: string | undefined): boolean;
}

/** Sends an answer as it arrives. */
export function sendAnswer(answer: IncomingMessage, sink: AnswerSink): SentAnswer {
  const { statusCode: status = 0, headers } = answer;
  if (status !== 200 || !isEventStream(headers)) {
    return { ended: sendRefusal(answer, sink), cancel: () => false };
  }
  const events = new AnswerEvents(sink);
  return { ended: sendEvents(answer, events, sink), cancel: (id) => events.cancel(id) };
}

function sendEvents(
  answer: IncomingMessage,
  events: AnswerEvents,
  sink: AnswerSink,
): Promise<JsonObject | undefined> {
  return new Promise((resolve) => {
    const decoder = decodeSse(MAX_EVENT_LENGTH);
    const end = (): void => resolve(events.end());
    const take = (step: () => void): void => {
      try {
        sink.cork(step);
      } catch (error) {
        answer.destroy(asGatewayError(error));
      }
    };
    answer.on('data', (chunk: Buffer) => {
      events.open += chunk.length;
      take(() => decoder.transform(chunk, events));
      sink.reportHeld(events.open);
    });
    answer.on('end', () => {
      take(() => decoder.flush?.(events));
      end();
    });
    answer.on('error', end);
  });
}

/** Sends the events of one answer, and sees how it ends. */
class AnswerEvents {
  /** Bytes since the last event. */
  open = 0;
  readonly #sink: AnswerSink;
  #response: JsonObject | undefined;
  /** The first event that carries the response, as text, which takes less room than the object. */
  #first: string | undefined;
  #id: string | undefined;
  #sequenceNumber: number | undefined;
  #isOver = false;
  /** Whether an event was not JSON. As a rule it was cut off, and the error after it says why. */
  #isCut = false;
  /**
   * The error of the stream. The failed response, as a rule the next event, reports it too, and an answer ends only
   * once.
   */
  #failure: JsonObject | undefined;

  constructor(sink: AnswerSink) {
    this.#sink = sink;
  }

  /** @throws GatewayError `upstream-broken` for an event after one that was cut off. */
  enqueue(event: Sse): void {
    this.open = 0;
    if (this.#isOver || !event.data.startsWith('{')) return;
    const read = asObject(tryParseBounded(event.data));
    // A POST passes its bytes, but here each event is a message, and clients parse every one.
    this.#isCut ||= read === undefined;
    if (read === undefined) return;
    const type = eventType(event.event ?? asText(read['type']) ?? '', read);
    if (type === 'error') {
      this.#failure = read;
      return;
    }
    if (this.#isCut) throw new GatewayError('upstream-broken', ENDED_EARLY);
    const carried = CARRIES_RESPONSE.test(type) ? read : undefined;
    this.#isOver = TERMINAL.test(type);
    if (CONTINUABLE.test(type)) this.#response = asObject(carried?.['response']);
    const text = withPrevious(event.data, carried, this.#sink);
    if (carried !== undefined) {
      this.#first ??= text;
      this.#id ??= asText(asObject(carried['response'])?.['id']);
    }
    this.#sequenceNumber = asNumber(read['sequence_number']);
    this.#sink.send(inLane(text, this.#sink));
  }

  /** Ends the answer as `SentAnswer.cancel` does. */
  cancel(id: string | undefined): boolean {
    if (this.#isOver || (id !== undefined && id !== this.#id)) return false;
    this.#isOver = true;
    if (this.#first === undefined) {
      writeError(cancelledUnbegun(), this.#sink);
      return true;
    }
    const response = asObject(asObject(parseJson(this.#first))?.['response']);
    const event = {
      type: 'response.incomplete',
      sequence_number: (this.#sequenceNumber ?? 0) + 1,
      response: { ...response, status: 'cancelled' },
    };
    this.#sink.send(inLane(JSON.stringify(event), this.#sink));
    return true;
  }

  /** Says why an answer ends that is not over. @returns the response that a dialogue can continue, if it ended with one */
  end(): JsonObject | undefined {
    this.#sink.reportHeld(0);
    if (this.#isOver) return this.#response;
    if (this.#failure !== undefined) sendFailure(this.#failure, this.#sink);
    else writeError(new GatewayError('upstream-broken', ENDED_EARLY), this.#sink);
    return this.#response;
  }
}

/** What a client receives that cancels an answer before there is a response. */
export function cancelledUnbegun(): GatewayError {
  return new GatewayError('invalid-request', 'The response was cancelled before it began.', {
    code: 'response_cancelled',
  });
}

/** Sends an error as an event of the WebSocket. */
export function writeError(error: GatewayError, sink: Pick<AnswerSink, 'lane' | 'send'>): void {
  sendErrorEvent(error.status, renderError(error), {}, sink);
}

function sendErrorEvent(
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>>,
  sink: Pick<AnswerSink, 'lane' | 'send'>,
): void {
  // The SDKs' types have the headers inside the error, and Codex reads them beside it.
  const event = {
    type: 'error',
    status,
    error: { ...errorFields(asObject(body['error'])), headers },
    headers,
  };
  sink.send(inLane(JSON.stringify(event), sink));
}

/**
 * An error with all fields that OpenAI's published schema of the WebSocket's error requires. There `code` is always a
 * text, unlike in the error of a POST: if only the type is known, `code` repeats it.
 */
function errorFields(error: JsonObject = {}): JsonObject {
  const type = asText(error['type']) ?? 'api_error';
  const { code } = error;
  return {
    ...error,
    type,
    code: typeof code === 'number' ? String(code) : asText(code) || type,
    message: asText(error['message']) ?? 'The upstream failed without saying why.',
    param: asText(error['param']) ?? null,
  };
}

/** Sends the vendor's own error that a stream ends with. Its fields are in the event itself or in its `error`. */
function sendFailure(event: JsonObject, sink: AnswerSink): void {
  const { type: _, sequence_number: _number, error, ...rest } = event;
  const known = parseErrorObject(event);
  const body = { error: asObject(error) ?? { ...asObject(renderError(known)['error']), ...rest } };
  sendErrorEvent(known.status, body, {}, sink);
}

function sendRefusal(answer: IncomingMessage, sink: AnswerSink): Promise<undefined> {
  return new Promise((resolve) => {
    const whole = new ByteAccumulator(MAX_ERROR);
    answer.on('data', (chunk: Buffer) => {
      if (whole.size() + chunk.byteLength <= MAX_ERROR) whole.add(chunk);
    });
    const end = (): void => {
      const text = whole.whole().toString();
      const { statusCode: status = 0 } = answer;
      if (status < 400)
        writeError(
          new GatewayError('upstream-broken', 'The vendor answered with something that is not a stream.'),
          sink,
        );
      else {
        // A vendor may refuse with a body in which there is no error of this format.
        const error = asObject(asObject(tryParseBounded(text, MAX_ERROR_TOKENS))?.['error']);
        const body = error === undefined ? renderError(parseError(status, text)) : { error };
        sendErrorEvent(status, body, pickHeaders(answer), sink);
      }
      resolve(undefined);
    };
    answer.on('end', end);
    answer.on('error', end);
  });
}

function pickHeaders({ headers }: IncomingMessage): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      ERROR_HEADERS.test(name) && typeof value === 'string' ? [[name, value]] : [],
    ),
  );
}

/** The event, naming the response that its request continues. The event is unchanged if the request continues none. */
function withPrevious(data: string, event: JsonObject | undefined, { previousId }: AnswerSink): string {
  const response = asObject(event?.['response']);
  if (previousId === undefined || response === undefined) return data;
  return JSON.stringify({ ...event, response: { ...response, previous_response_id: previousId } });
}

/** @returns an event, as JSON text, with the lane that its request named */
export function inLane(event: string, { lane }: Pick<AnswerSink, 'lane'>): string {
  return lane === undefined ? event : `{"stream_id":${JSON.stringify(lane)},${event.slice(1)}`;
}
