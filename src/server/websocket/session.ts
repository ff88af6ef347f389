/** One connection of a client's: its requests, in turn a lane, and what it remembers between them. */

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { asGatewayError, GatewayError, invalid } from '../../lib/errors.ts';
import { asText, type JsonObject } from '../../lib/json.ts';
import { say, tellAnswer } from './answer.ts';
import type { Behind } from './behind.ts';
import { keepConnection } from './connection.ts';
import { fieldOf, joined, type Message, type Request, readMessage, requestOf, saidBy } from './message.ts';
import { followMessage } from './on-the-way.ts';
import { prepared, steeringRefused } from './own-answers.ts';
import { openSemaphore } from './semaphore.ts';

export interface Session {
  /** Closes it as soon as nothing is being answered. */
  leave(): void;
  /** Closes it where nothing is being answered. */
  closeIfIdle(): void;
  /** Forgets all dialogues: whoever goes on from one must send all of it again. */
  forget(): void;
  /** Closes it at once. */
  cut(): void;
  /** Says why, and closes it: what it holds is needed elsewhere. */
  refuse(error: GatewayError): void;
  /** Bytes of messages that are on their way, or wait to be answered, and of events that are. */
  pending(): number;
  /** So many milliseconds have passed. */
  tick(milliseconds: number): void;
}

/** OpenAI's own bounds of a connection ("WebSocket mode"): its age, its lanes, and how many answers there are at a time. */
const OLDEST = 60 * 60_000;
const MOST_LANES = 32;
const MOST_AT_ONCE = 16;

/** Requests that a connection may have open before it is not read: of one that is not read, no ping and no end is heard. */
const MOST_OPEN = 2 * MOST_LANES;

/** Close codes (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** How long a client that was refused may go on sending, so that it can read why, in milliseconds. */
const LINGER = 1_000;

/** Bytes of which nothing is told: how many of those there are, the sockets bound. */
const UNCOUNTED = 64 * 1024;

/** The lane of requests that name none. */
const NO_LANE = '';

/** A message until it is asked: held on to by who waits for the answer, it would be there twice. */
interface Box {
  message: Message | undefined;
}

/** @param raw the connection below `socket`. */
export function serveSession(socket: WebSocket, raw: Socket, behind: Behind): Session {
  const { say: sayText, readOn, together, hold, isHeld } = keepConnection(socket, raw, behind.unread);
  const { memory } = behind;
  /** The last request of each lane there has been, settled when it is answered. */
  const lanes = new Map<string, Promise<void>>();
  /** Exchanges that are under way. */
  const asked = new Set<ClientRequest>();
  const seats = openSemaphore(MOST_AT_ONCE);
  /** Requests that wait or are being answered, and how long their messages are. */
  let open = 0;
  let held = 0;
  /** Bytes of those that wait: once one is asked, whoever answers has them. */
  let waiting = 0;
  /** Bytes of events of answers that are not whole. */
  let telling = 0;
  /** What `pending` was told last. */
  let counted = 0;
  /** Whether it is closed, or about to be because it was refused. */
  let isOver = false;
  /** Why no more requests are taken. */
  let ending: GatewayError | undefined;

  const sayWrong = (error: unknown, lane: string | undefined): void => {
    if (!(error instanceof GatewayError)) behind.trouble(error);
    say(asGatewayError(error), { lane, say: sayText });
  };
  const closeIfIdle = (): void => {
    if (open === 0) socket.close(GOING_AWAY, 'Reconnect to continue.');
  };
  const leaveWith = (error: GatewayError): void => {
    ending = error;
    closeIfIdle();
  };

  const take = (message: Message): void => {
    const { type, lane = NO_LANE } = message;
    // By this Codex tells that it has read an answer.
    if (type === 'response.processed') return;
    if (type === 'response.steer') {
      sayText(steeringRefused(message));
      return;
    }
    if (type !== 'response.create') throw invalid(`type: Unknown event; send "response.create"`, 'type');
    if (ending !== undefined) throw ending;
    const before = lanes.get(lane);
    const named = lanes.size - (lanes.has(NO_LANE) ? 1 : 0);
    if (before === undefined && lane !== NO_LANE && named >= MOST_LANES) {
      throw new GatewayError('invalid-request', `A connection can have at most ${MOST_LANES} streams.`, {
        param: 'stream_id',
        code: 'websocket_stream_limit_reached',
      });
    }
    lanes.set(lane, inTurn(before, message));
  };

  const isFull = (): boolean => open >= MOST_OPEN || held >= behind.bodyLimit;

  const pending = (): number => waiting + telling + onTheWay.held();

  /** Reads on, or not, and tells how much is held, now that something has changed. */
  const weigh = (): void => {
    if (isOver) return;
    readOn(!isFull() && !onTheWay.waits());
    const bytes = pending();
    const told = bytes > UNCOUNTED ? bytes : 0;
    if (told === counted) return;
    counted = told;
    try {
      behind.pending.holds(told);
    } catch (error) {
      refuse(asGatewayError(error));
    }
  };

  const refuse = (error: GatewayError): void => {
    if (isOver) return;
    isOver = true;
    sayWrong(error, undefined);
    socket.close(error.fault === 'request-timeout' ? POLICY_VIOLATION : TRY_AGAIN_LATER);
    // A sender in full flow would be reset, and might not read why: what still comes is read and thrown away.
    raw.removeAllListeners('data').resume();
    setTimeout(() => socket.terminate(), LINGER).unref();
  };

  const onTheWay = followMessage(raw, {
    place: behind.place,
    hasRequests: () => open > 0,
    isStopped: () => isFull() || isHeld(),
    time: behind.messageTime,
    changed: weigh,
    refuse,
  });

  const inTurn = (before: Promise<void> | undefined, message: Message): Promise<void> => {
    const { lane, bytes } = message;
    open += 1;
    held += bytes.byteLength;
    waiting += bytes.byteLength;
    weigh();
    return runInTurn(before, { message }, lane, bytes.byteLength);
  };

  const runInTurn = async (
    before: Promise<void> | undefined,
    box: Box,
    lane: string | undefined,
    size: number,
  ): Promise<void> => {
    await before;
    await seats.take();
    waiting -= size;
    weigh();
    try {
      if (socket.readyState === socket.OPEN) await answer(box);
    } catch (error) {
      sayWrong(error, lane);
    }
    seats.free();
    open -= 1;
    held -= size;
    onTheWay.look();
    if (ending !== undefined) closeIfIdle();
  };

  const answer = (box: Box): Promise<void> | undefined => {
    const { message } = box;
    if (message === undefined) return undefined;
    // Whoever answers has the body; held on to here, which may be for minutes, it would be there twice.
    box.message = undefined;
    const { lane } = message;
    const { body, ...request } = requestOf(message, memory.find, behind.thinks, behind.stores());
    if (fieldOf(message, 'generate') === false) return prepare(message, request);
    return ask(body, lane, request.from?.id).then((said) => remember(lane, request, said));
  };

  const prepare = async (message: Message, request: Omit<Request, 'body'>): Promise<void> => {
    if (request.goesOnElsewhere) throw unknownResponse();
    await behind.requireModel(asText(fieldOf(message, 'model')) ?? '');
    const { events, response } = prepared(message, request.from?.id);
    events.forEach(sayText);
    remember(message.lane, request, response);
  };

  const remember = (
    lane: string | undefined,
    { from, goesOnElsewhere, items, stored }: Omit<Request, 'body'>,
    response: JsonObject | undefined,
  ): void => {
    // All memories are counted: that of a connection that is gone must stay empty.
    if (isOver) return;
    const id = asText(response?.['id']);
    if (response === undefined || id === undefined || items === undefined || goesOnElsewhere) return;
    memory.keep(lane ?? NO_LANE, {
      id,
      items: [...(from?.items ?? []), joined([items, saidBy(response, stored)])],
    });
  };

  /** Asks, and tells what is answered. @returns the response that it ends with, where one can go on from it. */
  const ask = (
    body: Buffer,
    lane: string | undefined,
    previous: string | undefined,
  ): Promise<JsonObject | undefined> => {
    const request = behind.ask(body);
    asked.add(request);
    let told = 0;
    const holds = (bytes: number): void => {
      // Most events are small, and whole with the chunk that brings them.
      if (told === 0 && bytes <= UNCOUNTED) return;
      telling += bytes - told;
      told = bytes;
      weigh();
    };
    return new Promise((resolve) => {
      let isAnswered = false;
      request.on('response', (coming: IncomingMessage) => {
        isAnswered = true;
        hold(coming);
        void tellAnswer(coming, { lane, previous, say: sayText, holds, together }).then(resolve);
      });
      request.on('error', () => {
        if (isAnswered) return;
        sayWrong(new GatewayError('internal', 'The gateway failed to answer this request.'), lane);
        resolve(undefined);
      });
      request.on('close', () => asked.delete(request));
    });
  };

  socket.on('message', (data, isBinary) => {
    let lane: string | undefined;
    try {
      if (isBinary) throw invalid('Events must be sent as text frames, not binary.');
      const message = readMessage(bytesOf(data));
      lane = message.lane;
      take(message);
    } catch (error) {
      sayWrong(error, lane);
      if (!(error instanceof GatewayError)) socket.close(INTERNAL_ERROR);
    }
  });
  const tooOld = setTimeout(() => {
    const error = new GatewayError(
      'invalid-request',
      'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.',
      { code: 'websocket_connection_limit_reached' },
    );
    if (open === 0) sayWrong(error, undefined);
    leaveWith(error);
  }, OLDEST).unref();
  socket.on('close', () => {
    clearTimeout(tooOld);
    isOver = true;
    onTheWay.end();
    memory.forgetAll();
    for (const request of asked) request.destroy();
  });

  return {
    leave: () => leaveWith(new GatewayError('overloaded', 'The gateway is shutting down.')),
    closeIfIdle,
    forget: memory.forgetAll,
    cut: () => socket.terminate(),
    refuse,
    pending,
    tick: onTheWay.tick,
  };
}

/** Of a response that is not known here no other one can be made to go on from: whoever is told so sends all again. */
function unknownResponse(): GatewayError {
  return new GatewayError(
    'invalid-request',
    "This connection does not know the previous response: send the whole conversation in 'input'.",
    { param: 'previous_response_id', code: 'previous_response_not_found' },
  );
}

/** A message comes in one piece, as `ws` gives it where no other type is asked for. */
function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}
