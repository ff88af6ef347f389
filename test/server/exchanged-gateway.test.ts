/** A gateway that is replaced by another one while requests wait for their turn on a connection. */

import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { openGateway } from '../../src/server/open-gateway.ts';
import { type ConfiguredGateway, startServing } from '../../src/server/process/serving.ts';
import { KEY, vendorsAtUrl } from '../support/gateway.ts';
import { eventually, post, rawClient } from '../support/raw.ts';
import { startUpstream } from '../support/upstream.ts';

/** Longer than it takes to notice that a gateway is no longer in use. */
const RETIRED = 1_200;

test('P-11 a pipelined request keeps the gateway that answers it, even if another one replaces it while it waits', async () => {
  const answers: ServerResponse[] = [];
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write('data: {"choices":[]}\n\n');
    answers.push(response);
  });
  const config = configSchema.parse({
    port: 0,
    vendors: vendorsAtUrl(upstream.url),
    keys: [{ name: 'test', key: KEY }],
  });
  const open = async (): Promise<ConfiguredGateway> => ({ config, ...(await openGateway(config)) });
  const serving = await startServing(await open(), () => undefined);
  const body = JSON.stringify({ model: 'openai/gpt-4o', stream: true, messages: [] });
  const asked = post('/v1/chat/completions', body);
  const client = rawClient(serving.server.port, asked + asked);
  try {
    await eventually(() => answers.length === 1, 'the first is asked');
    serving.replace(await open());
    answers[0]?.end('data: [DONE]\n\n');
    await eventually(() => answers.length === 2, 'the second is asked');
    serving.replace(await open());
    await sleep(RETIRED);
    answers[1]?.end('data: [DONE]\n\n');
    await eventually(
      () => client.text().split('HTTP/1.1 200')[2]?.endsWith('0\r\n\r\n') === true,
      'it is over',
    );
    expect(client.text().match(/\[DONE\]|error/g)).toEqual(['[DONE]', '[DONE]']);
  } finally {
    client.socket.destroy();
    await serving.server.drain(0);
    await serving.close();
    await upstream.close();
  }
});
