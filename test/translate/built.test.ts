/** `fourwire/translate` as it is built and installed, in every runtime that it is for. */

import { execFile, execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { parseSync } from 'rolldown/experimental';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { hasChromium, launch } from '../browser/chromium.ts';
import { BUN, bunPath, DENO, denoPath, isAvailable, WORKERD, workerdPath } from '../support/programs.ts';
import { startUpstream } from '../support/upstream.ts';
import { readCases } from './cases.ts';
import { type Consumer, makeConsumer, ROOT } from './consumer.ts';

const run = promisify(execFile);
const outcome = z.object({ checks: z.number(), failures: z.array(z.string()) });
const fixture = (name: string): string => readFileSync(join(ROOT, 'fixtures/replies', name), 'utf8');

let consumer: Consumer;
let browser: Browser | undefined;

beforeAll(async () => {
  consumer = makeConsumer();
  cpSync(join(import.meta.dirname, 'checks.js'), join(consumer.directory, 'checks.js'));
  cpSync(join(ROOT, 'examples'), consumer.directory, { recursive: true });
  // As text: in an object literal a field `__proto__` would be something else.
  const text = JSON.stringify(JSON.stringify(readCases()));
  consumer.write(
    'run.js',
    `import { check } from './checks.js';
    import * as library from 'fourwire/translate';
    export const result = await check(library, JSON.parse(${text}));`,
  );
  consumer.write('print.js', `import { result } from './run.js'; console.log(JSON.stringify(result));`);
  if (hasChromium()) browser = await launch();
});
afterAll(async () => {
  await browser?.close();
  consumer.remove();
});

/** The result in a program's output. */
function resultIn(output: string) {
  const line = output.split('\n').find((each) => each.startsWith('{"checks"'));
  return outcome.parse(JSON.parse(line ?? `"${output}"`));
}

function expectAll({ checks, failures }: z.infer<typeof outcome>): void {
  expect(failures).toEqual([]);
  expect(checks).toBeGreaterThan(1_400);
}

describe('all laws hold over the fixtures of all pairs, streamed and whole', () => {
  test('in Node', async () => {
    const { stdout } = await run(process.execPath, ['print.js'], { cwd: consumer.directory });
    expectAll(resultIn(stdout));
  });

  test.skipIf(!isAvailable(DENO))('in Deno', async () => {
    const env = { ...process.env, DENO_NO_UPDATE_CHECK: '1', DENO_DIR: join(consumer.directory, '.deno') };
    const { stdout } = await run(denoPath() ?? '', ['run', 'print.js'], { cwd: consumer.directory, env });
    expectAll(resultIn(stdout));
  });

  test.skipIf(!isAvailable(BUN))('in Bun', async () => {
    const { stdout } = await run(bunPath() ?? '', ['print.js'], { cwd: consumer.directory });
    expectAll(resultIn(stdout));
  });

  test.skipIf(!isAvailable(WORKERD))('in workerd, the runtime of Cloudflare Workers', async () => {
    consumer.write(
      'worker.js',
      `import { check } from './checks.js';
      import * as library from 'fourwire/translate';
      export default {
        async test() { console.log(JSON.stringify(await check(library, JSON.parse(${JSON.stringify(JSON.stringify(readCases()))})))); },
      };`,
    );
    await consumer.bundle('worker.js');
    const config = consumer.write(
      'worker.capnp',
      `using Workerd = import "/workerd/workerd.capnp";
      const config :Workerd.Config = (services = [(name = "main", worker = (
        modules = [(name = "worker", esModule = embed "worker.bundle.js")],
        compatibilityDate = "2025-06-01",
      ))]);`,
    );
    const { stdout, stderr } = await run(workerdPath() ?? '', ['test', config]);
    expectAll(resultIn(stdout + stderr));
  });

  test.skipIf(!hasChromium())('in Chromium', async () => {
    const page = await browser?.newPage();
    consumer.write('page.js', `import { result } from './run.js'; globalThis.result = result;`);
    await page?.goto('about:blank');
    await page?.addScriptTag({ path: await consumer.bundle('page.js'), type: 'module' });
    await page?.waitForFunction('globalThis.result');
    expectAll(outcome.parse(await page?.evaluate('globalThis.result')));
    await page?.close();
  });
});

test('a browser loads less than 172 KB of it, and docs/library.md says how much', async () => {
  consumer.write('all.js', `export * from 'fourwire/translate';`);
  const bytes = gzipSync(readFileSync(await consumer.bundle('all.js', true)), { level: 9 }).byteLength;
  expect(bytes).toBeLessThan(172_000);
  const [, told] = /about (\d+) KB/.exec(readFileSync(join(ROOT, 'docs/library.md'), 'utf8')) ?? [];
  expect(Math.abs(Number(told) - bytes / 1000)).toBeLessThan(5);
});

test('it imports one package, and nothing of Node', () => {
  const path = join(consumer.directory, 'node_modules/fourwire/dist/library/translate.js');
  const { module } = parseSync(path, readFileSync(path, 'utf8'));
  expect(module.staticImports.map(({ moduleRequest }) => moduleRequest.value)).toEqual([
    'eventsource-parser',
  ]);
  expect(module.dynamicImports).toEqual([]);
});

describe('the examples', () => {
  test('a fetch handler answers streams, whole answers and refusals', async () => {
    const upstream = await startUpstream(({ body }, response) => {
      const { stream, max_tokens } = z
        .object({ stream: z.boolean().optional(), max_tokens: z.number() })
        .parse(JSON.parse(String(body)));
      if (max_tokens === 13) {
        response.writeHead(529).end('{"type":"error","error":{"type":"overloaded_error","message":"Busy."}}');
      } else if (stream) {
        response
          .writeHead(200, { 'content-type': 'text/event-stream' })
          .end(fixture('messages/tool-call.sse'));
      } else response.writeHead(200).end(fixture('messages/plain-text.json'));
    });
    const handler: { default: { fetch(incoming: Request, environment: object): Promise<Response> } } =
      await import(join(consumer.directory, 'fetch-handler.js'));
    const ask = (more: object): Promise<Response> =>
      send(JSON.stringify({ model: 'gpt-4.1', messages: [{ role: 'user', content: 'Hello' }], ...more }));
    const send = (body: string): Promise<Response> => {
      const incoming = new Request('http://localhost/v1/chat/completions', { method: 'POST', body });
      return handler.default.fetch(incoming, { ANTHROPIC_BASE_URL: upstream.url });
    };
    try {
      const whole = await ask({});
      expect(await whole.json()).toMatchObject({
        object: 'chat.completion',
        choices: [{ finish_reason: 'stop' }],
      });
      const streamed = await (await ask({ stream: true })).text();
      expect(streamed).toContain('"tool_calls"');
      expect(streamed.trimEnd()).toMatch(/data: \[DONE\]$/);
      const refused = await ask({ max_completion_tokens: 13 });
      expect([refused.status, await refused.json()]).toMatchObject([503, { error: { message: 'Busy.' } }]);
      const invalid = await ask({ messages: 'none' });
      expect([invalid.status, await invalid.json()]).toMatchObject([400, { error: { param: 'messages' } }]);
      for (const body of ['null', '[]', '"Hello"', '{']) {
        const none = await send(body);
        const message = 'The request body must be a JSON object.';
        expect([none.status, await none.json()]).toMatchObject([400, { error: { message } }]);
      }
    } finally {
      await upstream.close();
    }
  });

  test('a program prints a stream, and it keeps the rules of its format', async () => {
    const upstream = await startUpstream((_, response) => {
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(fixture('generate-content/thinking.sse'));
    });
    try {
      const env = { ...process.env, GEMINI_BASE_URL: upstream.url };
      const { stdout, stderr } = await run(process.execPath, ['pipe-stream.js', 'Hi'], {
        cwd: consumer.directory,
        env,
      });
      expect(stdout).toContain('event: response.completed');
      expect(stderr.trim()).toBe('[]');
      expect(String(upstream.received[0]?.body)).toContain('"Hi"');
    } finally {
      await upstream.close();
    }
  });

  test.skipIf(!hasChromium())('a page asks, and shows the answer', async () => {
    const page = await browser?.newPage();
    if (page === undefined) throw new Error('There is no page.');
    await page.route('http://example.test/**', (route) => {
      return route.fulfill({ path: join(consumer.directory, new URL(route.request().url()).pathname) });
    });
    await page.route('https://api.anthropic.com/**', (route) => {
      return route.fulfill({ contentType: 'text/event-stream', body: fixture('messages/plain-text.sse') });
    });
    await page.goto('http://example.test/page.html');
    await page.getByRole('button').click();
    const deltas = [
      ...fixture('messages/plain-text.sse').matchAll(/"text_delta","text":"((?:[^"\\]|\\.)*)"/g),
    ];
    const said = deltas.map(([, text]) => JSON.parse(`"${text}"`)).join('');
    await expect.poll(() => page.locator('p').textContent()).toBe(said);
    await page.close();
  });
});

describe('docs/library.md and the types', () => {
  const text = readFileSync(join(ROOT, 'docs/library.md'), 'utf8');
  const snippets = [...text.matchAll(/^```ts\n([\s\S]*?)^```/gm)].map(([, code = '']) => code);
  /** What vendors answer to the snippets. */
  const ANSWERS = `
    import { readFileSync } from 'node:fs';
    const read = (name) => readFileSync('${join(ROOT, 'fixtures/replies')}/' + name);
    globalThis.fetch = async (url) => new Response(
      read(String(url).includes('anthropic') ? 'messages/plain-text.sse' : 'generate-content/plain-text.json'));
  `;
  /** What each snippet prints. */
  const PRINTED = [
    /^200\n$/,
    /max_tokens[\s\S]*seed/,
    /^4096\n$/,
    /^data: \{"id":"chatcmpl-/,
    /type: 'text'/,
    /^\[\] false\n$/,
    /^$/,
  ];

  test('has a snippet for each thing that it prints', () => expect(snippets).toHaveLength(PRINTED.length));

  test.each(snippets.map((code, at) => ({ code, at })))('snippet $at runs', async ({ code, at }) => {
    const path = consumer.write(`snippet-${at}.ts`, code);
    const answers = consumer.write('answers.js', ANSWERS);
    const { stdout } = await run(process.execPath, ['--import', answers, path], { cwd: consumer.directory });
    expect(stdout).toMatch(PRINTED[at] ?? /^never$/);
  });

  /** Checks the types of files of the project. @returns what the compiler says. */
  function compile(files: readonly string[], options: object): string {
    const config = consumer.write(
      'tsconfig.json',
      JSON.stringify({
        compilerOptions: {
          target: 'es2024',
          module: 'nodenext',
          lib: ['esnext', 'dom', 'dom.iterable', 'dom.asynciterable'],
          types: [],
          strict: true,
          exactOptionalPropertyTypes: true,
          allowJs: true,
          checkJs: true,
          noEmit: true,
          ...options,
        },
        files,
      }),
    );
    try {
      return String(
        execFileSync(process.execPath, [join(ROOT, 'node_modules/typescript/bin/tsc'), '-p', config]),
      );
    } catch (error) {
      return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
    }
  }

  test('without the SDKs, the types are complete and bodies have any fields', () => {
    const file = consumer.write(
      'untyped.ts',
      `import { defineConfig } from 'fourwire';
      import { translateRequest, translateAnswer } from 'fourwire/translate';
      const { body } = translateRequest({ from: 'messages', to: 'responses', model: 'gpt-4.1', body: { messages: [] } });
      export const field: unknown = body['input'];
      export const answer = translateAnswer({ from: 'responses', to: 'messages', body: {} })['content'];
      // @ts-expect-error There is no such format.
      translateRequest({ from: 'message', to: 'responses', model: 'gpt-4.1', body: {} });
      export const hooked = defineConfig({
        hooks: {
          onRequest: ({ turns }, { id }) => (turns.length > 9 || id === '' ? { model: 'openai/gpt-4.1' } : undefined),
          onReplyEvent(event, out) {
            if (event.type === 'part-delta') out.enqueue({ ...event, text: event.text.trim() });
          },
        },
      });
      // @ts-expect-error A change has no such field.
      defineConfig({ hooks: { onRequest: () => ({ models: 'openai/gpt-4.1' }) } });
      // @ts-expect-error There is no such field.
      export default defineConfig({ vendor: {} });`,
    );
    expect(compile([file], { skipLibCheck: false })).toBe('');
  });

  test('with the SDKs, bodies have their types, and the snippets and examples fit them', () => {
    consumer.link('openai', '@anthropic-ai/sdk', '@google/genai', '@types/node');
    const file = consumer.write(
      'typed.ts',
      `import { translateAnswer, translateRequest } from 'fourwire/translate';
      const { body } = translateRequest({
        from: 'chat-completions', to: 'messages', model: 'claude-sonnet-4-5',
        body: { model: 'a', messages: [{ role: 'user', content: 'Hello' }] },
      });
      export const most: number = body.max_tokens;
      export const said = (answer: import('openai').OpenAI.ChatCompletion): string | undefined =>
        translateAnswer({ from: 'chat-completions', to: 'generate-content', body: answer })
          .candidates?.[0]?.content?.parts?.[0]?.text;
      // @ts-expect-error A message has a role.
      translateRequest({ from: 'messages', to: 'responses', model: 'a', body: { model: 'a', max_tokens: 1, messages: [{}] } });`,
    );
    const written = snippets.map((code, at) => consumer.write(`snippet-${at}.ts`, code));
    const examples = ['fetch-handler.js', 'pipe-stream.js'];
    expect(compile([file, ...written, ...examples], { types: ['node'], skipLibCheck: true })).toBe('');
  });
});
