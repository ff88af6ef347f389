/** `gateway conform`: what it finds of the gateway itself, in every format, and of services that are not as they should be. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { FORMAT_NAMES, type FormatName } from '../../src/conversation/prompt.ts';
import { conform, type FormatReport, isConforming } from '../../src/devtools/conform/conform.ts';
import { makeAddress } from '../../src/devtools/conform/service.ts';
import { asObjects, parseJson } from '../../src/lib/json.ts';
import { runCommand } from '../support/command.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { json, type Respond, startUpstream, type TestUpstream } from '../support/upstream.ts';

let gateway: TestGateway;
let service: TestUpstream;
let respond: Respond;
beforeAll(async () => {
  gateway = await startGateway({ generateContent: { models: 'all' } });
  service = await startUpstream((...given) => respond(...given));
});
afterAll(async () => {
  await gateway.close();
  await service.close();
});

/** A model of each vendor, and of two generations where they differ. */
const MODELS = [
  'openai/gpt-4.1',
  'openai/gpt-5.4',
  'anthropic/claude-sonnet-4-5',
  'anthropic/claude-sonnet-5-5',
  'google/gemini-2.5-flash',
  'google/gemini-3.8-flash',
  'alibaba/qwen3.8-max',
  'cohere/command-a',
  'deepseek/deepseek-v4.1-flash',
  'meta/muse-wonder-1.0',
  'minimax/minimax-m3.1-flash',
  'mistralai/mistral-large-4-0',
  'moonshotai/kimi-k3.1-pro',
  'perplexity/sonar',
  'x-ai/grok-4.7',
  'z-ai/glm-5.3',
];

const atGateway = (model: string, format: FormatName): Promise<FormatReport> => {
  const name = format === 'generate-content' ? model.replace(/^google\//, '') : model;
  return conform({ url: gateway.url, key: KEY, model: name, patience: 60_000 }, format);
};

function cellOf({ isOffered, trials, rules }: FormatReport): string {
  if (!isOffered) return 'not offered';
  const good = trials.filter(({ verdict }) => verdict === 'ok').length;
  const others = rules
    .filter(({ verdict }) => verdict !== 'ok')
    .map(({ rule, verdict }) => `${verdict}: \`${rule}\``);
  const cell = `${good} of ${trials.length} answers`;
  return [cell, ...others].join('; ');
}

const INTRODUCTION = `# Conformance

\`gateway conform\` asks any service the same few requests in each format, streamed and whole, and judges the answers by the rules of the format: which events, fields and orders are right. The service may be this gateway, a vendor, vLLM, Ollama or another gateway:

\`\`\`sh
npm run gateway conform -- --url https://api.openai.com/v1 --key "$OPENAI_API_KEY" --model gpt-4.1 --format responses
npm run gateway conform -- --url http://127.0.0.1:8787 --key "$KEY" --model anthropic/claude-sonnet-5-5
\`\`\`

Without \`--format\` it asks in all four. \`--json\` prints each answer with its violations, and each rule with what it demands and which answers break it. The exit code is 1 if an answer is broken. \`deviates\` means that an answer differs from those of the format's own vendor, in a way that clients are known to tolerate. \`refused\` means that the service answers a request with an error of the format, for example because the model has no tools. If it refuses the key or its account, nothing is examined, and the exit code is 1. Each run costs 14 short requests a format.

The cases are a text, a dialogue with a system prompt, an answer that ends at its limit, a call of a tool, the answer to its result, JSON by a schema, and the error for a request without a prompt.

## What it finds of this gateway

With the simulated vendors, for a model of each vendor. A model's own format is native, so there the answer is the vendor's.
`;

test('docs/conformance.md says what is found of the gateway: nothing is broken or refused', async () => {
  const rows: string[] = [];
  const counts = new Map<FormatName, number>();
  for (const model of MODELS) {
    const reports: FormatReport[] = [];
    for (const format of FORMAT_NAMES) reports.push(await atGateway(model, format));
    expect(reports.map(({ isOffered }) => isOffered)).toEqual(FORMAT_NAMES.map(() => true));
    const bad = reports.flatMap(({ trials }) =>
      trials.filter(({ verdict }) => verdict === 'broken' || verdict === 'refused'),
    );
    expect(bad, model).toEqual([]);
    for (const { format, rules } of reports) counts.set(format, rules.length);
    rows.push(`| \`${model}\` | ${reports.map(cellOf).join(' | ')} |`);
  }
  const table = [
    `| model | ${FORMAT_NAMES.map((format) => `${format} (${counts.get(format)} rules)`).join(' | ')} |`,
    `|---|${FORMAT_NAMES.map(() => '---|').join('')}`,
    ...rows,
  ];
  // `npx vitest run test/devtools/conform.test.ts -u` writes it again.
  const text = `${INTRODUCTION}\n${table.join('\n')}\n`;
  await expect(text).toMatchFileSnapshot('../../docs/conformance.md');
});

describe('a service that is not as it should be', () => {
  const asked = (format: FormatName = 'chat-completions') =>
    conform({ url: service.url, key: 'a-key', model: 'm', patience: 5_000 }, format);
  const verdicts = ({ trials }: FormatReport) => new Set(trials.map(({ verdict }) => verdict));

  const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 };
  const around = { id: 'c', created: 1, model: 'm' };
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ ...around, object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;

  test('cuts its streams off', async () => {
    respond = (_, response) =>
      response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(chunk({ role: 'assistant', content: 'Hi' }, null));
    const report = await asked();
    expect(report.rules.find(({ rule }) => rule === 'cut-off')).toMatchObject({
      verdict: 'broken',
      brokenBy: expect.arrayContaining(['text, streamed', 'tool-call, streamed']),
    });
  });

  test('answers well-formed, but not what was asked', async () => {
    respond = ({ body }, response) => {
      const { stream, messages } = Object(parseJson(body.toString()));
      if (messages === undefined) return json(response, { error: { message: 'messages are missing' } }, 400);
      const message = { role: 'assistant', content: 'Hi', refusal: null };
      const whole = { ...around, object: 'chat.completion', usage };
      if (stream !== true) {
        return json(response, {
          ...whole,
          choices: [{ index: 0, message, finish_reason: 'stop', logprobs: null }],
        });
      }
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const last = `data: ${JSON.stringify({ ...around, object: 'chat.completion.chunk', choices: [], usage })}\n\n`;
      response.end(
        `${chunk({ role: 'assistant', content: 'Hi' }, null)}${chunk({}, 'stop')}${last}data: [DONE]\n\n`,
      );
    };
    const { trials, rules } = await asked();
    expect(rules.filter(({ verdict }) => verdict !== 'ok')).toEqual([]);
    const told = trials.map(({ case: name, stream, verdict, detail }) => [
      name,
      stream,
      verdict,
      detail ?? '',
    ]);
    for (const stream of [true, false]) {
      expect(told).toContainEqual(['text', stream, 'ok', '']);
      expect(told).toContainEqual(['error', stream, 'ok', '']);
      expect(told).toContainEqual(['tool-call', stream, 'broken', 'The answer has no call.']);
      expect(told).toContainEqual(['json-schema', stream, 'broken', 'The answer is no JSON of the schema.']);
      expect(told).toContainEqual(['length', stream, 'broken', expect.stringContaining('ends with stop')]);
    }
  });

  test('refuses everything in the words of the format, or in others', async () => {
    respond = (_, response) => json(response, { error: { message: 'No.' } }, 400);
    expect(verdicts(await asked())).toEqual(new Set(['refused', 'ok']));
    respond = (_, response) => response.writeHead(400, { 'content-type': 'text/html' }).end('<html></html>');
    expect(verdicts(await asked())).toEqual(new Set(['broken']));
    respond = (_, response) => json(response, { error: { message: 'No.' } });
    expect(verdicts(await asked('messages'))).toEqual(new Set(['broken']));
  });

  test('has no rules that hold if it answers nothing but errors', async () => {
    respond = (_, response) => json(response, { error: { message: 'No.' } }, 400);
    expect((await asked()).rules).toEqual([]);
    respond = (_, response) => json(response, { error: 'No.' }, 400);
    const { trials, rules } = await asked('messages');
    expect(trials[0]).toMatchObject({ verdict: 'broken', status: 400 });
    expect(rules).toEqual([]);
  });

  const googles = {
    error: {
      code: 400,
      message: 'API key not valid. Please pass a valid API key.',
      status: 'INVALID_ARGUMENT',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    },
  };
  test.each<[string, FormatName, number, object | undefined]>([
    ['with a 401', 'chat-completions', 401, { error: { message: 'No such key.' } }],
    ['with a 401', 'responses', 401, { error: { message: 'No such key.' } }],
    ['with a 401', 'messages', 401, { type: 'error', error: { type: 'authentication_error', message: 'x' } }],
    ['as Google does', 'generate-content', 400, googles],
    ['with a 403 of a proxy', 'chat-completions', 403, undefined],
    ['since nobody pays', 'chat-completions', 402, { error: { message: 'Insufficient Balance' } }],
  ])('refuses the key %s, in %s', async (_, format, status, body) => {
    let requests = 0;
    respond = (_, response) => {
      requests += 1;
      if (body === undefined)
        response.writeHead(status, { 'content-type': 'text/html' }).end('<html></html>');
      else json(response, body, status);
    };
    const report = await asked(format);
    expect(report).toMatchObject({ isOffered: true, isKeyRefused: true, rules: [] });
    expect(report.trials).toMatchObject([{ case: 'text', status }]);
    expect(isConforming(report)).toBe(false);
    expect(requests).toBe(1);
  });

  test('does not speak the format', async () => {
    respond = (_, response) => response.writeHead(404).end();
    expect(await asked()).toEqual({ format: 'chat-completions', isOffered: false, trials: [], rules: [] });
  });

  test('cannot be reached', async () => {
    respond = (_, response) => response.destroy();
    const report = await asked();
    expect(verdicts(report)).toEqual(new Set(['broken']));
    expect(report.rules).toEqual([]);
  });
});

test.each<[string, FormatName, string]>([
  ['http://h:1', 'chat-completions', 'http://h:1/v1/chat/completions'],
  ['https://h/openai/v1/', 'responses', 'https://h/openai/v1/responses'],
  ['https://h/api/paas/v4', 'chat-completions', 'https://h/api/paas/v4/chat/completions'],
  ['https://h', 'messages', 'https://h/v1/messages'],
  ['http://h/v1', 'generate-content', 'http://h/v1beta/models/a/b:streamGenerateContent?alt=sse'],
  ['http://h/v1beta', 'generate-content', 'http://h/v1beta/models/a/b:streamGenerateContent?alt=sse'],
])('%s in %s', (url, format, address) => {
  expect(makeAddress({ url, key: '', model: 'a/b', patience: 1 }, format, true)).toBe(address);
});

describe('the command', () => {
  let directory: string;
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'gateway-conform-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  test('prints a table, or JSON, and its exit code says whether anything is broken', async () => {
    const at = [`--url=${gateway.url}`, '--model=openai/gpt-4.1', '--format=chat-completions'];
    const good = await runCommand(directory, ['conform', ...at], { CONFORM_KEY: KEY });
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toMatch(/^chat-completions: (\d+) of \1 rules hold\n {2}case +streamed +whole\n/);
    expect(good.stdout).toMatch(/\n {2}tool-call +ok +ok\n/);
    const bad = await runCommand(directory, ['conform', ...at, '--key=wrong', '--json']);
    expect(bad.code).toBe(1);
    const [report] = asObjects(parseJson(bad.stdout));
    expect(report).toMatchObject({ format: 'chat-completions', isOffered: true });
    expect(asObjects(report?.['trials'])[0]).toMatchObject({
      case: 'text',
      verdict: 'refused',
      status: 401,
      detail: expect.stringContaining('The API key is not valid'),
    });
    const refused = await runCommand(directory, ['conform', ...at.slice(0, 2), '--key=wrong']);
    expect(refused.code).toBe(1);
    const lines = refused.stdout.trim().split(/\n+/);
    expect(lines).toHaveLength(4);
    for (const [index, format] of FORMAT_NAMES.entries()) {
      expect(lines[index]).toContain(
        `${format}: nothing was examined, since the service refuses the key or its account (status 401): The API key is not valid`,
      );
    }
    respond = (_, response) => json(response, { error: { message: 'No.' } }, 400);
    const others = [`--url=${service.url}`, '--model=m', '--format=responses'];
    expect((await runCommand(directory, ['conform', ...others])).stdout).toMatch(
      /^responses: nothing was examined, since every request is refused\n/,
    );
    respond = (_, response) => json(response, { error: { message: 'No.\x1b]0;mine\x07\x9b2J' } }, 401);
    const { stdout: steering } = await runCommand(directory, ['conform', ...others]);
    expect(steering).toContain('No.\\u001b]0;mine\\u0007\\u009b2J');
    expect(steering).not.toMatch(/(?!\n)\p{Cc}/u);
    respond = (_, response) => response.writeHead(200, { 'content-type': 'text/plain' }).end('Hi');
    const broken = await runCommand(directory, [
      'conform',
      `--url=${service.url}`,
      '--model=m',
      '--format=messages',
    ]);
    expect(broken.code).toBe(1);
    expect(broken.stdout).toContain('text, streamed: The answer is text/plain, and not text/event-stream.');
    expect(broken.stdout).toMatch(/^messages: nothing was examined, since no answer could be judged/);
    expect((await runCommand(directory, ['conform', '--model=m'])).stderr).toContain('--url');
    for (const url of ['notaurl', 'ftp://h', 'http://']) {
      const unusable = await runCommand(directory, ['conform', `--url=${url}`, '--model=m']);
      expect(unusable.stderr).toBe(`--url: ${url} is not an http or https address.\n`);
    }
  });
});
