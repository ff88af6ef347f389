/** Checklist, section 3: thinking. */

import { describe, expect, test } from 'vitest';
import { type Note, reportInto, unreported } from '../../src/formats/format.ts';
import { formats } from '../../src/formats/formats.ts';
import type { JsonObject } from '../../src/lib/json.ts';
import { KEY } from '../support/gateway.ts';
import { PERMISSIVE } from '../support/meaning.ts';
import { goOn, nextRequest, turnOf, turnOfStream } from './client.ts';
import {
  at,
  type Both,
  CALLERS,
  type Caller,
  CEREBRAS,
  CLAUDE,
  CLAUDE_ADAPTIVE,
  chatStream,
  chunk,
  cityTool,
  claudeBoth,
  claudeMessage,
  completion,
  DEEPSEEK,
  GEMINI,
  GEMINI_3,
  GLM,
  gemini,
  geminiBoth,
  json,
  KIMI,
  listAt,
  MINIMAX,
  MUSE,
  namedStream,
  QWEN,
  RESPONDER,
  useDoor,
  VLLM,
} from './support.ts';

const door = useDoor();

const foreign = (['chat-completions', 'responses'] as const).flatMap((from) =>
  (['whole', 'stream'] as const).map((mode) => ({ from, mode })),
);

const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rom' } };

describe("checklist 30 to 33: Claude's thinking is sent back to it block by block, byte for byte", () => {
  const odd = 'Ünïcødé \u{1f914}\u2028 "quoted"\\ \t tabs, and space at the end \n\n ';
  const cases: [name: string, blocks: JsonObject[]][] = [
    [
      'checklist 30: an empty one with a signature',
      [{ type: 'thinking', thinking: '', signature: 'RW1wdHk=' }, use],
    ],
    ['checklist 31: a redacted one', [{ type: 'redacted_thinking', data: 'UmVkYWN0ZWQ+/w==' }, use]],
    [
      'checklist 32: one of odd characters',
      [{ type: 'thinking', thinking: odd, signature: 'T2Rk+/==' }, use],
    ],
    [
      'checklist 33: several, each with its own',
      [
        { type: 'thinking', thinking: 'First.', signature: 'MQ==' },
        { type: 'redacted_thinking', data: 'Mg==' },
        { type: 'thinking', thinking: 'Third.', signature: 'Mw==' },
        use,
      ],
    ],
  ];
  test.each(cases.flatMap(([name, blocks]) => foreign.map((way) => ({ name, blocks, ...way }))))(
    '$name ($from, $mode)',
    async ({ blocks, from, mode }) => {
      const thinking =
        from === 'responses' ? { reasoning: { effort: 'high' } } : { reasoning_effort: 'high' };
      const sent = await goOn(
        door,
        from,
        CLAUDE_ADAPTIVE,
        claudeBoth(blocks, 'tool_use')[mode],
        mode,
        ['sunny'],
        thinking,
      );
      expect(listAt(sent, 'messages.1.content')).toEqual(blocks);
    },
  );

  test('checklist 32: on the native path no byte of a body is changed', async () => {
    const body = `{"model":"claude-sonnet-4-5","max_tokens":9000, "thinking":{"type":"enabled","budget_tokens":2000},"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"RQ=="} ,{"type":"redacted_thinking","data":"\\u0052"},{"type":"text","text":"${'Ü \\n'}"}]},{"role":"user","content":"On."}]}`;
    door.answers(json(claudeMessage([{ type: 'text', text: 'Ok.' }], 'end_turn')));
    await fetch(`${door.url()}/v1/messages`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-api-key': KEY },
    });
    expect(door.upstream().received[0]?.body.toString()).toBe(body);
  });
});

describe('checklist 270: a client that keeps only OpenRouter’s reasoning_details, as pi does, sends thoughts back with them', () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: {} };
  const kept = (turn: readonly JsonObject[]): JsonObject[] =>
    turn.map(({ role, content = null, tool_calls: calls, reasoning_details: details }) => ({
      role,
      content,
      tool_calls: listAt({ calls }, 'calls').map(({ id, type, function: fn }) => ({
        id,
        type,
        function: fn,
      })),
      reasoning_details: details,
    }));
  const sentOn = async (model: string, said: Both, mode: 'whole' | 'stream'): Promise<JsonObject> => {
    const thinking = { reasoning_effort: 'high', tools: [cityTool('chat-completions')] };
    door.answers(said[mode]);
    const turn =
      mode === 'whole'
        ? turnOf('chat-completions', (await door.whole('chat-completions', model, thinking)).json)
        : turnOfStream('chat-completions', (await door.stream('chat-completions', model, thinking)).data);
    await door.whole('chat-completions', model, {
      ...thinking,
      ...nextRequest('chat-completions', kept(turn), ['sunny']),
    });
    return door.sent();
  };

  test.each(['whole', 'stream'] as const)('checklist 270: with Claude, %s', async (mode) => {
    const blocks = [
      { type: 'thinking', thinking: 'Let me look.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'Mg==' },
      { type: 'thinking', thinking: '', signature: 'Mw==' },
      use,
    ];
    const sent = await sentOn(CLAUDE_ADAPTIVE, claudeBoth(blocks, 'tool_use'), mode);
    expect(listAt(sent, 'messages.1.content')).toEqual(blocks);
  });

  test.each(['whole', 'stream'] as const)('checklist 270: with Gemini, %s', async (mode) => {
    const call = (city: string, signature?: string): JsonObject => ({
      functionCall: { name: 'get_weather', args: { city } },
      ...(signature && { thoughtSignature: signature }),
    });
    const said = geminiBoth([{ text: 'Hm.', thought: true }, call('Rome', 'QUFB'), call('Oslo')]);
    const sent = await sentOn(GEMINI_3, said, mode);
    const parts = listAt(sent, 'contents.1.parts');
    expect(parts.map(({ thoughtSignature: signature }) => signature)).toEqual(['QUFB', undefined]);
  });

  test('checklist 270: unsigned thoughts are sent once', async () => {
    door.answers(geminiBoth([{ text: 'Hm.', thought: true }, { text: 'Yes.' }]).whole);
    const { json: told } = await door.whole('chat-completions', GEMINI_3);
    expect(at(told, 'choices.0.message')).toMatchObject({ content: 'Yes.', reasoning_content: 'Hm.' });
    expect(at(told, 'choices.0.message.reasoning_details')).toBeUndefined();
  });
});

describe('checklist 34: thinking is not requested if the history would make it a 400', () => {
  const unthought = {
    role: 'assistant',
    content: null,
    tool_calls: [
      { id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rom"}' } },
    ],
  };
  test('checklist 34: a call without its thinking, to a model that thinks by a budget', async () => {
    door.answers(json(claudeMessage([{ type: 'text', text: 'Ok.' }], 'end_turn')));
    const more = { tools: [cityTool('chat-completions')], reasoning_effort: 'high', max_tokens: 9000 };
    const request = { ...more, ...nextRequest('chat-completions', [unthought], ['sunny']) };
    await door.whole('chat-completions', CLAUDE, request);
    expect(door.sent()['thinking']).toBeUndefined();
    // Once that round is over, the model may think again.
    const later = [
      ...listAt(request, 'messages'),
      { role: 'assistant', content: 'Sun.' },
      { role: 'user', content: 'And now?' },
    ];
    await door.whole('chat-completions', CLAUDE, { ...request, messages: later });
    expect(at(door.sent(), 'thinking.type')).toBe('enabled');
  });

  test("checklist 34: another vendor's thinking is not sent in its place", async () => {
    door.answers(json(claudeMessage([{ type: 'text', text: 'Ok.' }], 'end_turn')));
    await door.whole('chat-completions', CLAUDE, {
      reasoning_effort: 'high',
      max_tokens: 9000,
      ...nextRequest('chat-completions', [{ ...unthought, reasoning_content: 'Hm.' }], ['sunny']),
    });
    expect(door.sent()['thinking']).toBeUndefined();
    expect(listAt(door.sent(), 'messages.1.content').map(({ type }) => type)).toEqual(['tool_use']);
  });
});

describe('checklist 178: Claude is sent no thoughts where it rejects them', () => {
  const thought = (text: string): JsonObject => ({ type: 'thinking', thinking: text, signature: 'U2ln' });
  const said = (content: string | null, ...thoughts: JsonObject[]): JsonObject => ({
    role: 'assistant',
    content,
    thinking_blocks: thoughts,
  });
  const calls = [{ id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '{}' } }];
  const result = { role: 'tool', tool_call_id: 'call_1', content: 'Sunny.' };
  const user = { role: 'user', content: 'Go on.' };
  const tools = [cityTool('chat-completions')];
  const kindsIn = async (model: string, more: JsonObject): Promise<unknown[]> => {
    const sent = await door.sentFor('chat-completions', model, more);
    return listAt(sent, 'messages').map(({ content }) =>
      listAt({ content }, 'content').map(({ type }) => type),
    );
  };

  test.each([CLAUDE, CLAUDE_ADAPTIVE])(
    'checklist 178: an answer that was cut off within its thoughts (%s)',
    async (model) => {
      const messages = [user, said(null, thought('Hm')), user, said('Well.', thought('So')), user];
      expect(await kindsIn(model, { messages, reasoning_effort: 'low' })).toEqual([
        ['text', 'text'],
        ['thinking', 'text'],
        ['text'],
      ]);
      const items = [
        { role: 'user', content: 'Hi.' },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Well.' }] },
        { type: 'reasoning', summary: [], encrypted_content: 'anthropic#U2ln' },
        { role: 'user', content: 'Go on.' },
      ];
      const sent = await door.sentFor('responses', model, { input: items, reasoning: { effort: 'low' } });
      expect(at(sent, 'messages.1.content')).toEqual([{ type: 'text', text: 'Well.' }]);
    },
  );

  const round = [
    user,
    said('Well.', thought('Old')),
    user,
    { ...said('See.', thought('Hm')), tool_calls: calls },
    result,
  ];
  const kept = [['text'], ['thinking', 'text'], ['text'], ['thinking', 'text', 'tool_use'], ['tool_result']];
  const left = kept.map((kinds, at) => (at === 3 ? ['text', 'tool_use'] : kinds));

  test.each<[string, string, JsonObject, unknown[]]>([
    ['is asked to think', CLAUDE, { reasoning_effort: 'low' }, kept],
    ['is not asked to', CLAUDE, {}, left],
    ['is asked not to think', CLAUDE, { reasoning_effort: 'none' }, left],
    ['is asked not to think, and thinks by efforts', CLAUDE_ADAPTIVE, { reasoning_effort: 'none' }, left],
    ['may think unasked', CLAUDE_ADAPTIVE, {}, kept],
    ['must call, and so cannot think', CLAUDE, { reasoning_effort: 'low', tool_choice: 'required' }, left],
  ])('checklist 178: a round that is open, of a model that %s (%s)', async (_, model, more, kinds) => {
    expect(await kindsIn(model, { messages: round, tools, ...more })).toEqual(kinds);
  });

  test('checklist 178: a prefilled answer', async () => {
    const messages = [user, said('Well,', thought('Hm'))];
    expect(await kindsIn(CLAUDE, { messages, reasoning_effort: 'low' })).toEqual([['text'], ['text']]);
  });
});

describe('checklist 35: services that want their reasoning back get it in every request', () => {
  const answers = {
    whole: json(
      completion(
        {
          content: null,
          reasoning_content: 'Rome, then.',
          tool_calls: [
            {
              id: 'call_1',
              type: 'function',
              function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
            },
          ],
        },
        'tool_calls',
      ),
    ),
    stream: chatStream(
      chunk({ role: 'assistant', content: null, reasoning_content: 'Rome, ' }),
      chunk({ content: null, reasoning_content: 'then.' }),
      chunk({
        tool_calls: [
          {
            index: 0,
            id: 'call_1',
            type: 'function',
            function: { name: 'get_weather', arguments: '{"city":"Rom"}' },
          },
        ],
      }),
      chunk({}, 'tool_calls'),
    ),
  };
  // Chat-completions and responses reach DeepSeek natively: byte for byte.
  const ways = [DEEPSEEK, QWEN].flatMap((model) =>
    (['whole', 'stream'] as const).map((mode) => ({ model, mode })),
  );
  test.each(ways)('checklist 35: from messages to $model, $mode', async ({ model, mode }) => {
    const sent = await goOn(door, 'messages', model, answers[mode], mode, ['sunny']);
    expect(at(sent, 'messages.1.reasoning_content')).toBe('Rome, then.');
    expect(at(sent, 'messages.1.tool_calls.0.id')).toBe('call_1');
  });

  test('checklist 35: DeepSeek, which rejects calls without it, gets a blank if there was none', async () => {
    const turn = { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: {} }] };
    door.answers(answers.whole);
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    await door.whole('messages', DEEPSEEK, { thinking, ...nextRequest('messages', [turn], ['sunny']) });
    expect(at(door.sent(), 'messages.1.reasoning_content')).toBe(' ');
  });
});

describe('checklist 193: thoughts are sent back in the field that each service has for them', () => {
  const said = (content: JsonObject[]): JsonObject => ({
    messages: [
      { role: 'user', content: 'Hello?' },
      { role: 'assistant', content },
      { role: 'user', content: 'And?' },
    ],
  });
  const thought = { type: 'thinking', thinking: 'Hm.', signature: '' };

  test('checklist 193: Cerebras, which rejects the usual one', async () => {
    const sent = await door.sentFor('messages', CEREBRAS, said([thought, { type: 'text', text: 'Yes.' }]));
    expect(at(sent, 'messages.1')).toEqual({ role: 'assistant', content: 'Yes.', reasoning: 'Hm.' });
  });

  test('checklist 239: vLLM, which reads only the newer name', async () => {
    const sent = await door.sentFor('messages', VLLM, said([thought, { type: 'text', text: 'Yes.' }]));
    expect(at(sent, 'messages.1')).toEqual({ role: 'assistant', content: 'Yes.', reasoning: 'Hm.' });
  });

  test('checklist 247: Z.ai, which is asked to read them if there are any and thinking is on', async () => {
    const dialogue = said([thought, { type: 'text', text: 'Yes.' }]);
    const keeping = { type: 'enabled', clear_thinking: false };
    const sent = await door.sentFor('messages', GLM, dialogue);
    expect(at(sent, 'messages.1')).toEqual({ role: 'assistant', content: 'Yes.', reasoning_content: 'Hm.' });
    expect(sent['thinking']).toEqual(keeping);
    const more = { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } };
    expect(await door.sentFor('messages', GLM, { ...dialogue, ...more })).toMatchObject({
      thinking: keeping,
      reasoning_effort: 'max',
    });
    const off = { ...dialogue, thinking: { type: 'disabled' } };
    expect((await door.sentFor('messages', GLM, off))['thinking']).toEqual({ type: 'disabled' });
    const unthought = said([{ type: 'text', text: 'Yes.' }]);
    expect(await door.sentFor('messages', GLM, unthought)).not.toHaveProperty('thinking');
  });

  test('checklist 193: MiniMax, which is asked to separate thoughts from the text', async () => {
    const sent = await door.sentFor('messages', MINIMAX, said([thought, { type: 'text', text: 'Yes.' }]));
    expect(sent['reasoning_split']).toBe(true);
    expect(at(sent, 'messages.1')).toMatchObject({ content: 'Yes.', reasoning_details: [{ text: 'Hm.' }] });
    expect(at(sent, 'messages.1')).not.toHaveProperty('reasoning_content');
  });

  test('checklist 256: MiniMax gets its own field for whether to think', async () => {
    const asks = async (model: string, more: JsonObject) => {
      const { thinking, reasoning_effort } = await door.sentFor('messages', model, more);
      return { thinking, reasoning_effort };
    };
    const off = { thinking: { type: 'disabled' } };
    const on = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };
    expect(await asks(MINIMAX, off)).toEqual({ thinking: { type: 'disabled' } });
    expect(await asks(MINIMAX, on)).toEqual({ thinking: { type: 'adaptive' } });
    expect(await asks('minimax/minimax-m3.1-flash', on)).toEqual({ reasoning_effort: 'high' });
    expect(await asks('minimax/minimax-m3.1-flash', off)).not.toHaveProperty('thinking.type', 'disabled');
  });

  test.each([KIMI, DEEPSEEK, QWEN, MINIMAX])(
    'checklist 193: an answer that ended within its thoughts is not sent back: %s would, or might, reject it',
    async (model) => {
      const { messages } = await door.sentFor('messages', model, said([thought]));
      expect(messages).toEqual([{ role: 'user', content: 'Hello?\nAnd?' }]);
    },
  );
});

describe('checklist 242: thoughts of Grok are shown and sent back only through responses', () => {
  const GROK = 'x-ai/grok-4.7';
  const tools = [cityTool('messages')];
  const answer = {
    id: 'r1',
    object: 'response',
    created_at: 1_700_000_000,
    model: 'grok-4.7',
    status: 'completed',
    output: [
      { id: 'rs_1', type: 'reasoning', status: 'completed', summary: [], encrypted_content: 'b3du' },
      {
        id: 'fc_1',
        type: 'function_call',
        call_id: 'c1',
        name: 'city',
        arguments: '{}',
        status: 'completed',
      },
    ],
    usage: { input_tokens: 7, output_tokens: 5, total_tokens: 12 },
  };

  test('checklist 242: from messages, as its own documentation asks for them', async () => {
    const asked = { tools, thinking: { type: 'enabled', budget_tokens: 2000 }, service_tier: 'auto' };
    door.answers(json(answer));
    const { json: whole } = await door.whole('messages', GROK, asked);
    expect(door.upstream().received.at(-1)?.url).toBe('/v1/responses');
    expect(door.sent()).toMatchObject({
      store: false,
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'low' },
    });
    expect(door.sent()).not.toHaveProperty('service_tier');
    const messages = [
      { role: 'user', content: 'Rome?' },
      { role: 'assistant', content: whole['content'] ?? [] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'sunny' }] },
    ];
    const sent = await door.sentFor('messages', GROK, { tools, messages });
    expect(listAt(sent, 'input').slice(1)).toEqual([
      { type: 'reasoning', summary: [], encrypted_content: 'b3du' },
      expect.objectContaining({ type: 'function_call', call_id: 'c1', name: 'city' }),
      { type: 'function_call_output', call_id: 'c1', output: 'sunny' },
    ]);
  });

  test('checklist 242: a search names its domains as xAI does, and no location', async () => {
    const search = { type: 'web_search_20250305', name: 'web_search', blocked_domains: ['a.example'] };
    const place = { user_location: { type: 'approximate', city: 'Rome' } };
    const sent = await door.sentFor('messages', GROK, { tools: [{ ...search, ...place }] });
    expect(sent['tools']).toEqual([{ type: 'web_search', filters: { excluded_domains: ['a.example'] } }]);
  });

  test.each([MUSE, GROK])(
    'checklist 252: through its own format, if %s supports every field of the request',
    async (model) => {
      const asked = {
        tools: [cityTool('responses')],
        tool_choice: 'auto',
        include: ['reasoning.encrypted_content'],
      };
      const sent = await door.sentFor('responses', model, asked);
      expect(door.upstream().received.at(-1)?.url).toBe('/v1/responses');
      expect(sent).toMatchObject(asked);
    },
  );

  test('checklist 252: thoughts of Muse are sent back through responses, which has them encrypted', async () => {
    door.answers(json({ ...answer, model: 'muse-spark-1.3' }));
    const { json: whole } = await door.whole('messages', MUSE, { tools });
    expect(door.upstream().received.at(-1)?.url).toBe('/v1/responses');
    expect(door.sent()).toMatchObject({ store: false, include: ['reasoning.encrypted_content'] });
    const messages = [
      { role: 'user', content: 'Rome?' },
      { role: 'assistant', content: whole['content'] ?? [] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'sunny' }] },
    ];
    const sent = await door.sentFor('messages', MUSE, { tools, messages });
    expect(at(sent, 'input.1')).toEqual({ type: 'reasoning', summary: [], encrypted_content: 'b3du' });
  });

  test('checklist 252: requests that Meta rejects on responses use chat-completions, as before', async () => {
    const asked = { tools: [cityTool('responses')], tool_choice: 'required' };
    expect(await door.sentFor('responses', MUSE, asked)).toMatchObject({ tool_choice: 'auto' });
    expect(door.upstream().received.at(-1)?.url).toBe('/v1/chat/completions');
  });

  test('checklist 242: for callers of chat-completions too', async () => {
    await door.sentFor('chat-completions', GROK, {});
    expect(door.upstream().received.at(-1)?.url).toBe('/v1/chat/completions');
  });
});

describe('checklist 36: reasoning is shown to every caller', () => {
  const blocks = [
    { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' },
    { type: 'text', text: 'Yes.' },
  ];
  test('checklist 36: to a chat client as reasoning_content and as blocks, streamed and whole', async () => {
    const answers = claudeBoth(blocks, 'end_turn');
    door.answers(answers.whole);
    const [whole] = turnOf('chat-completions', (await door.whole('chat-completions', CLAUDE)).json);
    door.answers(answers.stream);
    const [streamed] = turnOfStream('chat-completions', (await door.stream('chat-completions', CLAUDE)).data);
    for (const message of [whole, streamed]) {
      expect(message).toMatchObject({
        content: 'Yes.',
        reasoning_content: 'Let me think.',
        thinking_blocks: [{ type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' }],
      });
    }
  });

  test.each(['whole', 'stream'] as const)(
    'checklist 36: to a responses client as a reasoning item, %s',
    async (mode) => {
      door.answers(claudeBoth(blocks, 'end_turn')[mode]);
      const items =
        mode === 'whole'
          ? turnOf('responses', (await door.whole('responses', CLAUDE)).json)
          : turnOfStream('responses', (await door.stream('responses', CLAUDE)).data);
      expect(items.map(({ type }) => type)).toEqual(['reasoning', 'message']);
      expect(at(items[0], 'summary.0.text')).toBe('Let me think.');
    },
  );

  test('checklist 36: to a messages client as a thinking block, from chat and from Gemini', async () => {
    door.answers(json(completion({ content: 'Yes.', reasoning_content: 'Let me think.' }, 'stop')));
    const fromChat = await door.whole('messages', QWEN);
    door.answers(json(gemini([{ text: 'Let me think.', thought: true }, { text: 'Yes.' }], 'STOP')));
    const fromGemini = await door.whole('messages', GEMINI);
    for (const { json: body } of [fromChat, fromGemini]) {
      expect(listAt(body, 'content')).toMatchObject([
        { type: 'thinking', thinking: 'Let me think.' },
        { type: 'text', text: 'Yes.' },
      ]);
    }
  });
});

// diegosouzapw/OmniRoute#9500, zendev-sh/goai#125, NousResearch/hermes-agent#81911.
test('checklist 290: consecutive thoughts are separated for a chat client', async () => {
  const blocks = [
    { type: 'thinking', thinking: '**One**', signature: 'MQ==' },
    { type: 'thinking', thinking: '**Two**\n', signature: 'Mg==' },
    { type: 'thinking', thinking: '', signature: 'Mw==' },
    { type: 'text', text: 'Yes.' },
    { type: 'thinking', thinking: '**Three**', signature: 'NA==' },
    { type: 'text', text: 'Sure.' },
  ];
  const answers = claudeBoth(blocks, 'end_turn');
  door.answers(answers.whole);
  const [whole] = turnOf('chat-completions', (await door.whole('chat-completions', CLAUDE)).json);
  door.answers(answers.stream);
  const { data } = await door.stream('chat-completions', CLAUDE);
  const [streamed] = turnOfStream('chat-completions', data);
  for (const message of [whole, streamed]) {
    expect(message).toMatchObject({
      content: 'Yes.\n\nSure.',
      reasoning_content: '**One**\n\n**Two**\n**Three**',
    });
    // They are unchanged in the blocks, and are sent back from there.
    const sent = await door.sentFor('chat-completions', CLAUDE, {
      reasoning_effort: 'high',
      messages: [{ role: 'user', content: 'Hi' }, message ?? {}, { role: 'user', content: 'Sure?' }],
    });
    const thinking = listAt(sent, 'messages.1.content').filter(({ type }) => type === 'thinking');
    expect(thinking).toEqual(blocks.filter(({ type }) => type === 'thinking'));
  }
});

// vellum-ai/vellum-assistant#10805, pydantic/pydantic-ai#2933.
test('checklist 291: texts are separated for a chat client if a tool was used between them, and no others', async () => {
  const source = {
    type: 'web_search_result_location',
    url: 'https://a.example/',
    title: 'A',
    encrypted_index: '',
  };
  const blocks = [
    { type: 'text', text: 'I look it up for you.' },
    { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'a' } },
    { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
    { type: 'text', text: 'Now I know: ' },
    { type: 'text', text: 'A', citations: [{ ...source, cited_text: 'A' }] },
    { type: 'text', text: '.' },
  ];
  const answers = claudeBoth(blocks, 'end_turn');
  door.answers(answers.whole);
  const [whole] = turnOf('chat-completions', (await door.whole('chat-completions', CLAUDE)).json);
  door.answers(answers.stream);
  const { data } = await door.stream('chat-completions', CLAUDE);
  const [streamed] = turnOfStream('chat-completions', data);
  for (const message of [whole, streamed]) {
    const content = 'I look it up for you.\n\nNow I know: A.';
    const place = { start_index: content.length - 2, end_index: content.length - 1 };
    expect(message).toMatchObject({ content, annotations: [{ url_citation: place }] });
  }
});

test('texts are separated for a chat client if they are messages of their own', async () => {
  const citation = {
    type: 'url_citation',
    url: 'https://a.example/',
    title: 'A',
    start_index: 0,
    end_index: 3,
  };
  const message = (id: string, ...texts: readonly string[]): JsonObject => ({
    id,
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: texts.map((text) => ({
      type: 'output_text',
      text,
      annotations: text === 'Two' ? [citation] : [],
      logprobs: [],
    })),
  });
  const output = [message('msg_1', 'One'), message('msg_2', 'Two', ', three'), message('msg_3', '\nFour')];
  const usage = { input_tokens: 1, output_tokens: 4, total_tokens: 5 };
  const response = { id: 'resp_1', object: 'response', status: 'completed', model: 'm', output, usage };
  door.answers(json(response));
  const [whole] = turnOf('chat-completions', (await door.whole('chat-completions', RESPONDER)).json);
  const items = output.flatMap((item, output_index) => [
    { type: 'response.output_item.added', output_index, item: { ...item, content: [] } },
    { type: 'response.output_item.done', output_index, item },
  ]);
  door.answers(
    namedStream(
      { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
      ...items,
      { type: 'response.completed', response },
    ),
  );
  const { data } = await door.stream('chat-completions', RESPONDER);
  const [streamed] = turnOfStream('chat-completions', data);
  for (const turn of [whole, streamed]) {
    expect(turn).toMatchObject({ content: 'One\n\nTwo, three\nFour' });
    const { type, ...place } = citation;
    expect(turn?.['annotations']).toEqual([
      { type, url_citation: { ...place, start_index: 5, end_index: 8 } },
    ]);
  }
});

test('checklist 37: thoughts that cannot be sent back to a vendor are reported', () => {
  const thought = { type: 'thinking', thinking: 'Hm.', signature: '' };
  const body = {
    max_tokens: 100,
    messages: [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [thought, { type: 'text', text: 'Yes.' }] },
      { role: 'user', content: 'Sure?' },
    ],
  };
  const prompt = formats.messages.inbound.parseRequest({ model: 'm', ...body }, unreported);
  const foreignPrompt = { ...prompt, formatSpecific: { format: 'chat-completions', fields: {} } } as const;
  for (const name of ['messages', 'generate-content'] as const) {
    const notes: Note[] = [];
    const sent = formats[name].outbound.renderRequest(foreignPrompt, PERMISSIVE, reportInto(notes));
    const isSent = JSON.stringify(sent).includes('Hm.');
    const isTold = notes.some(
      ({ outcome, detail }) => outcome === 'dropped' && /think|signature/.test(detail),
    );
    expect([isSent, isTold]).not.toEqual([false, false]);
  }
});

describe('checklist 38: thoughts never become visible text', () => {
  const twice = (text: string): JsonObject => ({
    reasoning_content: text,
    reasoning_details: [
      { type: 'reasoning.text', id: 'reasoning-text-1', format: 'MiniMax-response-v1', index: 0, text },
    ],
  });
  const answers: [name: string, model: string, callers: readonly Caller[], said: Both][] = [
    [
      'Gemini',
      GEMINI,
      CALLERS,
      geminiBoth([{ text: 'SECRET ', thought: true }, { text: 'thought', thought: true }, { text: 'Yes.' }]),
    ],
    [
      'Claude',
      CLAUDE,
      ['chat-completions', 'responses'],
      claudeBoth(
        [
          { type: 'thinking', thinking: 'SECRET', signature: 'c2ln' },
          { type: 'text', text: 'Yes.' },
        ],
        'end_turn',
      ),
    ],
    [
      'a service with reasoning_content',
      QWEN,
      ['responses', 'messages'],
      {
        whole: json(completion({ content: 'Yes.', reasoning_content: 'SECRET' }, 'stop')),
        stream: chatStream(
          chunk({ reasoning_content: 'SECRET' }),
          chunk({ content: 'Yes.' }),
          chunk({}, 'stop'),
        ),
      },
    ],
    [
      'a service with reasoning',
      QWEN,
      ['responses', 'messages'],
      {
        whole: json(completion({ content: 'Yes.', reasoning: 'SECRET' }, 'stop')),
        stream: chatStream(chunk({ reasoning: 'SECRET' }), chunk({ content: 'Yes.' }), chunk({}, 'stop')),
      },
    ],
    [
      'MiniMax, which tells them twice',
      MINIMAX,
      ['responses', 'messages'],
      {
        whole: json(completion({ content: 'Yes.', ...twice('SECRET') }, 'stop')),
        stream: chatStream(
          chunk({ role: 'assistant', content: '', ...twice('SEC') }),
          chunk({ content: '', ...twice('RET') }),
          chunk({ content: 'Yes.' }),
          chunk({}, 'stop'),
        ),
      },
    ],
  ];
  test.each(
    answers.flatMap(([name, model, callers, said]) => callers.map((from) => ({ name, model, from, said }))),
  )('checklist 38: $name to $from', async ({ model, from, said }) => {
    for (const mode of ['whole', 'stream'] as const) {
      door.answers(said[mode]);
      const reply = (
        mode === 'whole' ? await door.whole(from, model) : await door.stream(from, model)
      ).reply();
      const texts = (kind: string): string =>
        (reply.choices[0]?.parts ?? [])
          .map((part) => (part.kind === kind && 'text' in part ? part.text : ''))
          .join('');
      expect(texts('text')).toBe('Yes.');
      expect(texts('thinking')).toContain('SECRET');
    }
  });
});
