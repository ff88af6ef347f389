/** One connection of a client's: its requests, in turn a lane, and what it remembers between them. */

import type { ClientRequest, IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { asGatewayError, GatewayError, invalid } from '../errors.ts';
import { asText, type JsonObject } from '../json.ts';
import { say, tellAnswer } from './answer.ts';
import { keepConnection } from './connection.ts';
import { openMemory } from './memory.ts';
import { fieldOf, joined, type Message, type Request, readMessage, requestOf, saidBy } from './message.ts';
import { prepared, steeringRefused } from './own-answers.ts';
import { openSeats } from './seats.ts';

/** What a session needs of the gateway. */
export interface Behind {
  /** Posts a body to where responses are created, as the client that this is. */
  ask(body: Buffer): ClientRequest;
  /** @throws GatewayError, by its promise, where the client may not use the model, or nobody serves it. */
  requireModel(model: string): Promise<void>;
  /** Whether the model of this name thinks. */
  thinks(model: string): boolean;
  /** Largest body, in bytes. */
  readonly bodyLimit: number;
  /** Milliseconds that something may wait for a client who takes none of it. */
  readonly unread: number;
  /** Told what should not have happened. */
  trouble(error: unknown): void;
}

export interface Session {
  /** Closes it as soon as nothing is being answered. */
  leave(): void;
  /** Closes it where nothing is being answered. */
  closeIfIdle(): void;
  /** Forgets all dialogues: whoever goes on from one must send all of it again. */
  forget(): void;
  /** Closes it at once. */
  cut(): void;
}

/** OpenAI's own bounds of a connection ("WebSocket mode"): its age, its lanes, and how many answers there are at a time. */
const OLDEST = 60 * 60_000;
const MOST_LANES = 32;
const MOST_AT_ONCE = 16;

/** Requests that a connection may have open before it is not read: of one that is not read, no ping and no end is heard. */
const MOST_OPEN = 2 * MOST_LANES;

/** Close codes (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const INTERNAL_ERROR = 1011;

/** The lane of requests that name none. */
const NO_LANE = '';

/** @param raw the connection below `socket`. */
export function serveSession(socket: WebSocket, raw: Socket, behind: Behind): Session {
  const { say: sayText, readOn, together, hold } = keepConnection(socket, raw, behind.unread);
  const memory = openMemory(behind.bodyLimit);
  /** The last request of each lane there has been, settled when it is answered. */
  const lanes = new Map<string, Promise<void>>();
  /** Exchanges that are under way. */
  const asked = new Set<ClientRequest>();
  const seats = openSeats(MOST_AT_ONCE);
  /** Requests that wait or are being answered, and how long their messages are. */
  let open = 0;
  let held = 0;
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
    count(message, 1);
    lanes.set(lane, inTurn(before, message));
  };

  const count = ({ bytes }: Message, by: 1 | -1): void => {
    open += by;
    held += by * bytes.byteLength;
    readOn(open < MOST_OPEN && held < behind.bodyLimit);
  };

  const inTurn = async (before: Promise<void> | undefined, message: Message): Promise<void> => {
    await before;
    await seats.take();
    try {
      if (socket.readyState === socket.OPEN) await answer(message);
    } catch (error) {
      sayWrong(error, message.lane);
    }
    seats.free();
    count(message, -1);
    if (ending !== undefined) closeIfIdle();
  };

  const answer = (message: Message): Promise<void> => {
    // Whoever answers has the body; held on to here, which may be for minutes, it would be there twice.
    const { body, ...request } = requestOf(message, memory.find, behind.thinks);
    if (fieldOf(message, 'generate') === false) {
      if (request.goesOnElsewhere) throw unknownResponse();
      return behind.requireModel(asText(fieldOf(message, 'model')) ?? '').then(() => {
        const { events, response } = prepared(message, request.from?.id);
        events.forEach(sayText);
        remember(message, request, response);
      });
    }
    return ask(body, message.lane, request.from?.id).then((said) => remember(message, request, said));
  };

  const remember = (
    { lane = NO_LANE }: Message,
    { from, goesOnElsewhere, items, stored }: Omit<Request, 'body'>,
    response: JsonObject | undefined,
  ): void => {
    const id = asText(response?.['id']);
    if (response === undefined || id === undefined || items === undefined || goesOnElsewhere) return;
    memory.keep(lane, { id, items: [...(from?.items ?? []), joined([items, saidBy(response, stored)])] });
  };

  /** Asks, and tells what is answered. @returns the response that it ends with, where one can go on from it. */
  const ask = (
    body: Buffer,
    lane: string | undefined,
    previous: string | undefined,
  ): Promise<JsonObject | undefined> => {
    const request = behind.ask(body);
    asked.add(request);
    return new Promise((resolve) => {
      let isAnswered = false;
      request.on('response', (coming: IncomingMessage) => {
        isAnswered = true;
        hold(coming);
        void tellAnswer(coming, { lane, previous, say: sayText, together }).then(resolve);
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
    for (const request of asked) request.destroy();
  });

  return {
    leave: () => leaveWith(new GatewayError('overloaded', 'The gateway is shutting down.')),
    closeIfIdle,
    forget: memory.forgetAll,
    cut: () => socket.terminate(),
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
