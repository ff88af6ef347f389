/** Every case under fixtures/replies can be played, in every format, and follows the rules of the format. */

import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { isList, isObject, parseJson } from '../../src/lib/json.ts';
import { RULEBOOKS, validateStream } from '../../src/protocol/validate.ts';
import { CASES } from '../../src/sandbox/cases.ts';
import {
  deepseekFlavour,
  openaiFlavour,
  streamChat,
  wholeChat,
} from '../../src/sandbox/chat-completions/render.ts';
import { streamGemini, wholeGemini } from '../../src/sandbox/generate-content/render.ts';
import { streamMessages, wholeMessages } from '../../src/sandbox/messages/render.ts';
import { streamResponses, wholeResponses } from '../../src/sandbox/responses/render.ts';
import type { Script, Stamp, WireEvent } from '../../src/sandbox/script.ts';
import { FORMATS, post, useSandbox, WAYS } from './support.ts';

const sandbox = useSandbox();
const folder = join(import.meta.dirname, '../../fixtures/replies');
const names = Object.keys(CASES);

const renderers: Readonly<
  Record<
    FormatName,
    {
      stream(script: Script, stamp: Stamp): Iterable<WireEvent>;
      whole(script: Script, stamp: Stamp): JsonObject;
    }
  >
> = {
  'chat-completions': {
    stream: (script, stamp) => streamChat(script, stamp, flavour(stamp)),
    whole: (script, stamp) => wholeChat(script, stamp, flavour(stamp)),
  },
  responses: { stream: streamResponses, whole: wholeResponses },
  messages: { stream: streamMessages, whole: wholeMessages },
  'generate-content': { stream: streamGemini, whole: wholeGemini },
};

/** The base case of a thought in chat-completions is DeepSeek's, since OpenAI returns none. */
function flavour({ model }: Stamp) {
  return model.startsWith('deepseek') ? deepseekFlavour : openaiFlavour;
}

describe.each(FORMATS)('%s', (format) => {
  test.each(names)('%s equals the fixture, streamed', (name) => {
    const path = join(folder, format, `${name}.sse`);
    const recorded = dataOf(readFileSync(path, 'utf8'));
    const stamp = stampOf(format, name, recorded[0] ?? '');
    const said = [...renderers[format].stream(script(name), stamp)].map(({ data }) => data);
    expect(said.map(withoutIds)).toEqual(recorded.map(withoutIds));
  });

  test.each(names.filter((name) => existsSync(join(folder, format, `${name}.json`))))(
    '%s equals the fixture, whole',
    (name) => {
      const recorded = readFileSync(join(folder, format, `${name}.json`), 'utf8');
      const said = renderers[format].whole(script(name), stampOf(format, name, recorded));
      expect(withoutIds(JSON.stringify(said))).toEqual(withoutIds(recorded));
    },
  );

  test.each(names)('%s is played, streamed and whole, and follows the rules of the format', async (name) => {
    const { vendor, ask } = WAYS[format];
    const streamed = await post(sandbox(), vendor, ...ask(`play: ${name}`, true));
    expect(streamed.status).toBe(200);
    const judged = validateStream(format, [Buffer.from(streamed.text)], { usageAsked: true });
    expect(judged.violations).toEqual([]);
    expect(judged.failed).toBe(name === 'error-in-stream');
    if (name === 'error-in-stream') return;
    const whole = await post(sandbox(), vendor, ...ask(`please play: ${name}`, false));
    expect(whole.status).toBe(200);
    expect(RULEBOOKS[format].whole(whole.json).violations).toEqual([]);
  });
});

function script(name: string): Script {
  const found = new Map<string, Script>(Object.entries(CASES)).get(name);
  if (found === undefined) throw new Error(`no case ${name}`);
  return found;
}

/** The parts of the stamp that are visible in the recording, so that only ids differ. */
function stampOf(format: FormatName, name: string, recorded: string): Stamp {
  const first = parseJson(recorded);
  const said = isObject(first) ? first : {};
  const inner = isObject(said['response'])
    ? said['response']
    : isObject(said['message'])
      ? said['message']
      : said;
  const model = String(inner['model'] ?? inner['modelVersion']);
  const created = Number(inner['created'] ?? inner['created_at'] ?? 0);
  const thinks = format === 'responses' && name === 'thinking';
  const body: JsonObject = {
    ...(thinks && {
      reasoning: { effort: 'medium', summary: 'auto' },
      include: ['reasoning.encrypted_content'],
      store: false,
    }),
    ...(format === 'chat-completions' && { stream_options: { include_usage: true } }),
  };
  return { id: '0123456789abcdef0123456789abcdef', model, created, body };
}

function dataOf(sse: string): readonly string[] {
  return sse.split(/\r?\n/).flatMap((line) => (line.startsWith('data: ') ? [line.slice(6)] : []));
}

const IDS = new Set(['id', 'item_id', 'call_id', 'responseId', 'encrypted_content', 'created']);

function withoutIds(text: string): Json {
  return text === '[DONE]' ? text : cleaned(parseJson(text));
}

function cleaned(value: Json | undefined): Json {
  if (isList(value)) return value.map(cleaned);
  if (!isObject(value)) return value ?? null;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, IDS.has(key) ? typeof inner : cleaned(inner)]),
  );
}
