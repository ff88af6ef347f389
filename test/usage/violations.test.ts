/** In production too, translated streams can be judged by the validator as they go out. */

import { expect, test } from 'vitest';
import { configSchema } from '../../src/config/schema.ts';
import { openGateway } from '../../src/open.ts';
import { serve } from '../../src/server/server.ts';
import type { ExchangeRecord } from '../../src/usage/exchange-record.ts';
import { recording } from '../../src/usage/ledger.ts';
import { KEY } from '../support/gateway.ts';

test.each([
  [true, 0],
  [false, undefined],
])('validate: %s', async (validate, violations) => {
  const records: ExchangeRecord[] = [];
  const config = configSchema.parse({
    port: 0,
    validate,
    sandbox: { pace: 'none' },
    keys: [{ name: 'test', key: KEY }],
  });
  const { gateway, close } = await openGateway(config, { note: recording((record) => records.push(record)) });
  const server = await serve(() => gateway, config);
  const response = await fetch(`${server.url}/v1/messages`, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({
      model: 'openai/gpt-4.1',
      max_tokens: 500,
      stream: true,
      messages: [{ role: 'user', content: 'play: parallel-tool-calls' }],
    }),
  });
  expect(await response.text()).toContain('message_stop');
  await expect.poll(() => records.length).toBe(1);
  expect(records[0]?.violations).toBe(violations);
  await server.drain(0);
  await close();
});
