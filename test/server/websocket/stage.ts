/** A client of the WebSocket of `/v1/responses`, frame by frame, and a vendor with scripted answers. */

import type { ServerResponse } from 'node:http';
import { connect as connectSocket, type Socket } from 'node:net';
import { WebSocket } from 'ws';
import type { ConfigInput } from '../../../src/config/schema.ts';
import { asText, isObject, type JsonObject, parseJson } from '../../../src/lib/json.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../../support/gateway.ts';
import { type Received, startUpstream, type TestUpstream } from '../../support/upstream.ts';

export interface Client {
  readonly socket: WebSocket;
  send(event: JsonObject): void;
  /** The next event. */
  next(): Promise<JsonObject>;
  /** The events up to the next one that ends an answer. */
  answer(): Promise<JsonObject[]>;
  /** The close code. */
  readonly closed: Promise<number>;
}

/** Connects, and fails with the status that rejects the handshake. */
export async function connect(
  url: string,
  headers: Record<string, string> = {},
  path = '/v1/responses',
): Promise<Client> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, {
    headers: { authorization: `Bearer ${KEY}`, ...headers },
  });
  const come: JsonObject[] = [];
  const waiting: ((event: JsonObject) => void)[] = [];
  socket.on('message', (data) => {
    const event = parseJson(String(data));
    if (!isObject(event)) throw new TypeError(`No event: ${String(data)}`);
    const take = waiting.shift();
    if (take === undefined) come.push(event);
    else take(event);
  });
  const closed = new Promise<number>((resolve) => socket.once('close', resolve));
  await new Promise<void>((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('unexpected-response', (request, { statusCode }) => {
      request.destroy();
      reject(new Error(`status ${statusCode}`));
    });
    socket.once('error', reject);
  });
  const next = (): Promise<JsonObject> => {
    const first = come.shift();
    return first === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(first);
  };
  return {
    socket,
    send: (event) => socket.send(JSON.stringify(event)),
    next,
    async answer() {
      const events: JsonObject[] = [];
      for (;;) {
        const event = await next();
        events.push(event);
        if (/^(?:response\.(?:completed|incomplete|failed)|error)$/.test(asText(event['type']) ?? ''))
          return events;
      }
    },
    closed,
  };
}

/** A handshake's head, with these additional header lines. */
export function handshake(lines: readonly string[] = [`Authorization: Bearer ${KEY}`]): string {
  const head = [
    'GET /v1/responses HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    ...lines,
  ];
  return `${head.join('\r\n')}\r\n\r\n`;
}

/**
 * Performs the handshake, with these additional header lines, and leaves everything after it to the test.
 * @returns the head of the answer, too.
 */
export function connectRaw(url: string, lines?: readonly string[]): Promise<{ raw: Socket; head: string }> {
  const raw = connectSocket(Number(new URL(url).port), '127.0.0.1').on('error', () => {});
  raw.write(handshake(lines));
  return new Promise((resolve) => raw.once('data', (answer) => resolve({ raw, head: String(answer) })));
}

/** A client's message in one frame; its mask leaves the bytes as they are. */
export function frameOf(text: string): Buffer {
  const data = Buffer.from(text);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(data.length));
  return Buffer.concat([Buffer.from([0x81, 0xff]), length, Buffer.alloc(4), data]);
}

export interface Stage {
  readonly gateway: TestGateway;
  readonly upstream: TestUpstream;
  /** What the vendor does from now on. */
  respondWith(respond: (received: Received, response: ServerResponse) => void): void;
  /** The bodies that the vendor has received since the last call. */
  bodies(): JsonObject[];
  close(): Promise<void>;
}

/**
 * A gateway with all vendors at one address, which answers as `respondWith` sets; at first with
 * `say('Hello')`.
 */
export async function openStage(config: ConfigInput = {}): Promise<Stage> {
  let respond: Parameters<Stage['respondWith']>[0] = say('Hello');
  let seen = 0;
  const upstream = await startUpstream((received, response) => respond(received, response));
  const gateway = await startGateway({
    vendors: vendorsAtUrl(upstream.url),
    retries: { limit: 0 },
    ...config,
  });
  return {
    gateway,
    upstream,
    respondWith(how) {
      respond = how;
    },
    bodies() {
      const bodies = upstream.received.slice(seen).map(({ body }) => parseJson(body.toString()));
      seen = upstream.received.length;
      return bodies.filter(isObject);
    },
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
}

let made = 0;

/** Answers with an OpenAI response that consists of the given items and a message; `usage` is its usage. */
export function say(
  text: string,
  before: readonly JsonObject[] = [],
  usage: JsonObject | null = null,
): Parameters<Stage['respondWith']>[0] {
  return ({ body }, response) => {
    made += 1;
    const asked = parseJson(body.toString());
    const store = isObject(asked) && asked['store'] !== false;
    const content = [{ type: 'output_text', text, annotations: [] }];
    const message = { type: 'message', id: `msg_${made}`, role: 'assistant', status: 'completed', content };
    const whole = {
      id: `resp_${made}`,
      object: 'response',
      status: 'completed',
      store,
      previous_response_id: null,
    };
    const events = [
      { type: 'response.created', response: { ...whole, status: 'in_progress', output: [] } },
      { type: 'response.output_text.delta', delta: text },
      { type: 'response.completed', response: { ...whole, output: [...before, message], usage } },
    ];
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const [sequence_number, event] of events.entries()) {
      response.write(`event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number })}\n\n`);
    }
    response.end();
  };
}
