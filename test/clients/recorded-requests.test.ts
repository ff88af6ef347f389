/**
 * Requests as real SDKs and frameworks sent them, natively and to models of every vendor. They are not part
 * of this repository: `CLIENT_RECORDINGS` names the folder (`<client>/<case>.json`, each `{client, version,
 * method, path, headers, body}`); the default is `../shared/clients` beside the repository.
 */

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import {
  asObject,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
  parseJson,
} from '../../src/lib/json.ts';
import { RULEBOOKS, validateStream } from '../../src/protocol/validate.ts';
import { sign } from '../../src/sandbox/signatures.ts';
import { KEY, startGateway, type TestGateway, vendorsAtUrl } from '../support/gateway.ts';
import { json, startUpstream, type TestUpstream } from '../support/upstream.ts';

const folder = process.env['CLIENT_RECORDINGS'] ?? join(import.meta.dirname, '../../../shared/clients');

/** Two or more models of each vendor: with and without reasoning, older and newest. */
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
  console.log(
    `Requests recorded from real clients: skipped, ${folder} is not there (set CLIENT_RECORDINGS).`,
  );
}

interface Refusal {
  readonly status: number;
  readonly says: RegExp;
  readonly why: string;
}

/** What the vendor itself rejects on the native path, where the body is sent as it came. */
const BY_THE_VENDOR: readonly Refusal[] = [
  { status: 400, says: /max_tokens: \d+ > \d+/, why: 'native: more max_tokens than the model has' },
  { status: 400, says: /thinking\.type\.enabled/, why: 'native: the model takes adaptive thinking only' },
  { status: 400, says: /`temperature` is deprecated/, why: 'native: the model takes no temperature' },
  { status: 400, says: /not support the effort parameter/, why: 'native: the model knows no effort' },
  {
    status: 400,
    says: /Unsupported parameter: 'reasoning[._]effort'/,
    why: 'native: the model does not reason',
  },
  {
    status: 400,
    says: /Encrypted content is not supported/,
    why: 'native: the model has no reasoning to encrypt',
  },
  {
    status: 400,
    says: /Unknown parameter: 'messages\[\d+\]\.reasoning_content'/,
    why: 'native: OpenAI knows no reasoning_content',
  },
  {
    status: 400,
    says: /Thinking is not enabled/,
    why: 'native: the model does not think',
  },
  { status: 404, says: /Model not supported: deepseek\/deepseek-chat/, why: 'a model that is no more' },
  { status: 404, says: /thread_not_found/, why: 'native: a thread of another day' },
];

/** What the gateway rejects on the translated path. */
const BY_THE_GATEWAY: readonly Refusal[] = [
  { status: 400, says: /thread_unsupported_request/, why: 'translated: threads are kept by Anthropic only' },
  {
    status: 400,
    says: /Token counting is not available for \S+: its vendor does not offer it/,
    why: 'its service does not count tokens',
  },
];

const FAMILY: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': ['openai/', 'deepseek/', 'mistralai/', 'x-ai/'],
  responses: ['openai/', 'x-ai/', 'deepseek/'],
  messages: ['anthropic/'],
  'generate-content': ['google/'],
};

/**
 * Fills in the secrets that were removed from a recording: keys, and proofs that only the vendor itself can
 * make.
 */
const withSecrets = (text: string): string => text.replaceAll('<redacted>', KEY);

function signed(value: Json): Json {
  if (isList(value)) return value.map(signed);
  if (!isObject(value)) return value;
  const fields = Object.fromEntries(
    Object.entries(value).map(([key, field]) => [key, signed(field ?? null)]),
  );
  const call = fields['functionCall'];
  return {
    ...fields,
    ...('thoughtSignature' in fields && {
      thoughtSignature: sign('google', isObject(call) ? (asText(call['name']) ?? '') : 'text'),
    }),
    ...(fields['type'] === 'thinking' &&
      'signature' in fields && { signature: sign('anthropic', asText(fields['thinking']) ?? '') }),
    ...('encrypted_content' in fields && { encrypted_content: sign('openai', asText(fields['id']) ?? '') }),
  };
}

const pathname = ({ path }: Recording): string => path.split('?')[0] ?? path;

function formatOf(recording: Recording): FormatName {
  const path = pathname(recording);
  if (path.startsWith('/v1/messages')) return 'messages';
  if (path === '/v1/responses') return 'responses';
  return path === '/v1/chat/completions' ? 'chat-completions' : 'generate-content';
}

/** The path and body of the same request for another model. */
function withModel(recording: Recording, model: string): Recording {
  if (formatOf(recording) !== 'generate-content') {
    return { ...recording, body: { ...recording.body, model } };
  }
  const name = model.replace('google/', 'models/');
  const counted = asObject(recording.body?.['generateContentRequest']);
  return {
    ...recording,
    path: recording.path.replace(/models\/[^:]+:/, `${name}:`),
    ...(counted && { body: { ...recording.body, generateContentRequest: { ...counted, model: name } } }),
  };
}

interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
}

function post(url: string, { method, path, headers }: Recording, body?: string): Promise<Response> {
  return fetch(url + withSecrets(path), {
    method,
    headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, withSecrets(value)])),
    ...(body !== undefined && { body }),
  });
}

async function send(url: string, recording: Recording): Promise<Sent> {
  const { body } = recording;
  const response = await post(url, recording, body && JSON.stringify(signed(body)));
  const bytes = await response.bytes();
  return {
    status: response.status,
    headers: response.headers,
    bytes,
    text: Buffer.from(bytes).toString('utf8'),
  };
}

/** How an answer violates the rules of the format in which it was requested; empty if it does not. */
function faultsOf(recording: Recording, model: string, { headers, bytes, text }: Sent): readonly string[] {
  const { body = {} } = recording;
  const format = formatOf(recording);
  const streamOptions = asObject(body['stream_options']);
  const choice = asObject(body['tool_choice']);
  // Services with OpenAI's format deviate from it, and the native path keeps the deviations.
  const strict = !isNative(recording, model) || FAMILY[format][0] === `${model.split('/')[0]}/`;
  const options = {
    strict,
    ...(strict && { usageAsked: streamOptions?.['include_usage'] === true }),
    callForced: choice?.['type'] === 'function',
  };
  const violations = headers.get('content-type')?.startsWith('text/event-stream')
    ? validateStream(format, [bytes], options).violations
    : RULEBOOKS[format].whole(asObject(parseJson(text)) ?? {}, options).violations;
  return violations.map(({ rule, detail }) => `${rule}: ${detail}`);
}

function isNative(recording: Recording, model: string): boolean {
  return FAMILY[formatOf(recording)].some((vendor) => model.toLowerCase().startsWith(vendor));
}

let gateway: TestGateway;
let sent = 0;
let through = 0;
const refused = new Map<string, number>();

beforeAll(async () => {
  gateway = await startGateway({ countTokens: { models: 'all' } });
});
afterAll(async () => {
  await gateway.close();
  if (sent === 0) return;
  const reasons = [...refused].map(([why, count]) => `  ${count} refused on purpose (${why})`);
  console.log([`${through} of ${sent} recorded requests came through.`, ...reasons].join('\n'));
});

/** Sends a request, and expects that it succeeds, or that it is rejected for a known reason. */
async function ask(recording: Recording, model: string): Promise<void> {
  sent += 1;
  const answer = await send(gateway.url, recording);
  const known = isNative(recording, model) ? BY_THE_VENDOR : BY_THE_GATEWAY;
  const refusal = known.find(({ status, says }) => status === answer.status && says.test(answer.text));
  if (refusal !== undefined) {
    refused.set(refusal.why, (refused.get(refusal.why) ?? 0) + 1);
    return;
  }
  expect(answer.status, `${model}: ${answer.text.slice(0, 500)}`).toBe(200);
  if (!/count_?tokens/i.test(pathname(recording))) {
    expect(faultsOf(recording, model, answer), `${model}: ${answer.text.slice(0, 2000)}`).toEqual([]);
  }
  through += 1;
}

const named = (list: readonly Recording[]) => list.map((recording) => ({ name: recording.name, recording }));
const isAsked = ({ method, body }: Recording): boolean => method === 'POST' && body !== undefined;

describe.skipIf(recordings.length === 0)('requests as real clients sent them', () => {
  describe.each(named(recordings.filter(isAsked)))('$name', ({ recording }) => {
    const inPath = /models\/([^:]+):/.exec(recording.path)?.[1];
    const model = asText(recording.body?.['model']) ?? `google/${inPath}`;

    test('as it was sent', () =>
      ask(recording, model.includes('/') ? model : `${FAMILY[formatOf(recording)][0]}${model}`));

    test.each(
      MODELS.filter((other) => formatOf(recording) !== 'generate-content' || other.startsWith('google/')),
    )('to %s', (other) => ask(withModel(recording, other), other));
  });

  test.each(named(recordings.filter(({ method }) => method === 'GET')))('$name', async ({ recording }) => {
    const { status, text } = await send(gateway.url, recording);
    expect(status, text).toBe(200);
    expect(text).toMatch(/"(?:object|models|name)"/);
  });

  test.each(named(recordings.filter(({ method }) => method === 'OPTIONS')))(
    '$name',
    async ({ recording }) => {
      const { status, headers } = await send(gateway.url, recording);
      expect(status).toBe(204);
      expect(headers.get('access-control-allow-origin')).toBe('*');
      const allowed = headers.get('access-control-allow-headers')?.split(',');
      expect(allowed).toEqual(recording.headers['access-control-request-headers']?.split(','));
    },
  );
});

describe.skipIf(recordings.length === 0)('on the native path', () => {
  let upstream: TestUpstream;
  let open: TestGateway;
  beforeAll(async () => {
    upstream = await startUpstream((_, response) => json(response, {}));
    open = await startGateway({ countTokens: { models: 'all' }, vendors: vendorsAtUrl(upstream.url) });
  });
  afterAll(async () => {
    await open.close();
    await upstream.close();
  });

  const ownModels = recordings.filter((recording) => {
    const model = asText(recording.body?.['model']);
    return isAsked(recording) && (!model?.includes('/') || isNative(recording, model));
  });

  test.each(named(ownModels))('$name passes through byte for byte', async ({ recording }) => {
    upstream.received.length = 0;
    const model = asText(recording.body?.['model']) ?? '';
    const another = model.startsWith('deepseek/') ? 'deepseek/deepseek-v4-flash' : model;
    const name = another.startsWith('deepseek/') ? another : (model.split('/').at(-1) ?? '').toLowerCase();
    // Indented in a way that no JSON writer of this program produces.
    const text = JSON.stringify(recording.body, null, '\t');
    const asking = (value: string) => text.replace(`"model": "${model}"`, `"model": "${value}"`);
    const { status } = await post(open.url, recording, asking(another));
    expect(status).toBe(200);
    const [got] = upstream.received;
    expect(got?.body.toString()).toBe(asking(name));
    for (const header of ['anthropic-beta', 'anthropic-version', 'x-goog-api-client', 'x-stainless-lang']) {
      expect(got?.headers[header]).toBe(recording.headers[header]);
    }
  });
});
