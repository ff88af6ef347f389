/** What a model searched for in the web, for callers of the other formats. */

import { expect, test } from 'vitest';
import { asObjects, type JsonObject } from '../../src/lib/json.ts';
import {
  at,
  type Both,
  type Caller,
  CLAUDE,
  claudeMessage,
  claudeStream,
  GEMINI_3,
  gemini,
  geminiStream,
  json,
  listAt,
  namedStream,
  RESPONDER,
  useDoor,
} from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';

const door = useDoor({ generateContent: { models: 'all' } });

const URL_OF_PAGE = 'https://cats.example/a';

/** Requests that allow a search. */
const ASKED: Readonly<Record<Caller, JsonObject>> = {
  'chat-completions': { web_search_options: {} },
  responses: { tools: [{ type: 'web_search' }] },
  messages: { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
};

const cited = {
  type: 'web_search_result_location',
  url: URL_OF_PAGE,
  title: 'Cats',
  cited_text: 'Cats purr',
  encrypted_index: 'e',
};
const call = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} };
const result = { type: 'web_search_tool_result', tool_use_id: call.id, content: [] };
const text = { type: 'text', text: '' };

/** Claude says that it searches, searches, and answers. */
const ANTHROPIC: Both = {
  whole: json(
    claudeMessage(
      [
        { ...text, text: 'I look.' },
        { ...call, input: { query: 'do cats purr' } },
        result,
        { ...text, text: 'They do.', citations: [cited] },
      ],
      'end_turn',
    ),
  ),
  stream: claudeStream(
    [
      [text, { type: 'text_delta', text: 'I look.' }],
      [
        call,
        { type: 'input_json_delta', partial_json: '{"query": "do ca' },
        { type: 'input_json_delta', partial_json: 'ts purr"}' },
      ],
      [result],
      [text, { type: 'citations_delta', citation: cited }, { type: 'text_delta', text: 'They do.' }],
    ],
    'end_turn',
  ),
};

const groundingMetadata = {
  webSearchQueries: ['do cats purr', 'cat sounds'],
  groundingChunks: [{ web: { uri: URL_OF_PAGE, title: 'Cats' } }],
  groundingSupports: [{ segment: { endIndex: 8, text: 'They do.' }, groundingChunkIndices: [0] }],
};

function grounded(parts: readonly JsonObject[]): JsonObject {
  const answer = gemini(parts, 'STOP');
  return {
    ...answer,
    candidates: asObjects(answer['candidates']).map((one) => ({ ...one, groundingMetadata })),
  };
}

const GOOGLE: Both = {
  whole: json(grounded([{ text: 'They do.' }])),
  stream: geminiStream(gemini([{ text: 'They ' }]), grounded([{ text: 'do.' }])),
};

const item = {
  type: 'web_search_call',
  id: 'ws_1',
  status: 'completed',
  action: { type: 'search', query: 'do cats purr', queries: ['do cats purr', 'cat sounds'] },
};
const url_citation = { type: 'url_citation', url: URL_OF_PAGE, title: 'Cats', start_index: 0, end_index: 8 };
const message = {
  type: 'message',
  id: 'msg_1',
  role: 'assistant',
  status: 'completed',
  content: [{ type: 'output_text', text: 'They do.', annotations: [url_citation], logprobs: [] }],
};
const response = {
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  model: 'a-model',
  status: 'completed',
  output: [item, message],
  usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 },
};
const OPENAI: Both = {
  whole: json(response),
  stream: namedStream(
    { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item },
    { type: 'response.output_item.done', output_index: 1, item: message },
    { type: 'response.completed', response },
  ),
};

/** The answer of a model to a caller, whole and as the last response of a stream. */
async function responses(model: string, said: Both): Promise<readonly JsonObject[]> {
  door.answers(said.whole);
  const { json: whole } = await door.whole('responses', model, ASKED.responses);
  door.answers(said.stream);
  const { data } = await door.stream('responses', model, ASKED.responses);
  const seen = data.map(({ type }) => type).filter((type) => `${type}`.includes('web_search_call'));
  expect(seen).toEqual(
    ['in_progress', 'searching', 'completed'].map((step) => `response.web_search_call.${step}`),
  );
  return [whole, Object(data.at(-1)?.['response'])];
}

test('a caller of responses gets the search of Claude between what was said before it and the answer', async () => {
  for (const { output } of await responses(CLAUDE, ANTHROPIC)) {
    expect(output).toMatchObject([
      { type: 'message', phase: 'commentary', content: [{ text: 'I look.' }] },
      {
        type: 'web_search_call',
        id: expect.stringMatching(/^ws_/),
        status: 'completed',
        action: { type: 'search', query: 'do cats purr', queries: ['do cats purr'] },
      },
      { type: 'message', phase: 'final_answer', content: [{ text: 'They do.' }] },
    ]);
  }
});

test('a caller of responses gets the search that Gemini makes beside functions', async () => {
  const toolCall = { toolType: 'GOOGLE_SEARCH_WEB', args: { queries: ['do cats purr'] }, id: 'a' };
  const parts = [
    { toolCall },
    { toolResponse: { toolType: toolCall.toolType, id: 'a' } },
    { text: 'They do.' },
  ];
  const said = { whole: json(gemini(parts, 'STOP')), stream: geminiStream(gemini(parts, 'STOP')) };
  for (const { output } of await responses(GEMINI_3, said)) {
    expect(output).toMatchObject([
      { type: 'web_search_call', action: { query: 'do cats purr' } },
      { type: 'message', content: [{ text: 'They do.' }] },
    ]);
  }
});

test.each([
  ['Gemini', GEMINI_3, GOOGLE],
  ["OpenAI's models", RESPONDER, OPENAI],
])('a caller of messages reads what %s searched for in the call of the search', async (_, model, said) => {
  door.answers(said.whole);
  const { json: whole } = await door.whole('messages', model, ASKED.messages);
  const input = { query: 'do cats purr; cat sounds' };
  expect(listAt(whole, 'content')).toMatchObject([
    { type: 'text', text: 'They do.' },
    { type: 'server_tool_use', name: 'web_search', input },
    { type: 'web_search_tool_result', content: [{ url: URL_OF_PAGE }] },
  ]);
  door.answers(said.stream);
  const { data } = await door.stream('messages', model, ASKED.messages);
  const started = data.findIndex(({ content_block }) => at(content_block, 'type') === 'server_tool_use');
  expect(data[started + 1]).toMatchObject({ delta: { partial_json: JSON.stringify(input) } });
});

test.each([
  ['Claude', CLAUDE, ANTHROPIC, ['do cats purr']],
  ["OpenAI's models", RESPONDER, OPENAI, ['do cats purr', 'cat sounds']],
])(
  'a caller of generateContent reads what %s searched for beside the sources',
  async (_, model, said, queries) => {
    for (const [method, answer] of [
      ['generateContent', said.whole],
      ['streamGenerateContent', said.stream],
    ] as const) {
      door.answers(answer);
      const asked = await fetch(`${door.url()}/v1beta/models/${model}:${method}`, {
        method: 'POST',
        headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
        body: JSON.stringify({
          contents: [{ role: 'user', parts: [{ text: 'Do cats purr?' }] }],
          tools: [{ googleSearch: {} }],
        }),
      });
      const told = [Object(await asked.json())].flat().at(-1);
      expect(at(told, 'candidates.0.groundingMetadata')).toMatchObject({
        webSearchQueries: queries,
        groundingChunks: [{ web: { uri: URL_OF_PAGE, title: 'Cats' } }],
      });
    }
  },
);
