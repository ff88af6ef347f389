/** `GET /metrics` over a real socket. */

import { createServer, type Server } from 'node:http';
import { Registry } from 'prom-client';
import { afterEach, expect, test } from 'vitest';
import { answerMetrics, answerMetricsToAdmin } from '../../../src/accounting/metrics/metrics-endpoint.ts';
import { authenticateAdmin } from '../../../src/server/http/admin/authenticate-admin.ts';
import { parseExposition, sumOf } from './exposition.ts';
import { countedMetrics, RECORD } from './records.ts';

const metrics = countedMetrics();
metrics.record(RECORD);
let server: Server | undefined;
afterEach(() => {
  server?.close();
  metrics.close();
});

test('the admin key gives access, nothing else does', async () => {
  const listening = createServer((message, response) => {
    const answer = answerMetricsToAdmin(
      metrics.render,
      authenticateAdmin(
        () => 'admin-key',
        () => {},
      ),
      message,
    );
    if (answer === undefined) response.writeHead(404).end();
    else
      void answer.then(async (found) =>
        response.writeHead(found.status, Object.fromEntries(found.headers)).end(await found.text()),
      );
  });
  server = listening;
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  const address = listening.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  const url = `http://127.0.0.1:${address.port}/metrics`;

  for (const authorization of [
    '',
    'Bearer',
    'Bearer wrong',
    'Basic admin-key',
    'admin-key',
    'Bearer admin-key x',
  ])
    expect((await fetch(url, { headers: { authorization } })).status).toBe(404);
  expect((await fetch(`${url}?key=admin-key`)).status).toBe(404);
  const answer = await fetch(url, { headers: { authorization: 'Bearer admin-key' } });
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toBe(Registry.PROMETHEUS_CONTENT_TYPE);
  expect(sumOf(parseExposition(await answer.text()), 'gateway_requests_total')).toBe(1);
});

test('on a listener that authenticates by itself, it answers', async () => {
  const answer = await answerMetrics(metrics.render);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(await answer.text()).toContain('# TYPE gateway_requests_total counter');
});
