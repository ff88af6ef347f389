/** One connection of a client: it reads requests, answers them in their lanes, and remembers dialogues between them. */

import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { asGatewayError, GatewayError, invalid } from '../../lib/errors.ts';
import { asText, type JsonObject } from '../../lib/json.ts';
import { writeError } from './answer.ts';
import { trackMessage } from './arriving-message.ts';
import { paceConnection } from './connection.ts';
import type { Dialogue } from './dialogue-memory.ts';
import { openExchanges } from './exchanges.ts';
import { NO_LANE, openLanes } from './lanes.ts';
import { answerWithoutOutput, refuseSteering } from './local-answers.ts';
import {
  getField,
  joinItems,
  type Message,
  outputItems,
  parseRequest,
  type Request,
  readMessage,
} from './message.ts';
import { reportPending } from './pending-bytes.ts';
import type { SessionGateway } from './session-gateway.ts';
import { refuseStrayOutputs } from './stray-outputs.ts';

/** A connection, as the gateway's other parts control it. */
export interface Session {
  /** Takes no more requests, and closes the connection as soon as nothing is being answered. */
  drain(): void;
  /** Closes the connection if nothing is being answered. */
  closeIfIdle(): void;
  /** Forgets all dialogues. A client that continues one must then send all of it. */
  forgetDialogues(): void;
  /** Closes the connection at once. */
  terminate(): void;
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
interface UnpostedMessage {
  message: Message | undefined;
}

/**
 * Serves a connection until it closes.
 * @param raw the connection below `socket`
 * @param gateway the gateway, as this client may use it
 * @returns what ends the session or asks what it holds
 */
export function serveSession(socket: WebSocket, raw: Socket, gateway: SessionGateway): Session {
  const connection = paceConnection(socket, raw, gateway.unreadTimeout);
  const { send: sendText, setReading, isPaused } = connection;
  const { memory } = gateway;
  const report = reportPending(gateway.arrival);
  /** Whether the connection is closed, or is about to be because it was refused. */
  let isClosed = false;
  /** Why no more requests are accepted. */
  let drainError: GatewayError | undefined;

  const lanes = openLanes({
    bodyLimit: gateway.bodyLimit,
    changed: recheck,
    answered() {
      arriving.recheck();
      if (drainError !== undefined) closeIfIdle();
    },
  });
  const exchanges = openExchanges({ post: gateway.post, connection, sendError, changed: recheck });
  const arriving = trackMessage(raw, {
    reserveSlot: gateway.reserveSlot,
    hasRequests: () => lanes.open() > 0,
    isStopped: () => lanes.isFull() || isPaused(),
    timeout: gateway.messageTimeout,
    changed: recheck,
    refuse,
  });

  socket.on('message', (data, isBinary) => {
    let lane: string | undefined;
    try {
      if (isBinary) throw invalid('Events must be sent as text frames, not binary.');
      const message = readMessage(toBytes(data));
      lane = message.lane;
      handleMessage(message);
    } catch (error) {
      sendError(error, lane);
      if (!(error instanceof GatewayError)) socket.close(INTERNAL_ERROR);
    }
  });
  const ageTimer = setTimeout(() => {
    const error = connectionTooOld();
    if (lanes.open() === 0) sendError(error, undefined);
    drainWith(error);
  }, MAX_AGE).unref();
  socket.on('close', () => {
    clearTimeout(ageTimer);
    isClosed = true;
    arriving.end();
    memory.forgetAll();
    exchanges.abort();
  });

  return {
    drain: () => drainWith(new GatewayError('overloaded', 'The gateway is shutting down.')),
    closeIfIdle,
    forgetDialogues: memory.forgetAll,
    terminate: () => socket.terminate(),
    refuse,
    pending,
    tick: arriving.tick,
  };

  function handleMessage(message: Message): void {
    const { type, lane, bytes } = message;
    // Codex sends this when it has read an answer.
    if (type === 'response.processed') return;
    if (type === 'response.steer') {
      sendText(refuseSteering(message));
      return;
    }
    if (type !== 'response.create') throw invalid(`type: Unknown event; send "response.create"`, 'type');
    if (drainError !== undefined) throw drainError;
    const box: UnpostedMessage = { message };
    lanes.add(lane, bytes.byteLength, async () => {
      try {
        if (socket.readyState === socket.OPEN) await answer(box);
      } catch (error) {
        sendError(error, lane);
      }
    });
  }

  function answer(box: UnpostedMessage): Promise<void> | undefined {
    const { message } = box;
    if (message === undefined) return undefined;
    box.message = undefined;
    const { lane } = message;
    const { body, ...request } = parseRequest(
      message,
      (id) => memory.find(id, lane ?? NO_LANE),
      gateway.isReasoningModel,
      gateway.mayStore(),
    );
    const { dialogue } = request;
    if (dialogue !== undefined) requireCalls(request.items ?? '', dialogue);
    if (getField(message, 'generate') === false) return prepare(message, request);
    return exchanges.run(body, lane, dialogue?.id).then((said) => {
      if (said !== undefined) remember(lane, request, said);
      else if (dialogue !== undefined) memory.forget(dialogue.id);
    });
  }

  function requireCalls(items: string, dialogue: Dialogue): void {
    try {
      refuseStrayOutputs(items, dialogue);
    } catch (error) {
      memory.forget(dialogue.id);
      throw error;
    }
  }

  async function prepare(message: Message, request: Omit<Request, 'body'>): Promise<void> {
    if (request.continuesAtVendor) throw unknownPreviousResponse();
    await gateway.requireModel(asText(getField(message, 'model')) ?? '');
    const { events, response } = answerWithoutOutput(message, request.dialogue?.id);
    events.forEach(sendText);
    remember(message.lane, request, response);
  }

  function remember(
    lane: string | undefined,
    { dialogue, continuesAtVendor, items, stored }: Omit<Request, 'body'>,
    response: JsonObject,
  ): void {
    // All memories are counted, so the memory of a closed connection must stay empty.
    if (isClosed) return;
    const id = asText(response['id']);
    if (id === undefined || items === undefined || continuesAtVendor) return;
    memory.keep(lane ?? NO_LANE, {
      id,
      items: [...(dialogue?.items ?? []), joinItems([items, outputItems(response, stored)])],
    });
  }

  function pending(): number {
    return lanes.waiting() + exchanges.pending() + arriving.held();
  }

  /** Continues or stops reading, and reports how much is held, after a change. */
  function recheck(): void {
    if (isClosed) return;
    setReading(!lanes.isFull() && !arriving.needsSlot());
    try {
      report(pending());
    } catch (error) {
      refuse(asGatewayError(error));
    }
  }

  function refuse(error: GatewayError): void {
    if (isClosed) return;
    isClosed = true;
    sendError(error, undefined);
    socket.close(error.fault === 'request-timeout' ? POLICY_VIOLATION : TRY_AGAIN_LATER);
    // The connection of a client in full flow would be reset, and the client might not read the reason. So whatever
    // still arrives is read and discarded.
    raw.removeAllListeners('data').resume();
    setTimeout(() => socket.terminate(), LINGER).unref();
  }

  function sendError(error: unknown, lane: string | undefined): void {
    if (!(error instanceof GatewayError)) gateway.reportError(error);
    writeError(asGatewayError(error), { lane, send: sendText });
  }

  function drainWith(error: GatewayError): void {
    drainError = error;
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
function unknownPreviousResponse(): GatewayError {
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
