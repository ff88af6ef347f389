/**
 * The chats of Google's SDKs with models of other vendors, over three turns with thinking and tools: what the model
 * thought comes back to its vendor whole, however the chat keeps the chunks of a stream.
 */

import { type Content, GoogleGenAI, type Part, Type } from '@google/genai';
import { describe, expect, test } from 'vitest';
import { asObject, asObjects, type Json, type JsonObject } from '../../src/lib/json.ts';
import {
  at,
  type Both,
  CLAUDE_ADAPTIVE,
  chatStream,
  chunk,
  claudeBoth,
  completion,
  DEEPSEEK,
  json,
  listAt,
  namedStream,
  useDoor,
} from '../checklist/support.ts';
import { KEY } from '../support/gateway.ts';
import { plain } from './support.ts';

const door = useDoor({ generateContent: { models: 'all' } });

/** What a model thinks, says and calls in one turn. */
interface Turn {
  readonly thought: string;
  readonly said?: string;
  /** The id of a call of `get_weather`. */
  readonly call?: string;
}

const TURNS: readonly Turn[] = [
  { thought: 'Zoë asks for Rom. 🤔', said: 'I look it up.', call: 'one' },
  { thought: 'And for Oslo.', call: 'two' },
  { thought: 'Now I know.', said: 'Sunny in both.' },
];

interface Vendor {
  readonly name: string;
  readonly model: string;
  /** A turn as the vendor answers it. */
  answer(turn: Turn): Both;
  /** The turns of the model in a request to the vendor, as `sent` of each turn. */
  received(body: JsonObject): readonly Json[];
  /** A turn as it must come back to the vendor. */
  sent(turn: Turn): readonly Json[];
}

const signature = ({ thought }: Turn): string => Buffer.from(`signed ${thought}`).toString('base64');
const CITY = { city: 'Rom' };

const blocks = (turn: Turn): readonly JsonObject[] => [
  { type: 'thinking', thinking: turn.thought, signature: signature(turn) },
  { type: 'redacted_thinking', data: signature(turn).toUpperCase() },
  ...(turn.said ? [{ type: 'text', text: turn.said }] : []),
  ...(turn.call ? [{ type: 'tool_use', id: turn.call, name: 'get_weather', input: CITY }] : []),
];

const claude: Vendor = {
  name: 'Claude',
  model: CLAUDE_ADAPTIVE,
  answer: (turn) => claudeBoth(blocks(turn), turn.call ? 'tool_use' : 'end_turn'),
  received: (body) =>
    listAt(body, 'messages').flatMap(({ role, content }) => (role === 'assistant' ? [content ?? null] : [])),
  sent: (turn) => [blocks(turn)],
};

const items = (turn: Turn): readonly JsonObject[] => [
  {
    type: 'reasoning',
    summary: [{ type: 'summary_text', text: turn.thought }],
    encrypted_content: signature(turn),
  },
  ...(turn.said
    ? [
        {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: turn.said, annotations: [] }],
        },
      ]
    : []),
  ...(turn.call
    ? [
        {
          type: 'function_call',
          call_id: turn.call,
          name: 'get_weather',
          arguments: JSON.stringify(CITY),
        },
      ]
    : []),
];

const gpt: Vendor = {
  name: 'GPT',
  model: 'openai/gpt-5.4',
  answer(turn) {
    const usage = { input_tokens: 7, output_tokens: 5, total_tokens: 12 };
    const output = items(turn).map((item, index) => ({
      ...item,
      id: `item_${turn.thought.length}_${index}`,
    }));
    const response = { id: 'resp_1', object: 'response', created_at: 1, model: 'gpt', status: 'in_progress' };
    const ended = { ...response, status: 'completed', output, usage };
    return {
      whole: json(ended),
      stream: namedStream(
        { type: 'response.created', response: { ...response, output: [] } },
        ...output.flatMap((item, output_index) => [
          { type: 'response.output_item.added', output_index, item: { ...item, ...EMPTY } },
          { type: 'response.output_item.done', output_index, item },
        ]),
        { type: 'response.completed', response: ended },
      ),
    };
  },
  received: (body) =>
    listAt(body, 'input').flatMap((item): Json[] => {
      if (item['type'] === 'reasoning') {
        const { type, summary, encrypted_content } = item;
        return [{ type: type ?? '', summary: summary ?? [], encrypted_content: encrypted_content ?? '' }];
      }
      if (item['type'] === 'function_call') return [item['call_id'] ?? null];
      return item['role'] === 'assistant' ? ['said'] : [];
    }),
  sent: (turn) => [
    ...items(turn).slice(0, 1),
    ...(turn.said ? ['said'] : []),
    ...(turn.call ? [turn.call] : []),
  ],
};

/** An item of which nothing is known yet. */
const EMPTY = { summary: [], content: [], arguments: '' } as const;

const deepseek: Vendor = {
  name: 'DeepSeek',
  model: DEEPSEEK,
  answer(turn) {
    const call = {
      id: turn.call ?? '',
      type: 'function',
      function: { name: 'get_weather', arguments: JSON.stringify(CITY) },
    };
    const finish = turn.call ? 'tool_calls' : 'stop';
    const half = Math.ceil(turn.thought.length / 2);
    return {
      whole: json(
        completion(
          {
            content: turn.said ?? '',
            reasoning_content: turn.thought,
            ...(turn.call && { tool_calls: [call] }),
          },
          finish,
        ),
      ),
      stream: chatStream(
        chunk({ role: 'assistant', content: null, reasoning_content: turn.thought.slice(0, half) }),
        chunk({ reasoning_content: turn.thought.slice(half) }),
        ...(turn.said
          ? [chunk({ content: turn.said.slice(0, 3) }), chunk({ content: turn.said.slice(3) })]
          : []),
        ...(turn.call ? [chunk({ tool_calls: [{ index: 0, ...call }] })] : []),
        chunk({}, finish),
      ),
    };
  },
  received: (body) =>
    listAt(body, 'messages').flatMap(({ role, reasoning_content, tool_calls }): Json[] =>
      role === 'assistant' && tool_calls !== undefined
        ? [[reasoning_content ?? null, at({ tool_calls }, 'tool_calls.0.id') ?? null]]
        : [],
    ),
  // Only what it thought before calls goes back: DeepSeek wants no more.
  sent: ({ thought, call }) => (call ? [[thought, call]] : []),
};

/** How a chat keeps an answer, which came in these contents, one for each chunk. */
interface Keeping {
  readonly name: string;
  keep(contents: readonly Content[]): readonly Content[];
}

const withoutEmpty = ({ text, ...part }: Part): Part => (text ? { ...part, text } : part);
const withoutThoughtsSignature = ({ thoughtSignature, ...part }: Part): Part =>
  part.thought || thoughtSignature === undefined ? part : { ...part, thoughtSignature };
const hasData = ({ text, functionCall }: Part): boolean => Boolean(text) || functionCall !== undefined;

const KEEPINGS: readonly Keeping[] = [
  { name: 'in one content', keep: (contents) => [{ role: 'model', parts: contents.flatMap(partsOf) }] },
  {
    // `_curated_history` of Python's chats; its signatures are bytes, written in the other alphabet.
    name: "as Python's chat",
    keep: (contents) =>
      contents.map((content) => ({
        ...content,
        parts: partsOf(content).map((part) => ({
          ...part,
          ...(part.thoughtSignature && {
            thoughtSignature: Buffer.from(part.thoughtSignature, 'base64').toString('base64url'),
          }),
        })),
      })),
  },
  {
    // `recordHistory` of Go's chats leaves out contents without text or data.
    name: "as Go's chat",
    keep: (contents) => contents.filter((content) => partsOf(content).some(hasData)),
  },
  {
    // An empty text is left out of Go's JSON.
    name: 'as a loop in Go',
    keep: (contents) =>
      contents.map((content) => ({ ...content, parts: partsOf(content).map(withoutEmpty) })),
  },
  {
    name: 'as LangChain4j, which keeps no signature of a thought',
    keep: (contents) =>
      contents.map((content) => ({ ...content, parts: partsOf(content).map(withoutThoughtsSignature) })),
  },
  {
    name: 'with texts of a kind joined',
    keep: (contents) => [{ role: 'model', parts: joined(contents.flatMap(partsOf)) }],
  },
];

function partsOf({ parts = [] }: Content): Part[] {
  return parts;
}

/** Parts as a client has them that joins adjacent texts, each with the last signature of its pieces. */
function joined(parts: readonly Part[]): Part[] {
  const all: Part[] = [];
  for (const part of parts) {
    const last = all.at(-1);
    if (last?.text !== undefined && part.text !== undefined && last.thought === part.thought)
      all[all.length - 1] = { ...last, ...part, text: last.text + part.text };
    else all.push(part);
  }
  return all;
}

const tools = [
  {
    functionDeclarations: [
      {
        name: 'get_weather',
        parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } } },
      },
    ],
  },
];

const genai = (): GoogleGenAI =>
  new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: door.url(), apiVersion: 'v1beta' } });

/** Sends the first prompt, the results of all calls, and a last prompt. @param send sends a message of a chat */
async function walk(vendor: Vendor, mode: 'whole' | 'stream', send: (message: Part) => Promise<void>) {
  let message: Part = { text: 'Weather in Rom and Oslo?' };
  for (const turn of TURNS) {
    door.answers(vendor.answer(turn)[mode]);
    await send(message);
    message = turn.call
      ? { functionResponse: { id: turn.call, name: 'get_weather', response: { output: 'sunny' } } }
      : { text: 'Thanks. And tomorrow?' };
    expect(vendor.received(door.sent())).toEqual(
      TURNS.slice(0, TURNS.indexOf(turn)).flatMap((before) => vendor.sent(before)),
    );
  }
  door.answers(vendor.answer({ thought: 'No idea.', said: 'Who knows.' })[mode]);
  await send(message);
  expect(vendor.received(door.sent())).toEqual(TURNS.flatMap((turn) => vendor.sent(turn)));
}

const shown = [true, false].flatMap((includeThoughts) =>
  (['whole', 'stream'] as const).map((mode) => ({
    mode,
    includeThoughts,
    way: `${mode}, thoughts ${includeThoughts ? 'shown' : 'hidden'}`,
  })),
);

describe.each([claude, gpt, deepseek])('$name', (vendor) => {
  test.each(shown)("JavaScript's chat: $way", async ({ mode, includeThoughts }) => {
    const config = { tools, thinkingConfig: { includeThoughts, thinkingBudget: 2048 } };
    const chat = genai().chats.create({ model: vendor.model, config });
    await walk(vendor, mode, async (message) => {
      if (mode === 'whole') await chat.sendMessage({ message });
      else for await (const _ of await chat.sendMessageStream({ message }));
    });
    expect(chat.getHistory(true)).toEqual(chat.getHistory());
  });

  test.each(shown.flatMap((way) => KEEPINGS.map((keeping) => ({ ...way, ...keeping }))))(
    'kept $name: $way',
    async ({ mode, includeThoughts, keep }) => {
      const generationConfig = { thinkingConfig: { includeThoughts, thinkingBudget: 2048 } };
      const history: Content[] = [];
      await walk(vendor, mode, async (message) => {
        history.push({ role: 'user', parts: [message] });
        const answered = await ask(vendor.model, mode, plain({ contents: history, tools, generationConfig }));
        history.push(...keep(answered));
      });
    },
  );
});

/** The contents of an answer, one for each chunk. */
async function ask(model: string, mode: 'whole' | 'stream', body: JsonObject): Promise<readonly Content[]> {
  const method = mode === 'whole' ? 'generateContent' : 'streamGenerateContent?alt=sse';
  const response = await fetch(`${door.url()}/v1beta/models/${model}:${method}`, {
    method: 'POST',
    body: JSON.stringify(body),
    headers: { 'content-type': 'application/json', 'x-goog-api-key': KEY },
  });
  const text = await response.text();
  expect(response.status, text).toBe(200);
  const chunks: JsonObject[] = (mode === 'whole' ? [text] : text.split('\n\n').filter(Boolean)).map((data) =>
    JSON.parse(data.replace(/^data: /, '')),
  );
  return chunks.map((data): Content => {
    const content: Content = JSON.parse(
      JSON.stringify(asObject(asObjects(data['candidates'])[0]?.['content'])),
    );
    return content;
  });
}
