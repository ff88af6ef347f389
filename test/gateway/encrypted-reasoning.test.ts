/** Reasoning that a vendor has encrypted in OpenAI's format goes back to that vendor, and to no other. */

import { expect, test } from 'vitest';
import { asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import {
  at,
  completion,
  GLM,
  json,
  listAt,
  MUSE,
  RESPONDER,
  THINKING,
  useDoor,
} from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';

const door = useDoor({ generateContent: { models: 'all' } });
const cached = useDoor({ cache: { keys: ['test'], seconds: 60 } });

const GPT = 'openai/gpt-5.4';
const GROK = 'x-ai/grok-4.7';
const GEMINI = 'google/gemini-3-flash-preview';
const VENDORS = [GPT, GROK, MUSE, RESPONDER] as const;
const SECRET = 'gAAAAABo';

const output = [
  {
    id: 'rs_1',
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: 'Hm.' }],
    encrypted_content: SECRET,
  },
  {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: 'ok', annotations: [] }],
  },
];
const answerOf = (items: readonly JsonObject[]) =>
  json({
    id: 'resp_1',
    object: 'response',
    created_at: 1,
    status: 'completed',
    model: 'x',
    output: items,
    usage: { input_tokens: 1, output_tokens: 1, total_tokens: 2 },
  });
const answer = answerOf(output);

async function google(model: string, contents: readonly JsonObject[]): Promise<JsonObject> {
  const response = await fetch(`${door.url()}/v1beta/models/${model}:generateContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify({ contents, generationConfig: { thinkingConfig: { includeThoughts: true } } }),
  });
  return Object(parseJson(await response.text()));
}

/** A turn with the first model, and one with the second. Each asks a model in one format. */
const dialogues = {
  async messages(first: string, second: string) {
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const question = { role: 'user', content: 'Hello?' };
    const { json: whole } = await door.whole('messages', first, { thinking });
    const messages = [question, { role: 'assistant', content: whole['content'] ?? [] }, question];
    await door.whole('messages', second, { thinking, messages });
  },
  async 'chat-completions'(first: string, second: string) {
    const question = { role: 'user', content: 'Hello?' };
    const { json: whole } = await door.whole('chat-completions', first, { messages: [question] });
    const messages = [question, Object(at(whole, 'choices.0.message')), question];
    await door.whole('chat-completions', second, { messages });
  },
  async 'generate-content'(first: string, second: string) {
    const question = { role: 'user', parts: [{ text: 'Hello?' }] };
    const [candidate] = asObjects((await google(first, [question]))['candidates']);
    await google(second, [question, Object(candidate?.['content']), question]);
  },
};

const changes = [
  ...(['messages', 'generate-content'] as const).flatMap((from) =>
    VENDORS.flatMap((first) => VENDORS.map((second) => ({ from, first, second }))),
  ),
  // The others speak this format themselves.
  { from: 'chat-completions', first: RESPONDER, second: RESPONDER } as const,
];

test.each(changes)('$from: $first, then $second', async ({ from, first, second }) => {
  door.answers(answer);
  await dialogues[from](first, second);
  expect(door.upstream().received.map(({ url }) => url)).toEqual(['/v1/responses', '/v1/responses']);
  const thoughts = listAt(door.sent(), 'input').filter(({ type }) => type === 'reasoning');
  expect(thoughts.map((thought) => thought['encrypted_content'])).toEqual(first === second ? [SECRET] : []);
});

test.each(changes.filter(({ first, second }) => first === second))(
  '$from: a thought of $first without a summary',
  async ({ from, first, second }) => {
    door.answers(answerOf(output.map((item) => ({ ...item, ...(item.summary && { summary: [] }) }))));
    await dialogues[from](first, second);
    const thoughts = listAt(door.sent(), 'input').filter(({ type }) => type === 'reasoning');
    expect(thoughts).toMatchObject([{ summary: [], encrypted_content: SECRET }]);
  },
);

test('what was sealed for OpenAI before is read', async () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: `openai#${SECRET}` };
  const question = { role: 'user', content: 'Hello?' };
  const messages = [
    question,
    { role: 'assistant', content: [thought, { type: 'text', text: 'ok' }] },
    question,
  ];
  const sent = await door.sentFor('messages', GPT, { messages });
  expect(at(sent, 'input.1')).toMatchObject({ type: 'reasoning', encrypted_content: SECRET });
});

test.each([
  ['xai-responses-v1', GROK],
  ['bedrock-openai-responses-v1', GPT],
])("OpenRouter's %s goes back to it, and to %s", async (format, maker) => {
  const details = [
    { type: 'reasoning.summary', summary: 'Hm.', format, index: 0 },
    { type: 'reasoning.encrypted', data: SECRET, format, index: 1 },
  ];
  const question = { role: 'user', content: 'Hello?' };
  door.answers(json(completion({ role: 'assistant', content: 'ok', reasoning_details: details }, 'stop')));
  const { json: whole } = await door.whole('messages', THINKING);
  const messages = [question, { role: 'assistant', content: whole['content'] ?? [] }, question];
  const sent = await door.sentFor('messages', THINKING, { messages });
  expect(listAt(sent, 'messages.1.reasoning_details')).toMatchObject([
    { type: 'reasoning.summary', summary: 'Hm.' },
    { type: 'reasoning.encrypted', data: SECRET, format: format.replace('bedrock-', '') },
  ]);
  const own = await door.sentFor('messages', maker, { messages });
  expect(at(own, 'input.1')).toMatchObject({ type: 'reasoning', encrypted_content: SECRET });
});

test.each(VENDORS)(
  'thoughts that nobody signed do not go to %s, also where nothing is native',
  async (second) => {
    const thought = { role: 'assistant', content: 'ok', reasoning_content: 'Hm.' };
    const question = { role: 'user', content: 'Hello?' };
    cached.answers(json(completion(thought, 'stop')));
    const { json: whole } = await cached.whole('responses', GLM, { input: [question] });
    const said = asObjects(whole['output']);
    expect(said[0]).toMatchObject({ type: 'reasoning', encrypted_content: 'none#' });
    const sent = await cached.sentFor('responses', second, { input: [question, ...said, question] });
    expect(listAt(sent, 'input').map(({ type, role }) => [type, role])).toEqual([
      ['message', 'user'],
      ['message', 'assistant'],
      ['message', 'user'],
    ]);
  },
);

test.each(VENDORS)(
  "nor do Gemini's thoughts whose item has the signature of the message go to %s",
  async (second) => {
    const question = { role: 'user', content: 'Hello?' };
    const parts = [
      { text: 'Hm.', thought: true },
      { text: 'ok', thoughtSignature: 'AbCd' },
    ];
    cached.answers(json({ candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }));
    const include = ['reasoning.encrypted_content'];
    const asked = { input: [question], include, reasoning: { summary: 'auto' } };
    const { json: whole } = await cached.whole('responses', GEMINI, asked);
    const said = asObjects(whole['output']);
    expect(said[0]).toMatchObject({
      type: 'reasoning',
      encrypted_content: expect.stringContaining('google#m.'),
    });
    const sent = await cached.sentFor('responses', second, { input: [question, ...said, question] });
    expect(listAt(sent, 'input').map(({ type }) => type)).toEqual(['message', 'message', 'message']);
  },
);
