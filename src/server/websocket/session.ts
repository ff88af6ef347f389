/** One connection of a client: it reads requests, answers them in their lanes, and remembers dialogues between them. */

import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { asGatewayError, GatewayError, invalid } from '../../lib/errors.ts';
import { asText, type JsonObject } from '../../lib/json.ts';
import { say } from './answer.ts';
import type { Behind } from './behind.ts';
import { keepConnection } from './connection.ts';
import type { Dialogue } from './dialogue-memory.ts';
import { openExchanges } from './exchanges.ts';
import { NO_LANE, openLanes } from './lanes.ts';
import {
  getField,
  joined,
  type Message,
  parseRequest,
  type Request,
  readMessage,
  saidBy,
} from './message.ts';
import { followMessage } from './on-the-way.ts';
import { prepared, steeringRefused } from './own-answers.ts';
import { reportPending } from './pending-bytes.ts';
import { refuseStrayOutputs } from './stray-outputs.ts';

/** A connection, as the gateway's other parts control it. */
export interface Session {
  /** Takes no more requests, and closes the connection as soon as nothing is being answered. */
  leave(): void;
  /** Closes the connection if nothing is being answered. */
  closeIfIdle(): void;
  /** Forgets all dialogues. A client that continues one must then send all of it. */
  forget(): void;
  /** Closes the connection at once. */
  cut(): void;
  /** Sends the error and closes the connection, since what it holds is needed elsewhere. */
  refuse(error: GatewayError): void;
  /** Bytes of messages that are arriving or waiting to be answered, and of incomplete events. */
  pending(): number;
  /** Adds to the time that an arriving message has taken. */
  tick(milliseconds: number): void;
}

/** OpenAI's own bound of a connection's age, in milliseconds ("WebSocket mode"). */
const MAX_AGE = 60 * 60_000;

/** Close codes (RFC 6455, 7.4.1). */
const GOING_AWAY = 1001;
const POLICY_VIOLATION = 1008;
const INTERNAL_ERROR = 1011;
const TRY_AGAIN_LATER = 1013;

/** How long a refused client may continue to send, so that it can read the reason, in milliseconds. */
const LINGER = 1_000;

/**
 * Holds a message until its request is posted. From then on the exchange has the body. If it stayed here too, perhaps
 * for minutes, it would be held twice.
 */
interface Box {
  message: Message | undefined;
}

/**
 * Serves a connection until it closes.
 * @param raw the connection below `socket`
 * @param behind the gateway, as this client may use it
 * @returns what ends the session or asks what it holds
 */
export function serveSession(socket: WebSocket, raw: Socket, behind: Behind): Session {
  const connection = keepConnection(socket, raw, behind.unread);
  const { say: sendText, readOn, isHeld } = connection;
  const { memory } = behind;
  const report = reportPending(behind.pending);
  /** Whether the connection is closed, or is about to be because it was refused. */
  let isOver = false;
  /** Why no more requests are accepted. */
  let ending: GatewayError | undefined;

  const lanes = openLanes({
    bodyLimit: behind.bodyLimit,
    changed: recheck,
    answered() {
      onTheWay.look();
      if (ending !== undefined) closeIfIdle();
    },
  });
  const exchanges = openExchanges({ post: behind.ask, connection, sendError, changed: recheck });
  const onTheWay = followMessage(raw, {
    place: behind.place,
    hasRequests: () => lanes.open() > 0,
    isStopped: () => lanes.isFull() || isHeld(),
    time: behind.messageTime,
    changed: recheck,
    refuse,
  });

  socket.on('message', (data, isBinary) => {
    let lane: string | undefined;
    try {
      if (isBinary) throw invalid('Events must be sent as text frames, not binary.');
      const message = readMessage(toBytes(data));
      lane = message.lane;
      take(message);
    } catch (error) {
      sendError(error, lane);
      if (!(error instanceof GatewayError)) socket.close(INTERNAL_ERROR);
    }
  });
  const tooOld = setTimeout(() => {
    const error = connectionTooOld();
    if (lanes.open() === 0) sendError(error, undefined);
    leaveWith(error);
  }, MAX_AGE).unref();
  socket.on('close', () => {
    clearTimeout(tooOld);
    isOver = true;
    onTheWay.end();
    memory.forgetAll();
    exchanges.abort();
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

  function take(message: Message): void {
    const { type, lane, bytes } = message;
    // Codex sends this when it has read an answer.
    if (type === 'response.processed') return;
    if (type === 'response.steer') {
      sendText(steeringRefused(message));
      return;
    }
    if (type !== 'response.create') throw invalid(`type: Unknown event; send "response.create"`, 'type');
    if (ending !== undefined) throw ending;
    const box: Box = { message };
    lanes.add(lane, bytes.byteLength, async () => {
      try {
        if (socket.readyState === socket.OPEN) await answer(box);
      } catch (error) {
        sendError(error, lane);
      }
    });
  }

  function answer(box: Box): Promise<void> | undefined {
    const { message } = box;
    if (message === undefined) return undefined;
    box.message = undefined;
    const { lane } = message;
    const { body, ...request } = parseRequest(message, memory.find, behind.thinks, behind.stores());
    const { from } = request;
    if (from !== undefined) requireCalls(request.items ?? '', from);
    if (getField(message, 'generate') === false) return prepare(message, request);
    return exchanges.run(body, lane, from?.id).then((said) => {
      if (said !== undefined) remember(lane, request, said);
      else if (from !== undefined) memory.forget(from.id);
    });
  }

  function requireCalls(items: string, from: Dialogue): void {
    try {
      refuseStrayOutputs(items, from);
    } catch (error) {
      memory.forget(from.id);
      throw error;
    }
  }

  async function prepare(message: Message, request: Omit<Request, 'body'>): Promise<void> {
    if (request.goesOnElsewhere) throw unknownResponse();
    await behind.requireModel(asText(getField(message, 'model')) ?? '');
    const { events, response } = prepared(message, request.from?.id);
    events.forEach(sendText);
    remember(message.lane, request, response);
  }

  function remember(
    lane: string | undefined,
    { from, goesOnElsewhere, items, stored }: Omit<Request, 'body'>,
    response: JsonObject,
  ): void {
    // All memories are counted, so the memory of a closed connection must stay empty.
    if (isOver) return;
    const id = asText(response['id']);
    if (id === undefined || items === undefined || goesOnElsewhere) return;
    memory.keep(lane ?? NO_LANE, {
      id,
      items: [...(from?.items ?? []), joined([items, saidBy(response, stored)])],
    });
  }

  function pending(): number {
    return lanes.waiting() + exchanges.pending() + onTheWay.held();
  }

  /** Continues or stops reading, and reports how much is held, after a change. */
  function recheck(): void {
    if (isOver) return;
    readOn(!lanes.isFull() && !onTheWay.waits());
    try {
      report(pending());
    } catch (error) {
      refuse(asGatewayError(error));
    }
  }

  function refuse(error: GatewayError): void {
    if (isOver) return;
    isOver = true;
    sendError(error, undefined);
    socket.close(error.fault === 'request-timeout' ? POLICY_VIOLATION : TRY_AGAIN_LATER);
    // The connection of a client in full flow would be reset, and the client might not read the reason. So whatever
    // still arrives is read and discarded.
    raw.removeAllListeners('data').resume();
    setTimeout(() => socket.terminate(), LINGER).unref();
  }

  function sendError(error: unknown, lane: string | undefined): void {
    if (!(error instanceof GatewayError)) behind.trouble(error);
    say(asGatewayError(error), { lane, say: sendText });
  }

  function leaveWith(error: GatewayError): void {
    ending = error;
    closeIfIdle();
  }

  function closeIfIdle(): void {
    if (lanes.open() === 0) socket.close(GOING_AWAY, 'Reconnect to continue.');
  }
}

function connectionTooOld(): GatewayError {
  return new GatewayError(
    'invalid-request',
    'Responses websocket connection limit reached (60 minutes). Create a new websocket connection to continue.',
    { code: 'websocket_connection_limit_reached' },
  );
}

/** A response that is not known here cannot be continued. On this error a client sends the whole conversation again. */
function unknownResponse(): GatewayError {
  return new GatewayError(
    'invalid-request',
    "This connection does not know the previous response: send the whole conversation in 'input'.",
    { param: 'previous_response_id', code: 'previous_response_not_found' },
  );
}

/** A message as one Buffer, which is what `ws` delivers unless another type is requested. */
function toBytes(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return data instanceof ArrayBuffer ? Buffer.from(data) : data;
}
