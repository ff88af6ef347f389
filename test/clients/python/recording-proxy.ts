/** A proxy before the simulated vendors that keeps what passes: each request as the gateway sent it, and its answer's status. */

import { createServer, request as send } from 'node:http';
import { getPort } from '../../../src/upstream/net/bind.ts';

export interface RecordingProxy {
  readonly url: string;
  close(): Promise<void>;
}

interface Passed {
  readonly path: string;
  readonly body: string;
  status: number;
}

/** Where tests in other languages read what has passed (GET), and let it be forgotten (DELETE). */
const RECORD = '/passed';

/**
 * Starts a proxy on a free port of 127.0.0.1.
 * @param origin address of the server that answers.
 */
export async function startRecordingProxy(origin: string): Promise<RecordingProxy> {
  const passed: Passed[] = [];
  const server = createServer((incoming, response) => {
    if (incoming.url === RECORD) {
      response.end(JSON.stringify(passed));
      if (incoming.method === 'DELETE') passed.length = 0;
      return;
    }
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.once('end', () => {
      const body = Buffer.concat(chunks);
      const record: Passed = { path: incoming.url ?? '', body: body.toString('utf8'), status: 0 };
      passed.push(record);
      const { method, headers } = incoming;
      const outgoing = send(new URL(incoming.url ?? '/', origin), { method, headers }, (answer) => {
        record.status = answer.statusCode ?? 0;
        response.writeHead(record.status, answer.headers);
        answer.pipe(response);
      });
      outgoing.on('error', () => response.destroy());
      response.once('close', () => outgoing.destroy());
      outgoing.end(body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${getPort(server)}`,
    async close() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
