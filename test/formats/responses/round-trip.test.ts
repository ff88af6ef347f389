/** Law: a request that is parsed and rendered in this format stays the same, even what only OpenAI can read. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type ModelTraits, type Note, reportInto, unreported } from '../../../src/formats/format.ts';
import { parseRequest } from '../../../src/formats/responses/inbound/parse-request.ts';
import { renderRequest } from '../../../src/formats/responses/outbound/render-request.ts';
import { asObjects, isObject, type Json, type JsonObject, parseJson } from '../../../src/lib/json.ts';

const folder = join(import.meta.dirname, '../../../fixtures/requests/responses');

const PLAIN: ModelTraits = {
  model: 'a-model',
  maxOutputTokens: 64_000,
  thinking: { kinds: ['effort'], efforts: ['none', 'low', 'medium', 'high'], canDisable: true },
  sampling: true,
  structuredOutput: true,
  dialect: '',
};

const cases = readdirSync(folder).map((file) => ({
  name: file.replace('.json', ''),
  body: bodyOf(parseJson(readFileSync(join(folder, file), 'utf8'))),
}));

describe.each(cases)('$name', ({ name, body }) => {
  const prompt = parseRequest(body, unreported);

  test('parses to the same prompt again', () => {
    const notes: Note[] = [];
    const again = renderRequest(prompt, PLAIN, reportInto(notes));
    expect({ ...parseRequest(bodyOf(again), unreported), formatSpecific: undefined }).toEqual({
      ...prompt,
      model: 'a-model',
      formatSpecific: undefined,
    });
    expect(notes).toEqual([]);
  });

  test('has the same fields and items', () => {
    const again = bodyOf(renderRequest(prompt, PLAIN, unreported));
    expect(usual(again)).toEqual(usual({ ...body, model: 'a-model', store: false }));
  });

  test('keeps its items for OpenAI itself, except for what only another vendor can decrypt', () => {
    const items = (value: JsonObject): readonly JsonObject[] => asObjects(usual(value)['input']);
    const notes: Note[] = [];
    const again = renderRequest(prompt, { ...PLAIN, dialect: 'openai' }, reportInto(notes));
    if (name === 'foreign-signatures') {
      expect(notes.map(({ field }) => field)).toEqual([
        'turns[].thinking',
        'turns[].thinking',
        'turns[].signature',
        'turns[].signature',
      ]);
      expect(JSON.stringify(again)).not.toMatch(/anthropic#|google#/);
      expect(items(bodyOf(again))).toEqual(items(body).filter((item) => item['type'] !== 'reasoning'));
      return;
    }
    expect(notes).toEqual([]);
    expect(items(bodyOf(again))).toEqual(items(body));
  });
});

test('settings that only other services of this format have stay, and the service decides about them', () => {
  const settings = { frequency_penalty: 0.5, presence_penalty: -0.5, top_k: 20, seed: 7, stop: ['END'] };
  const notes: Note[] = [];
  const prompt = parseRequest({ model: 'a-model', input: 'Hi', ...settings }, reportInto(notes));
  expect(renderRequest(prompt, PLAIN, reportInto(notes))).toMatchObject(settings);
  expect(notes).toEqual([]);
});

test.each(['data:video/mp4;base64,AAAA', 'https://example.com/a.mp4'])('a video stays: %s', (video_url) => {
  const content = [{ type: 'input_video', video_url }];
  const prompt = parseRequest({ model: 'a-model', input: [message('user', content, {})] }, unreported);
  const again = bodyOf(renderRequest(prompt, PLAIN, unreported));
  expect(asObjects(again['input'])).toMatchObject([{ content }]);
  expect(() => renderRequest(prompt, { ...PLAIN, dialect: 'openai' }, unreported)).toThrow(/video/);
});

function bodyOf(value: Json): JsonObject {
  const body = parseJson(JSON.stringify(value));
  if (!isObject(body)) throw new TypeError('A request is an object.');
  return body;
}

/** Normalizes a body: OpenAI takes a string for a list of one text, and messages without a type. */
function usual(body: JsonObject): JsonObject {
  const { input, include, reasoning, tools, ...rest } = body;
  const words = new Set(['reasoning.encrypted_content', ...(Array.isArray(include) ? include : [])]);
  return {
    ...rest,
    input: typeof input === 'string' ? [message('user', input, {})] : asObjects(input).map(usualItem),
    include: [...words].toSorted(),
    ...(isObject(reasoning) && { reasoning: said(reasoning) }),
    ...(tools !== undefined && { tools: asObjects(tools).map(usualTool) }),
  };
}

/** `strict` is true if it is left out. */
function usualTool(tool: JsonObject): JsonObject {
  const { strict, ...rest } = said(tool);
  return strict === true ? rest : said(tool);
}

function usualItem(item: JsonObject): JsonObject {
  const { type, role, content, output, arguments: json, ...rest } = said(item);
  if (role !== undefined && typeof role === 'string' && (type ?? 'message') === 'message') {
    return message(role, content, rest);
  }
  return {
    type,
    ...rest,
    ...(role !== undefined && { role }),
    ...(content !== undefined && { content }),
    ...(output !== undefined && {
      output: item['type'] === 'local_shell_call_output' ? output : list('input', output),
    }),
    ...(json !== undefined && { arguments: json === '' ? '{}' : json }),
  };
}

function message(role: string, content: Json | undefined, rest: JsonObject): JsonObject {
  return {
    type: 'message',
    role,
    ...rest,
    content: list(role === 'assistant' ? 'output' : 'input', content),
  };
}

function list(side: 'input' | 'output', content: Json | undefined): readonly JsonObject[] {
  const parts = typeof content === 'string' ? [{ type: `${side}_text`, text: content }] : asObjects(content);
  return parts.map((part) => ({ ...USUAL[String(part['type'])], ...said(part) }));
}

/** The defaults of parts. */
const USUAL: Readonly<Record<string, JsonObject>> = {
  output_text: { annotations: [] },
  input_image: { detail: 'auto' },
};

function said(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}
