/**
 * For clients of other languages, which run in processes of their own: a gateway in front of its simulated vendors, and
 * between them a recorder that is asked over HTTP what the vendors received.
 */

import { createServer, type IncomingHttpHeaders } from 'node:http';
import { startSandbox } from '../../src/sandbox/sandbox.ts';
import { bind, formatUrl } from '../../src/upstream/net/bind.ts';
import { KEY, startGateway } from '../support/gateway.ts';

/** One request of the gateway to a vendor, with the vendor's answer. */
interface Exchange {
  readonly path: string;
  readonly request: string;
  readonly answer: string;
}

export interface RecordedGateway {
  /** What a process needs to reach the gateway and the recorder. */
  readonly environment: Readonly<Record<'GATEWAY_URL' | 'GATEWAY_KEY' | 'RECORDER_URL', string>>;
  close(): Promise<void>;
}

/** Starts the gateway with everyone's models in Google's format. `GET /recorded?tag=` lists the exchanges with a tag. */
export async function startRecordedGateway(): Promise<RecordedGateway> {
  const sandbox = await startSandbox({ pace: 'none' });
  const recorder = await startRecorder(new URL(sandbox.places.openai.baseUrl).origin);
  const behind = Object.entries(sandbox.places).map(([vendor, place]) => {
    const { pathname } = new URL(place.baseUrl);
    return [vendor, { ...place, baseUrl: recorder.url + pathname }] as const;
  });
  const gateway = await startGateway(
    { generateContent: { models: 'all' } },
    undefined,
    undefined,
    Object.fromEntries(behind),
  );
  return {
    environment: { GATEWAY_URL: gateway.url, GATEWAY_KEY: KEY, RECORDER_URL: recorder.url },
    async close() {
      await gateway.close();
      await recorder.close();
      await sandbox.close();
    },
  };
}

/** Headers that are about one connection and not about what is sent over it. */
const OF_CONNECTION = new Set(['connection', 'content-length', 'host', 'keep-alive', 'transfer-encoding']);

async function startRecorder(origin: string): Promise<{ readonly url: string; close(): Promise<void> }> {
  const exchanges: Exchange[] = [];
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    if (path.startsWith('/recorded?')) {
      const tag = new URL(path, origin).searchParams.get('tag') ?? '';
      response.end(JSON.stringify(exchanges.filter((exchange) => exchange.request.includes(tag))));
      return;
    }
    const body = Buffer.concat(await Array.fromAsync(request));
    const answered = await fetch(origin + path, {
      method: request.method ?? 'GET',
      headers: passedOn(request.headers),
      ...(body.length > 0 && { body }),
    });
    const answer = Buffer.from(await answered.arrayBuffer());
    exchanges.push({ path, request: body.toString(), answer: answer.toString() });
    const headers = [...answered.headers].filter(([name]) => !OF_CONNECTION.has(name));
    response.writeHead(answered.status, Object.fromEntries(headers)).end(answer);
  });
  const address = { host: '127.0.0.1', port: 0 };
  const url = formatUrl({ ...address, port: await bind(server, address) });
  return {
    url,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function passedOn(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      OF_CONNECTION.has(name) || typeof value !== 'string' ? [] : [[name, value]],
    ),
  );
}
