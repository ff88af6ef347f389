/** The built `createGateway` in the servers that it is for, by the programs in `examples/servers`. */

import { type ChildProcess, spawn } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../../support/free-port.ts';
import { BUN, bunPath, DENO, denoPath, isAvailable } from '../../support/programs.ts';
import { startUpstream, type TestUpstream } from '../../support/upstream.ts';
import { type Consumer, makeConsumer, ROOT } from '../../translate/consumer.ts';

const KEY = 'gw-a-key-of-the-tests';
const MODEL = 'anthropic/claude-sonnet-4-5';
const ANSWER = readFileSync(join(ROOT, 'fixtures/replies/messages/plain-text.sse'), 'utf8');
const TEXTS = [...ANSWER.matchAll(/"text_delta","text":("(?:[^"\\]|\\.)*")/g)];
const TEXT = TEXTS.map(([, text = '""']) => JSON.parse(text)).join('');
/** Where the answer is still being written. */
const [BEGINNING = '', REST = ''] = ANSWER.split(/(?=event: content_block_stop)/);

const DENO_RIGHTS = ['--allow-env', '--allow-net', '--allow-read', '--allow-sys'];

let consumer: Consumer;
let upstream: TestUpstream;
beforeAll(async () => {
  consumer = makeConsumer(['program']);
  consumer.link('h3', 'hono', '@hono/node-server', 'express', 'srvx');
  cpSync(join(ROOT, 'examples/servers'), consumer.directory, { recursive: true });
  // What Next does with the file: it calls the method's function.
  consumer.write(
    'next.js',
    `import * as route from './next-route.js';
    import { serve } from 'srvx';
    serve({ port: Number(process.env.PORT), fetch: (request) => route[request.method](request), silent: true });`,
  );
  // It ends its answer only for those who ask it to be whole.
  upstream = await startUpstream(({ body }, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(BEGINNING);
    if (String(body).includes('whole')) response.end(REST);
  });
});
afterAll(async () => {
  await upstream.close();
  consumer.remove();
});

/** Starts a program, and waits until it answers. */
async function start(
  command: string,
  args: readonly string[],
): Promise<{ url: string; child: ChildProcess }> {
  const port = await freePort();
  const child = spawn(command, args, {
    cwd: consumer.directory,
    env: {
      PATH: process.env['PATH'],
      DENO_NO_UPDATE_CHECK: '1',
      DENO_DIR: join(consumer.directory, '.deno'),
      PORT: String(port),
      GATEWAY_KEY: KEY,
      ANTHROPIC_API_KEY: 'a-key-of-the-vendor',
      ANTHROPIC_BASE_URL: upstream.url,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const url = `http://127.0.0.1:${port}/llm`;
  await expect
    .poll(
      async () => {
        if (child.exitCode !== null) return output;
        return (await fetch(`${url}/health/live`).catch(() => undefined))?.status;
      },
      { message: 'the program answers' },
    )
    .toBe(200);
  return { url, child };
}

describe.each([
  { name: 'h3', file: 'h3.js', command: process.execPath },
  { name: 'Hono', file: 'hono.js', command: process.execPath },
  { name: 'Express', file: 'express.js', command: process.execPath },
  { name: "Next's route handlers", file: 'next.js', command: process.execPath },
  { name: 'Bun', file: 'bun.js', command: bunPath(), isThere: isAvailable(BUN) },
  { name: 'Deno', file: 'deno.js', command: denoPath(), rights: DENO_RIGHTS, isThere: isAvailable(DENO) },
])('in $name', ({ file, command = '', rights, isThere = true }) => {
  test.skipIf(!isThere)('a stream is whole, and a caller who leaves takes the vendor along', async () => {
    const { url, child } = await start(command, rights === undefined ? [file] : ['run', ...rights, file]);
    try {
      const client = new OpenAI({ apiKey: KEY, baseURL: `${url}/v1`, maxRetries: 0 });
      const ask = (content: string) =>
        client.chat.completions.create({ model: MODEL, stream: true, messages: [{ role: 'user', content }] });
      let text = '';
      for await (const { choices } of await ask('whole')) text += choices[0]?.delta.content ?? '';
      expect(text).toBe(TEXT);

      const left = upstream.closed();
      const endless = await ask('endless');
      for await (const { choices } of endless) if (choices[0]?.delta.content) break;
      await left;

      const refused = await fetch(`${url}/v1/messages`, { method: 'POST', body: '{}' });
      expect([refused.status, await refused.json()]).toMatchObject([415, { type: 'error' }]);
      const list = await fetch(`${url}/v1/models`, { headers: { authorization: `Bearer ${KEY}` } });
      expect(await list.json()).toMatchObject({ object: 'list' });
    } finally {
      child.kill('SIGKILL');
    }
  });
});
