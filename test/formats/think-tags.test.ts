/** Thoughts in the text of chat-completions, between tags: other formats get them as thoughts, the same format as they are. */

import { describe, expect, test } from 'vitest';
import type { FormatName } from '../../src/conversation/prompt.ts';
import { findThinkTag, ThinkTagSplitter } from '../../src/formats/chat-completions/outbound/think-tags.ts';
import { dialectFor } from '../../src/formats/chat-completions/restricted-dialect.ts';
import { type Json, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { at, chatStream, chunk, completion, json, listAt } from '../checklist/support.ts';
import { startGateway } from '../support/gateway.ts';
import { PERMISSIVE } from '../support/meaning.ts';
import { postJson } from '../support/post-json.ts';
import { readStream, readWhole } from '../support/read-answer.ts';
import { startUpstream } from '../support/upstream.ts';
import { whileTestsRun } from '../support/while-tests-run.ts';

const MODEL = {
  created: 1_700_000_000,
  contextWindow: 128_000,
  maxOutputTokens: 32_000,
  prices: { input: 1, output: 2 },
};
const LOCAL = 'local/qwen3';
const OPENED = 'local/qwq';
const M3 = 'local/minimax-m3';
const SEED = 'local/seed-oss-36b';
const TAGS: Readonly<Record<string, boolean | 'closing'>> = {
  [LOCAL]: true,
  [OPENED]: 'closing',
  [M3]: true,
  [SEED]: true,
};
const IDS = [LOCAL, OPENED, M3, SEED, 'local/llama', 'groq/qwen3', 'together/r1', 'minimax/minimax-m3'];

const stage = whileTestsRun(async () => {
  const spoken: { said: ReturnType<typeof json> } = { said: json({}) };
  const upstream = await startUpstream((_, response) => {
    response.writeHead(200, { 'content-type': spoken.said.type }).end(spoken.said.body);
  });
  const vendor = { baseUrl: `${upstream.url}/v1`, apiKey: 'a-key' };
  const gateway = await startGateway({
    limits: { eventLoopDelay: 600_000 },
    models: IDS.map((id) => ({ ...MODEL, id, name: id, thinkTags: TAGS[id] ?? false })),
    generateContent: { models: 'all' },
    vendors: {
      local: vendor,
      groq: { ...vendor, dialect: 'groq' },
      together: { ...vendor, dialect: 'together' },
      minimax: vendor,
    },
  });
  return {
    spoken,
    upstream,
    url: gateway.url,
    async close() {
      await gateway.close();
      await upstream.close();
    },
  };
});

const CALLERS: readonly FormatName[] = ['messages', 'responses', 'generate-content'];
const CALL = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } };

function requestOf(from: FormatName, turns: readonly Json[]): JsonObject {
  const hello = { role: 'user', content: 'Hello?' };
  if (from === 'generate-content') {
    const named = { functionDeclarations: [{ name: 'f', parametersJsonSchema: { type: 'object' } }] };
    const thinkingConfig = { includeThoughts: true };
    const contents = [{ role: 'user', parts: [{ text: 'Hello?' }] }, ...turns];
    return { contents, tools: [named], generationConfig: { thinkingConfig } };
  }
  const schema = { type: 'object' };
  if (from === 'responses') {
    return { input: [hello, ...turns], tools: [{ type: 'function', name: 'f', parameters: schema }] };
  }
  return { max_tokens: 2000, messages: [hello, ...turns], tools: [{ name: 'f', input_schema: schema }] };
}

async function ask(
  from: FormatName,
  model: string,
  stream: boolean,
  turns: readonly Json[] = [],
): Promise<string> {
  const method = stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
  const path =
    from === 'generate-content'
      ? `/v1beta/models/${encodeURIComponent(model)}:${method}`
      : `/v1/${from === 'chat-completions' ? 'chat/completions' : from}`;
  const body =
    from === 'chat-completions'
      ? { messages: [{ role: 'user', content: 'Hello?' }] }
      : requestOf(from, turns);
  const named = from === 'generate-content' ? body : { ...body, model, stream };
  const answer = await postJson(stage().url + path, named);
  const text = await answer.text();
  expect(answer.status, text).toBe(200);
  return text;
}

const sent = (): Json => parseJson(stage().upstream.received.at(-1)?.body.toString() ?? '');

const SAID = '<think>\nRome, then.\n</think>\n\nSunny in <think> Rome.';

/** The same text in pieces of one character. */
function streamed(text: string, calls: readonly JsonObject[] = []): ReturnType<typeof json> {
  const deltas = [...text].map((content) => chunk({ content, tool_calls: [] }));
  const called = calls.map((call, index) => chunk({ tool_calls: [{ index, ...call }] }));
  return chatStream(...deltas, ...called, chunk({}, 'stop'));
}

describe.each(CALLERS)('to a caller of %s', (from) => {
  test.each([LOCAL, 'groq/qwen3', 'together/r1', 'minimax/minimax-m3'])('of %s', async (model) => {
    const said = { text: 'Sunny in <think> Rome.', thinking: 'Rome, then.', calls: [] };
    const plain = (value: { text: string; thinking: string }) =>
      [value.text, value.thinking].map((each) => each.replaceAll(/\s/g, ''));
    stage().spoken.said = json(completion({ content: SAID }, 'stop'));
    expect(plain(readWhole(from, parseJson(await ask(from, model, false))))).toEqual(plain(said));
    stage().spoken.said = streamed(SAID);
    expect(plain(readStream(from, await ask(from, model, true)))).toEqual(plain(said));
  });

  test.each([
    ['\nRome?\n</think>\n\nSunny.', 'Rome?', 'Sunny.'],
    ['<think>\nRome?\n</think>\n\nSunny.', 'Rome?', 'Sunny.'],
    ['Rome', 'Rome', ''],
    ['<th', '<th', ''],
  ])('of a model whose prompt has the first tag: %j', async (content, thinking, text) => {
    const said = { text, thinking, calls: [{ name: 'f', input: {} }] };
    stage().spoken.said = json(completion({ content, tool_calls: [CALL] }, 'tool_calls'));
    expect(readWhole(from, parseJson(await ask(from, OPENED, false)))).toEqual(said);
    stage().spoken.said = streamed(content, [CALL]);
    expect(readStream(from, await ask(from, OPENED, true))).toEqual(said);
    stage().spoken.said = json(completion({ reasoning_content: 'Hm.', content: 'Yes.' }, 'stop'));
    const separated = readWhole(from, parseJson(await ask(from, OPENED, false)));
    expect([separated.text, separated.thinking]).toEqual(['Yes.', 'Hm.']);
  });

  test('a model that is not said to write them keeps its text', async () => {
    stage().spoken.said = json(completion({ content: SAID }, 'stop'));
    const { text, thinking } = readWhole(from, parseJson(await ask(from, 'local/llama', false)));
    expect(text).toContain('<think>');
    expect(thinking).toBe('');
  });

  test('a call after a thought that has no end, or after what only looks like one', async () => {
    for (const [content, thinking, text] of [
      ['<think>\nRome', 'Rome', ''],
      ['<thi', '', '<thi'],
      ['<think>Rome</thi', 'Rome</thi', ''],
    ] as const) {
      const calls = [{ name: 'f', input: {} }];
      stage().spoken.said = json(completion({ content, tool_calls: [CALL] }, 'tool_calls'));
      expect(readWhole(from, parseJson(await ask(from, LOCAL, false)))).toEqual({ text, thinking, calls });
      stage().spoken.said = streamed(content, [CALL]);
      expect(readStream(from, await ask(from, LOCAL, true))).toEqual({ text, thinking, calls });
    }
  });

  test('thoughts of their own field come before a text that begins with the tag', async () => {
    stage().spoken.said = json(completion({ reasoning_content: 'Hm.', content: '<think>Yes.' }, 'stop'));
    const { text, thinking } = readWhole(from, parseJson(await ask(from, LOCAL, false)));
    expect([text, thinking]).toEqual(['<think>Yes.', 'Hm.']);
  });

  test('they go back to the model as it wrote them', async () => {
    stage().spoken.said = json(
      completion({ content: '<think>\nHm.\n</think>\n\nYes.', tool_calls: [CALL] }, 'tool_calls'),
    );
    const answer = parseJson(await ask(from, LOCAL, false));
    await ask(from, LOCAL, false, nextTurns(from, answer));
    expect(at(sent(), 'messages.1')).toMatchObject({
      role: 'assistant',
      content: '<think>\nHm.\n</think>\n\nYes.',
      tool_calls: [{ function: { name: 'f' } }],
    });
    expect(at(sent(), 'messages.1')).not.toHaveProperty('reasoning_content');
  });
});

function nextTurns(from: FormatName, answer: Json): readonly Json[] {
  if (from === 'messages') {
    const content = listAt(answer, 'content');
    const id = content.find(({ type }) => type === 'tool_use')?.['id'] ?? '';
    const result = { type: 'tool_result', tool_use_id: id, content: 'sunny' };
    return [
      { role: 'assistant', content },
      { role: 'user', content: [result] },
    ];
  }
  if (from === 'responses') {
    const output = listAt(answer, 'output');
    const id = output.find(({ type }) => type === 'function_call')?.['call_id'] ?? '';
    return [...output, { type: 'function_call_output', call_id: id, output: 'sunny' }];
  }
  const result = { functionResponse: { name: 'f', response: { sky: 'sunny' } } };
  return [at(answer, 'candidates.0.content') ?? null, { role: 'user', parts: [result] }];
}

test('a model with tags of its own gets its thoughts back in them', async () => {
  for (const [model, tag] of [
    [M3, 'mm:think'],
    [SEED, 'seed:think'],
    [LOCAL, 'think'],
  ] as const) {
    const content = `<${tag}>\nHm.\n</${tag}>\n\nYes.`;
    stage().spoken.said = json(completion({ content, tool_calls: [CALL] }, 'tool_calls'));
    for (const from of CALLERS) {
      const answer = parseJson(await ask(from, model, false));
      expect(readWhole(from, answer)).toMatchObject({ text: 'Yes.', thinking: 'Hm.' });
      await ask(from, model, false, nextTurns(from, answer));
      expect(at(sent(), 'messages.1')).toMatchObject({ role: 'assistant', content });
    }
    expect(split([...`Hm.</${tag}>Yes.`], true, model)).toEqual(['Hm.', 'Yes.']);
  }
});

test('a caller of the same format gets the bytes', async () => {
  const said = json(completion({ content: SAID }, 'stop'));
  stage().spoken.said = said;
  expect(await ask('chat-completions', LOCAL, false)).toBe(said.body);
});

test('annotations count over the whole text, citations over the answer', async () => {
  const text = '<think>Hm.</think>\n\nSunny.';
  const start = text.indexOf('Sunny');
  const place = { start_index: start, end_index: start + 5, title: 'Sky', url: 'https://sky.example/' };
  const annotations = [{ type: 'url_citation', url_citation: place }];
  stage().spoken.said = json(completion({ content: text, annotations }, 'stop'));
  const answer = parseJson(await ask('responses', LOCAL, false));
  const message = listAt(answer, 'output').find(({ type }) => type === 'message') ?? {};
  expect(at(message, 'content.0')).toMatchObject({
    text: 'Sunny.',
    annotations: [{ start_index: 0, end_index: 5, url: 'https://sky.example/' }],
  });
});

test('MiniMax gets thoughts back in the text if it has refused to separate them', () => {
  const traits = { ...PERMISSIVE, dialect: 'minimax' };
  expect(dialectFor(traits).reasoningHistory).toBe('reasoning_details-text');
  const refused = dialectFor({ ...traits, avoids: new Set(['service-fields']) });
  expect(refused).toMatchObject({ needsReasoningSplit: false, reasoningHistory: 'tags' });
});

function split(pieces: readonly string[], isOpened = false, model = ''): readonly string[] {
  const splitter = new ThinkTagSplitter(isOpened, findThinkTag(model));
  const all = [...pieces.map((piece) => splitter.split(piece)), splitter.flush()];
  return [all.map(({ thought }) => thought).join(''), all.map(({ answer }) => answer).join('')];
}

test.each([
  ['', '', ''],
  ['Hi.', '', 'Hi.'],
  ['<think', '', '<think'],
  ['<thinking>Hm.</thinking>', '', '<thinking>Hm.</thinking>'],
  [' <think>Hm.</think>', '', ' <think>Hm.</think>'],
  ['<think>', '', ''],
  ['<think>Hm.', 'Hm.', ''],
  ['<think>\n\n</think>\n\nHi.', '', 'Hi.'],
  ['<think></think>', '', ''],
  ['<think>\nHm.\n</think>\n\n Hi. \n', 'Hm.', 'Hi. \n'],
  ['<think>a\n\nb\n\n</think>c</think>', 'a\n\nb\n', 'c</think>'],
  ['<think>a < b, </ and </thin</think>c', 'a < b, </ and </thin', 'c'],
  ['<think>a\n</thi', 'a\n</thi', ''],
  ['<mm:think>\nHm.\n</mm:think>\n\nHi.', 'Hm.', 'Hi.'],
  ['<mm:think>a</think>b</mm:think>c', 'a</think>b', 'c'],
  ['<seed:think>Hm.</seed:think>Hi.', 'Hm.', 'Hi.'],
  ['<mm:think', '', '<mm:think'],
  ['<mm:tool>', '', '<mm:tool>'],
])('%j is split alike, wherever its pieces end', (text, thought, answer) => {
  expect(split([text])).toEqual([thought, answer]);
  expect(split([...text])).toEqual([thought, answer]);
  for (let end = 1; end < text.length; end += 1) {
    expect(split([text.slice(0, end), text.slice(end)])).toEqual([thought, answer]);
  }
});

test.each([
  ['', '', ''],
  ['Hm.', 'Hm.', ''],
  ['<', '<', ''],
  ['</think>Hi.', '', 'Hi.'],
  ['\nHm.\n</think>\n\nHi. \n', 'Hm.', 'Hi. \n'],
  ['<think>\nHm.\n</think>\n\nHi.', 'Hm.', 'Hi.'],
  ['<thinking>a</think>b</think>', '<thinking>a', 'b</think>'],
])('%j of a model whose prompt has the first tag is split alike', (text, thought, answer) => {
  for (let end = 0; end < text.length; end += 1) {
    expect(split([text.slice(0, end), text.slice(end)], true)).toEqual([thought, answer]);
  }
  expect(split([...text], true)).toEqual([thought, answer]);
});
