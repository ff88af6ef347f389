/**
 * Requests as real SDKs and frameworks sent them, natively and to models of every vendor. They are no part of this
 * repository: `CLIENT_RECORDINGS` names the folder (`<client>/<case>.json`, each `{client, version, method, path,
 * headers, body}`); without it, `../shared/clients` beside the repository is looked at.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { asText, isList, isObject, type Json, type JsonObject, parseJson } from '../../src/json.ts';
import { sign } from '../../src/sandbox/signatures.ts';
import { validateStream, validateWhole } from '../../src/validate/validate.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';

const folder = process.env['CLIENT_RECORDINGS'] ?? join(import.meta.dirname, '../../../shared/clients');

/** Two or more models of each vendor: one that thinks and one that does not, of an older and of the newest kind. */
const MODELS = [
  'openai/gpt-4.1',
  'openai/gpt-5.2',
  'openai/gpt-6.1-terra',
  'anthropic/claude-haiku-4-5',
  'anthropic/claude-sonnet-4-6',
  'anthropic/claude-opus-5',
  'google/gemini-2.0-flash',
  'google/gemini-2.5-flash',
  'google/gemini-3-flash-preview',
  'deepseek/deepseek-v4-flash',
  'mistralai/mistral-large-2512',
  'x-ai/grok-4.5',
];

interface Recording {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

function recordingsIn(path: string): Recording[] {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.json'))
    .sort()
    .map((file) => {
      const read = parseJson(readFileSync(join(path, file), 'utf8'));
      if (!isObject(read)) throw new TypeError(`${file} is no recording`);
      const { method, path: target, headers, body } = read;
      return {
        name: file.replace(/\.json$/, ''),
        method: asText(method) ?? 'POST',
        path: asText(target) ?? '/',
        headers: Object.fromEntries(
          Object.entries(isObject(headers) ? headers : {}).map(([name, value]) => [name, String(value)]),
        ),
        ...(isObject(body) && { body }),
      };
    });
}

const recordings = existsSync(folder) ? recordingsIn(folder) : [];
if (recordings.length === 0) {
  console.log(`Requests recorded from real clients: skipped, ${folder} is not there (set CLIENT_RECORDINGS).`);
}

/** What was recorded without a secret, with one: keys, and proofs that only the vendor itself can make. */
const withSecrets = (text: string): string => text.replaceAll('<redacted>', KEY);

function signed(value: Json): Json {
  if (isList(value)) return value.map(signed);
  if (!isObject(value)) return value;
  const fields = Object.fromEntries(Object.entries(value).map(([key, field]) => [key, signed(field)]));
  const call = fields['functionCall'];
  return {
    ...fields,
    ...('thoughtSignature' in fields && {
      thoughtSignature: sign('google', isObject(call) ? (asText(call['name']) ?? '') : 'text'),
    }),
    ...(fields['type'] === 'thinking' &&
      'signature' in fields && { signature: sign('anthropic', asText(fields['thinking']) ?? '') }),
    ...('encrypted_content' in fields && { encrypted_content: sign('openai', '') }),
  };
}

const pathname = ({ path }: Recording): string => path.split('?')[0] ?? path;

function formatOf(recording: Recording): FormatName {
  const path = pathname(recording);
  if (path.startsWith('/v1/messages')) return 'messages';
  if (path === '/v1/responses') return 'responses';
  return path === '/v1/chat/completions' ? 'chat-completions' : 'generate-content';
}

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly type: string;
  readonly bytes: Uint8Array;
  readonly text: string;
}

async function send(url: string, recording: Recording, path: string, body?: JsonObject): Promise<Sent> {
  const { 'content-length': _, host: __, ...headers } = recording.headers;
  const response = await fetch(url + withSecrets(path), {
    method: recording.method,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, withSecrets(value)])),
    ...(body && { body: JSON.stringify(body) }),
  });
  const bytes = await response.bytes();
  return {
    status: response.status,
    headers: response.headers,
    type: response.headers.get('content-type') ?? '',
    bytes,
    text: Buffer.from(bytes).toString('utf8'),
  };
}

/** What is wrong with a successful answer, by the rules of the format it was asked in. */
function faultsOf(format: FormatName, recording: Recording, { type, bytes, text }: Sent): readonly string[] {
  const options = recording.body?.['stream_options'];
  const usageAsked = isObject(options) && options['include_usage'] === true;
  const violations = type.startsWith('text/event-stream')
    ? validateStream(format, [bytes], { usageAsked }).violations
    : wholeViolations(format, text);
  return violations.map(({ rule, message }) => `${rule}: ${message}`);
}

function wholeViolations(format: FormatName, text: string) {
  const body = parseJson(text);
  if (!isObject(body)) return [{ rule: 'json', message: 'the answer is no JSON object' }];
  return validateWhole(format, body);
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

test.skip('x', () => {});
const results: string[] = [];
afterAll(() => console.log(results.join('\n')));
describe('all', () => {
  const posts = recordings.filter(({ method, path }) => method === 'POST' && !/count|models/i.test(path));
  test.each(posts.map((recording) => ({ name: recording.name, recording })))('$name', async ({ recording }) => {
    const format = formatOf(recording);
    for (const model of MODELS) {
      const body = signed({ ...recording.body, model });
      if (!isObject(body)) continue;
      const sent = await send(gateway.url, recording, recording.path, body);
      if (sent.status !== 200) results.push(`${sent.status} ${recording.name} ${model} ${sent.text.slice(0, 300)}`);
      else {
        const faults = faultsOf(format, recording, sent);
        if (faults.length > 0) results.push(`FAULT ${recording.name} ${model} ${faults.join(' | ')}`);
      }
    }
    expect(1).toBe(1);
  });
});
