/** The vendor's own id of an exchange: in a header of the answer, and in the record that the log and traces are made of. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { KEY, startRecorded, vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

const reply = (format: string, name: string): Buffer =>
  readFileSync(join(import.meta.dirname, `../../fixtures/replies/${format}/${name}`));

/** What the vendor sends next. */
let headers: Readonly<Record<string, string>> = {};
let status = 200;
let upstream: TestUpstream;
let gateway: Awaited<ReturnType<typeof startRecorded>>;

beforeAll(async () => {
  upstream = await startUpstream(({ url, body }, response) => {
    const format = url.endsWith('/messages') ? 'messages' : 'chat-completions';
    if (status !== 200) {
      response.writeHead(status, { 'content-type': 'application/json', ...headers });
      response.end(JSON.stringify({ error: { message: 'No.', type: 'invalid_request_error' } }));
      return;
    }
    const isStream = body.includes('"stream":true');
    const type = isStream ? 'text/event-stream' : 'application/json';
    response.writeHead(200, { 'content-type': type, ...headers });
    response.end(reply(format, isStream ? 'plain-text.sse' : 'plain-text.json'));
  });
  gateway = await startRecorded({ vendors: vendorsAtUrl(upstream.url) });
});
afterAll(async () => {
  await gateway.close();
  await upstream.close();
});

async function ask(model: string, stream: boolean): Promise<Response> {
  gateway.records.length = 0;
  const answer = await postJson(`${gateway.url}/v1/chat/completions`, {
    model,
    messages: [{ role: 'user', content: 'Hello' }],
    ...(stream && { stream }),
  });
  await answer.text();
  return answer;
}

const recorded = () => expect.poll(() => gateway.records.map(({ upstreamId }) => upstreamId));

test.each(['x-request-id', 'request-id', 'apim-request-id', 'x-amzn-requestid'])('%s', async (name) => {
  headers = { [name]: 'req_of_the_vendor' };
  status = 200;
  for (const model of ['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5']) {
    for (const stream of [false, true]) {
      const answer = await ask(model, stream);
      expect(answer.status).toBe(200);
      expect(answer.headers.get('x-upstream-request-id')).toBe('req_of_the_vendor');
      expect(answer.headers.get('x-request-id')).not.toBe('req_of_the_vendor');
      await recorded().toEqual(['req_of_the_vendor']);
    }
  }
});

test.each(['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5'])('a refusal has it too: %s', async (model) => {
  headers = { 'request-id': 'req_refused' };
  status = 400;
  const answer = await ask(model, false);
  expect([answer.status, answer.headers.get('x-upstream-request-id')]).toEqual([400, 'req_refused']);
  await recorded().toEqual(['req_refused']);
});

test('an id that is too long, or none, is left out', async () => {
  status = 200;
  for (const id of [{}, { 'x-request-id': 'x'.repeat(129) }]) {
    headers = id;
    const answer = await ask('openai/gpt-4.1', false);
    expect(answer.headers.has('x-upstream-request-id')).toBe(false);
    await recorded().toEqual([undefined]);
  }
});

test('what the gateway itself refuses has none', async () => {
  headers = { 'x-request-id': 'req_unasked' };
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect([answer.status, answer.headers.has('x-upstream-request-id')]).toEqual([400, false]);
});
