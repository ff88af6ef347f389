/** In production too, the validator can check translated streams as they are sent. */

import { expect, test } from 'vitest';
import type { ExchangeRecord } from '../../../src/accounting/usage/exchange-record.ts';
import { recording } from '../../../src/accounting/usage/make-record.ts';
import { configSchema } from '../../../src/config/schema.ts';
import { serve } from '../../../src/server/listen/server.ts';
import { openGateway } from '../../../src/server/open-gateway.ts';
import { streamedAnswer } from '../../faults/upstream-ways.ts';
import { KEY, startRecorded, vendorsAtUrl } from '../../support/gateway.ts';
import { postJson } from '../../support/post-json.ts';
import { startUpstream } from '../../support/upstream.ts';

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
  const { gateway, close } = await openGateway(config, {
    record: recording((record) => records.push(record)),
  });
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

test('keep-alives that only hold a silent stream open are validated with all else', async () => {
  let goOn: (() => void) | undefined;
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    goOn = () => response.end(streamedAnswer('messages'));
  });
  const gateway = await startRecorded({
    validate: true,
    vendors: vendorsAtUrl(upstream.url),
    timeouts: { hold: 20, keepAlive: 20 },
  });
  const response = await postJson(`${gateway.url}/v1/responses`, {
    model: 'anthropic/claude-haiku-4-5',
    stream: true,
    input: 'Hi',
  });
  let text = '';
  for await (const piece of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    if (text.split('event: response.in_progress').length === 3) goOn?.();
  }
  expect(text).toContain('event: response.completed');
  await expect.poll(() => gateway.records.length).toBe(1);
  expect(gateway.records[0]?.violations).toBe(0);
  await gateway.close();
  await upstream.close();
});
