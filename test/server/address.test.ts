import { networkInterfaces } from 'node:os';
import { expect, test } from 'vitest';
import { startGateway } from '../support/gateway.ts';

const hasIPv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
);

test.runIf(hasIPv6)('an IPv6 address is printed in a form that can be requested', async () => {
  const gateway = await startGateway({ host: '::1' });
  expect(gateway.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
  expect((await fetch(`${gateway.url}/health/live`)).status).toBe(200);
  await gateway.close();
});

test('a port that is taken is reported as Node reports it', async () => {
  const first = await startGateway();
  const port = first.server.port;
  await expect(startGateway({ port })).rejects.toMatchObject({
    code: 'EADDRINUSE',
    message: `listen EADDRINUSE: address already in use 127.0.0.1:${port}`,
  });
  await first.close();
});
