/** Stands in for a vendor on the loopback interface: it forwards requests, returns the answers, and keeps both. */

import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Dispatcher } from 'undici';
import type { FormatName } from '../../conversation/prompt.ts';
import { boundedBytes } from '../../lib/bounded-text.ts';
import { textOfBytes } from '../../lib/bytes.ts';
import { codeBehind } from '../../lib/error-code.ts';
import { GatewayError } from '../../lib/errors.ts';
import { isObject, tryParseJson } from '../../lib/json.ts';
import type { CloudTokens } from '../../upstream/credentials/cloud-tokens.ts';
import { bind } from '../../upstream/net/bind.ts';
import { isLoopback } from '../../upstream/net/loopback.ts';
import type { Vendor } from '../../upstream/vendor.ts';
import { ask, endToEnd, headersTo, type Waits } from './exchange.ts';
import { type Exchange, NoFixture } from './fixture.ts';
import { inflated } from './inflated.ts';
import { chooseTarget, type Target } from './route.ts';
import { callerSecrets } from './secrets.ts';

/** What the recorder asks, how long it runs, and what it does with an exchange. */
export interface RecorderOptions {
  readonly agent: Dispatcher;
  /** Gets a token if the vendor has no key. */
  readonly cloudTokens: CloudTokens;
  readonly vendor: Vendor;
  readonly waits: Waits;
  /** 0 means any free port. */
  readonly port: number;
  /** The largest body of a request, in bytes. */
  readonly bodyLimit: number;
  /** The number of exchanges to record. */
  readonly count: number;
  /**
   * The reason why an exchange in that format cannot be kept. It is asked before the vendor is, since the vendor
   * charges.
   */
  refuse(format: FormatName): string | undefined;
  /**
   * Keeps an exchange.
   * @throws NoFixture if the exchange cannot become one; the recorder then waits for the next one
   */
  keep(exchange: Exchange, callersSecrets: readonly string[]): Promise<void>;
  /** Reports what happens to the person who watches. */
  log(message: string): void;
}

/** A recorder that is listening. */
export interface Recorder {
  readonly url: string;
  /** Resolves when all exchanges are recorded; rejects if one cannot be kept. */
  readonly over: Promise<void>;
  close(): Promise<void>;
}

/** The error that a caller receives if the vendor is not asked. */
export class Declined extends Error {
  override readonly name = 'Declined';
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/**
 * Starts a recorder. It listens on 127.0.0.1 only, since everyone who reaches it can spend the vendor's key.
 * @returns the recorder, already listening
 * @throws Error if the port is taken
 */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const { count, log } = options;
  const { promise: over, resolve, reject } = Promise.withResolvers<void>();
  let recorded = 0;
  /** Exchanges are made one after another, so that their files are numbered in the order of the requests. */
  let line: Promise<unknown> = Promise.resolve();

  const take = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    if (!isLocal(incoming.headers))
      throw new Declined(403, 'Only programs on this machine may send requests here.');
    const target = chooseTarget(options.vendor, incoming.method, incoming.url ?? '');
    if (target === undefined) {
      const asked = `${incoming.method} ${(incoming.url ?? '').split('?', 1)[0]}`;
      throw new Declined(404, `${asked} is not an endpoint of ${options.vendor.name} that can be recorded.`);
    }
    const turn = line.then(async () => {
      if (response.closed) return;
      if (recorded === count)
        throw new Declined(503, 'Everything has been recorded: the recorder is closing.');
      const exchange = await pass(options, target, incoming, response);
      await options.keep(exchange, secretsOfCaller(incoming));
      recorded += 1;
      if (recorded === count) resolve();
    });
    // The request of this turn receives its error; the next turn begins either way.
    line = turn.catch(() => undefined);
    await turn;
  };

  const server = createServer((incoming, response) => {
    response.shouldKeepAlive = false;
    take(incoming, response).catch((error: unknown) => {
      const isOfExchange = answerFailure(response, error, log);
      if (!isOfExchange || (error instanceof Declined && error.status === 409)) reject(error);
    });
  });
  const port = await bind(server, { host: '127.0.0.1', port: options.port });
  return {
    url: `http://127.0.0.1:${port}`,
    over,
    async close() {
      server.closeIdleConnections();
      await new Promise<void>((closed) => server.close(() => closed()));
    },
  };
}

/** Answers a request whose exchange has failed. @returns false if the error is not one of an exchange. */
function answerFailure(response: ServerResponse, error: unknown, log: (line: string) => void): boolean {
  if (error instanceof Declined) decline(response, error);
  else if (!(error instanceof NoFixture || error instanceof Broken)) return false;
  else if (!response.headersSent) decline(response, new Declined(502, error.message));
  // An answer that broke off must not look complete.
  else if (!response.writableEnded) response.destroy();
  log(error.message);
  return true;
}

/** The exchange broke off. */
class Broken extends Error {
  override readonly name = 'Broken';
}

/**
 * Forwards one request, and its answer as it arrives.
 * @throws Declined, NoFixture, Broken
 */
async function pass(
  options: RecorderOptions,
  { format, path }: Target,
  incoming: IncomingMessage,
  response: ServerResponse,
): Promise<Exchange> {
  const { agent, cloudTokens, vendor, waits } = options;
  const leaving = new AbortController();
  response.once('close', () => leaving.abort());
  try {
    const body = await readBody(incoming, options.bodyLimit);
    const request = await inflated(body, incoming.headers['content-encoding']);
    if (request === undefined || !isObject(tryParseJson(textOfBytes(request))))
      throw new Declined(400, 'The request body must be a JSON object.');
    const refused = options.refuse(format);
    if (refused !== undefined) throw new Declined(409, refused);
    const sending = { path, headers: headersTo(vendor, incoming.headers), body, signal: leaving.signal };
    const { answer: answered, ...shown } = await ask(agent, cloudTokens, vendor, sending, waits);
    const { statusCode: status, headers, body: answering } = answered;
    response.writeHead(status, endToEnd(headers));
    response.flushHeaders();
    const chunks: Buffer[] = [];
    for await (const chunk of answering) {
      chunks.push(chunk);
      if (!response.write(chunk)) await once(response, 'drain', { signal: leaving.signal });
    }
    response.end();
    const answer = await inflated(Buffer.concat(chunks), headers['content-encoding']);
    if (answer === undefined) throw new NoFixture('The vendor’s answer cannot be decompressed.');
    return { format, request, status, headers, answer, ...shown };
  } catch (error) {
    if (error instanceof NoFixture || error instanceof Declined) throw error;
    if (error instanceof GatewayError) throw new Broken(error.message);
    throw new Broken(
      leaving.signal.aborted
        ? 'The client left before the answer was complete: nothing was recorded.'
        : `The exchange with ${vendor.name} failed${codeBehind(error)}: nothing was recorded.`,
    );
  }
}

async function readBody(incoming: IncomingMessage, limit: number): Promise<Uint8Array> {
  const body = await boundedBytes(incoming, limit);
  if (body === undefined) throw new Declined(413, 'The request is too large.');
  return body;
}

function secretsOfCaller({ headers, url = '' }: IncomingMessage): readonly string[] {
  return callerSecrets(headers, new URL(url, 'http://localhost').searchParams);
}

function decline(response: ServerResponse, { status, message }: Declined): void {
  if (response.headersSent) return;
  response
    .writeHead(status, { 'content-type': 'application/json' })
    .end(JSON.stringify({ error: { message } }));
}

/**
 * A web page can make a browser send a POST to any port of this machine, and can make its own name resolve to 127.0.0.1
 * (DNS rebinding). But it cannot choose the `Origin` and the `Host` that the browser sends.
 * @returns whether both headers name this machine; a missing `Origin` is allowed
 */
function isLocal({ host = '', origin }: IncomingHttpHeaders): boolean {
  return isHere(`http://${host}`) && (origin === undefined || isHere(origin));
}

function isHere(url: string): boolean {
  return URL.canParse(url) && isLoopback(new URL(url).hostname);
}
