/** One connection of a client: it reads requests, answers them in their lanes, and remembers dialogues between them. */

import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import { asGatewayError, GatewayError, invalid } from '../../lib/errors.ts';
import { asText, type JsonObject } from '../../lib/json.ts';
import { writeError } from './answer.ts';
import { type ArrivingMessage, trackMessage } from './arriving-message.ts';
import { type Connection, paceConnection } from './connection.ts';
import type { Dialogue } from './dialogue-memory.ts';
import { type Exchanges, openExchanges, UNCOUNTED } from './exchanges.ts';
import { type Lanes, NO_LANE, openLanes } from './lanes.ts';
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
import type { SessionGateway } from './session-gateway.ts';
import { refuseStrayOutputs } from './stray-outputs.ts';

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

/** Serves a connection until it closes. */
export class Session {
  readonly #socket: WebSocket;
  readonly #raw: Socket;
  readonly #gateway: SessionGateway;
  readonly #connection: Connection;
  readonly #lanes: Lanes;
  readonly #exchanges: Exchanges;
  readonly #arriving: ArrivingMessage;
  /** The bytes that the gateway's account was last told. */
  #reported = 0;
  /** Whether the connection is closed, or is about to be because it was refused. */
  #isClosed = false;
  /** Why no more requests are accepted. */
  #drainError: GatewayError | undefined;

  /**
   * @param raw the connection below `socket`
   * @param gateway the gateway, as this client may use it
   */
  constructor(socket: WebSocket, raw: Socket, gateway: SessionGateway) {
    this.#socket = socket;
    this.#raw = raw;
    this.#gateway = gateway;
    this.#connection = paceConnection(socket, raw, gateway.unreadTimeout);
    const changed = (): void => this.#recheck();
    this.#lanes = openLanes({
      bodyLimit: gateway.bodyLimit,
      changed,
      answered: () => {
        this.#arriving.recheck();
        if (this.#drainError !== undefined) this.closeIfIdle();
      },
    });
    this.#exchanges = openExchanges({
      post: gateway.post,
      connection: this.#connection,
      sendError: (error, lane) => this.#sendError(error, lane),
      changed,
    });
    this.#arriving = trackMessage(raw, {
      reserveSlot: gateway.reserveSlot,
      hasRequests: () => this.#lanes.open() > 0,
      isStopped: () => this.#lanes.isFull() || this.#connection.isPaused(),
      timeout: gateway.messageTimeout,
      changed,
      refuse: (error) => this.refuse(error),
    });
    const ageTimer = setTimeout(() => this.#endOfAge(), MAX_AGE).unref();
    socket.on('message', (data, isBinary) => this.#receive(data, isBinary));
    socket.on('close', () => {
      clearTimeout(ageTimer);
      this.#isClosed = true;
      this.#arriving.end();
      gateway.memory.forgetAll();
      this.#exchanges.abort();
    });
  }

  /** Takes no more requests, and closes the connection as soon as nothing is being answered. */
  drain(): void {
    this.#drainWith(new GatewayError('overloaded', 'The gateway is shutting down.'));
  }

  /** Closes the connection if nothing is being answered. */
  closeIfIdle(): void {
    if (this.#lanes.open() === 0) this.#socket.close(GOING_AWAY, 'Reconnect to continue.');
  }

  /** Forgets all dialogues. A client that continues one must then send all of it. */
  forgetDialogues(): void {
    this.#gateway.memory.forgetAll();
  }

  terminate(): void {
    this.#socket.terminate();
  }

  /** Sends the error and closes the connection, since what it holds is needed elsewhere. */
  refuse(error: GatewayError): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#sendError(error, undefined);
    this.#socket.close(error.fault === 'request-timeout' ? POLICY_VIOLATION : TRY_AGAIN_LATER);
    // The connection of a client in full flow would be reset, and the client might not read the reason. So whatever
    // still arrives is read and discarded.
    this.#raw.removeAllListeners('data').resume();
    setTimeout(() => this.#socket.terminate(), LINGER).unref();
  }

  /** Bytes of messages that are arriving or waiting to be answered, and of incomplete events. */
  pending(): number {
    return this.#lanes.waiting() + this.#exchanges.pending() + this.#arriving.held();
  }

  /** Adds to the time that an arriving message has taken. */
  tick(milliseconds: number): void {
    this.#arriving.tick(milliseconds);
  }

  #receive(data: RawData, isBinary: boolean): void {
    let lane: string | undefined;
    try {
      if (isBinary) throw invalid('Events must be sent as text frames, not binary.');
      const message = readMessage(toBytes(data), this.#gateway.knownTools());
      lane = message.lane;
      this.#handle(message);
    } catch (error) {
      this.#sendError(error, lane);
      if (!(error instanceof GatewayError)) this.#socket.close(INTERNAL_ERROR);
    }
  }

  #handle(message: Message): void {
    const { type, lane, bytes } = message;
    // Codex sends this when it has read an answer.
    if (type === 'response.processed') return;
    // pipecat sends this when it is interrupted, and reads on until the answer ends. OpenAI's reference lacks it.
    if (type === 'response.cancel') {
      this.#exchanges.cancel(lane, asText(getField(message, 'response_id')));
      return;
    }
    if (type === 'response.steer') {
      this.#connection.send(refuseSteering(message));
      return;
    }
    if (type !== 'response.create') throw invalid(`type: Unknown event; send "response.create"`, 'type');
    if (this.#drainError !== undefined) throw this.#drainError;
    const box: UnpostedMessage = { message };
    this.#lanes.add(lane, bytes.byteLength, async () => {
      try {
        if (this.#socket.readyState === this.#socket.OPEN) await this.#answer(box);
      } catch (error) {
        this.#sendError(error, lane);
      }
    });
  }

  #answer(box: UnpostedMessage): Promise<void> | undefined {
    const { message } = box;
    if (message === undefined) return undefined;
    box.message = undefined;
    const { lane } = message;
    const { memory, isReasoningModel, mayStore } = this.#gateway;
    const { body, ...request } = parseRequest(message, {
      findDialogue: (id) => memory.find(id, lane ?? NO_LANE),
      isReasoningModel,
      mayStore: mayStore(),
    });
    const { dialogue } = request;
    if (dialogue !== undefined) this.#requireCalls(request.items ?? '', dialogue);
    if (getField(message, 'generate') === false) return this.#prepare(message, request);
    return this.#exchanges.run(body, lane, dialogue?.id).then((response) => {
      if (response === 'cancelled') return;
      if (response !== undefined) this.#remember(lane, request, response);
      else if (dialogue !== undefined) memory.forget(dialogue.id);
    });
  }

  #requireCalls(items: string, dialogue: Dialogue): void {
    try {
      refuseStrayOutputs(items, dialogue);
    } catch (error) {
      this.#gateway.memory.forget(dialogue.id);
      throw error;
    }
  }

  async #prepare(message: Message, request: Omit<Request, 'body'>): Promise<void> {
    if (request.continuesAtVendor) throw unknownPreviousResponse();
    await this.#gateway.requireModel(asText(getField(message, 'model')) ?? '');
    const { events, response } = answerWithoutOutput(message, request.dialogue?.id);
    events.forEach(this.#connection.send);
    this.#remember(message.lane, request, response);
  }

  #remember(
    lane: string | undefined,
    { dialogue, continuesAtVendor, items, stored }: Omit<Request, 'body'>,
    response: JsonObject,
  ): void {
    // All memories are counted, so the memory of a closed connection must stay empty.
    if (this.#isClosed) return;
    const id = asText(response['id']);
    if (id === undefined || items === undefined || continuesAtVendor) return;
    this.#gateway.memory.keep(lane ?? NO_LANE, {
      id,
      items: [...(dialogue?.items ?? []), joinItems([items, outputItems(response, stored)])],
    });
  }

  /** Continues or stops reading, and reports how much is held, after a change. */
  #recheck(): void {
    if (this.#isClosed) return;
    this.#connection.setReading(!this.#lanes.isFull() && !this.#arriving.needsSlot());
    try {
      this.#report();
    } catch (error) {
      this.refuse(asGatewayError(error));
    }
  }

  #report(): void {
    const held = this.pending();
    const counted = held > UNCOUNTED ? held : 0;
    if (counted === this.#reported) return;
    this.#reported = counted;
    this.#gateway.arrival.holds(counted);
  }

  #sendError(error: unknown, lane: string | undefined): void {
    if (!(error instanceof GatewayError)) this.#gateway.reportError(error);
    writeError(asGatewayError(error), { lane, send: this.#connection.send });
  }

  #endOfAge(): void {
    const error = connectionTooOld();
    if (this.#lanes.open() === 0) this.#sendError(error, undefined);
    this.#drainWith(error);
  }

  #drainWith(error: GatewayError): void {
    this.#drainError = error;
    this.closeIfIdle();
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
