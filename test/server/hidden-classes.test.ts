/**
 * V8 describes each shape of objects by a hidden class, and makes one with a prototype for each function that is a
 * generator, a constructor or has a getter in what it returns. Where a request makes such a function, it pays for both,
 * each look at the object misses its inline cache, and old garbage is left behind: an eighth of the CPU of a short
 * translated answer. No profile of the CPU shows it.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { vendorsAtUrl } from '../support/gateway.ts';
import { postJson } from '../support/post-json.ts';
import { type GatewayProcess, spawnGateway } from '../support/process.ts';
import { startUpstream, type TestUpstream } from '../support/upstream.ts';

let running: GatewayProcess | undefined;
let vendor: TestUpstream | undefined;
afterEach(async () => {
  await running?.close();
  await vendor?.close();
});

const REPLIES = join(import.meta.dirname, '../../fixtures/replies');
const MODELS = ['openai/gpt-4.1', 'anthropic/claude-sonnet-4-5', 'google/gemini-3-flash-preview'];
/** How the callers of each format ask. */
const CALLERS: readonly ((model: string, text: string, stream: boolean) => [path: string, body: object])[] = [
  (model, content, stream) => [
    'v1/chat/completions',
    { model, messages: [{ role: 'user', content }], stream },
  ],
  (model, input, stream) => ['v1/responses', { model, input, stream }],
  (model, content, stream) => [
    'v1/messages',
    { model, max_tokens: 100, messages: [{ role: 'user', content }], stream },
  ],
  (model, text, stream) => [
    `v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`,
    { contents: [{ role: 'user', parts: [{ text }] }] },
  ],
];
/** Of each kind, once all that a request needs has its hidden class, and then again. */
const REQUESTS = 30;

/** The recorded answer in the format of the path that a vendor is asked at. */
function recorded(url: string, isStream: boolean): Buffer {
  const format = /generateContent/i.test(url)
    ? 'generate-content'
    : (/messages|responses|chat-completions/.exec(url.replace('chat/', 'chat-'))?.[0] ?? '');
  return readFileSync(join(REPLIES, format, `plain-text.${isStream ? 'sse' : 'json'}`));
}

/** The lines of hidden classes in V8's log: `map,Transition,<time>,<from>,<to>,<pc>,<line>,<column>,<reason>,<name>`. */
function classLines(lines: readonly string[]): readonly string[][] {
  return lines.filter((line) => line.startsWith('map,')).map((line) => line.split(','));
}

test('no request makes a hidden class of its own', async () => {
  vendor = await startUpstream(({ url, body }, response) => {
    const isStream = url.includes('stream') || body.includes('"stream":true');
    response.setHeader('content-type', isStream ? 'text/event-stream' : 'application/json');
    response.end(recorded(url, isStream));
  });
  running = await spawnGateway(
    { vendors: vendorsAtUrl(vendor.url), generateContent: { models: 'all' } },
    { execArgv: ['--log-maps', '--no-logfile-per-isolate', '--logfile=maps.log'] },
  );
  const { url, directory, ended } = running;
  async function ask(path: string, body: object): Promise<number> {
    const answer = await postJson(`${url}/${path}`, body);
    await answer.text();
    return answer.status;
  }

  async function askAll(caller: (typeof CALLERS)[number]): Promise<void> {
    for (let count = 0; count < REQUESTS; count += 1)
      for (const model of MODELS)
        for (const stream of [false, true])
          expect(await ask(...caller(model, `Hello, ${count}.`, stream))).toBe(200);
  }

  /** A field with a name of its own makes a hidden class, whose line in the log ends with the name. */
  async function mark(name: string): Promise<void> {
    const messages = [{ role: 'user', content: 'Hello.' }];
    await ask('v1/messages', { model: MODELS[0], max_tokens: 100, messages, metadata: { [name]: 1 } });
  }

  for (const [at, caller] of CALLERS.entries()) {
    await askAll(caller);
    await mark(`first of ${at}`);
    await mark(`before ${at}`);
    await askAll(caller);
    await mark(`after ${at}`);
  }
  running.signal('SIGTERM');
  await ended;
  const lines = readFileSync(join(directory, 'maps.log'), 'latin1').split('\n');
  for (const at of CALLERS.keys()) {
    const begin = lines.findIndex((line) => line.endsWith(`,before ${at}`));
    const end = lines.findIndex((line) => line.endsWith(`,after ${at}`));
    expect([begin, end].includes(-1), `${at}`).toBe(false);
    // A collection of garbage may forget hidden classes that are not in use, such as those of all fields of an answer that
    // is parsed. Each is made again once, at one place in the code, so the names that have been there before count apart.
    const known = new Set(classLines(lines.slice(0, begin)).map((fields) => fields.at(-1)));
    const kinds = Map.groupBy(classLines(lines.slice(begin, end)), (fields) => {
      const name = fields.at(-1);
      return [fields[1], fields[6], fields[7], known.has(name) ? name : ''].join(' ');
    });
    // One of a request's own comes as often as the request, from one place in the code. What is made once does not:
    // Node's own getHeapStatistics alone makes 200 in its first call, at most 15 at one place.
    for (const [kind, made] of kinds)
      expect(made.length, `${kind}\n${made.join('\n')}`).toBeLessThan(REQUESTS);
  }
});
