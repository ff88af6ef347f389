/** Checklist, section 24: what a vendor's newest fields mean to a model of another vendor. */

import { describe, expect, test } from 'vitest';
import { asObjects, type JsonObject, parseJson } from '../../src/lib/json.ts';
import {
  at,
  CLAUDE,
  chatStream,
  chunk,
  cityTool,
  claudeMessage,
  completion,
  DEEPSEEK,
  GEMINI_3,
  gemini,
  geminiStream,
  json,
  KIMI,
  listAt,
  OPENAI,
  QWEN,
  useDoor,
} from './support.ts';

const door = useDoor();
const { sentFor } = door;

const THINKER = 'openai/gpt-5.4';
const say = (role: string, content: unknown): JsonObject => JSON.parse(JSON.stringify({ role, content }));

describe('checklist 161: a dialogue that Claude has compacted continues with any model', () => {
  const compaction = {
    type: 'compaction',
    content: 'The user is called Ada.',
    encrypted_content: 'Q0lQSEVS',
  };
  const messages = [
    say('assistant', [compaction, { type: 'text', text: 'Noted.' }]),
    say('user', 'What am I called?'),
  ];

  test.each([OPENAI, THINKER, DEEPSEEK, GEMINI_3])('checklist 161: the summary reaches %s', async (model) => {
    const sent = JSON.stringify(await sentFor('messages', model, { messages }));
    expect(sent).toContain('The user is called Ada.');
    expect(sent).not.toContain('Q0lQSEVS');
  });

  test.each([OPENAI, THINKER, GEMINI_3])('checklist 161: %s is not asked to compact one', async (model) => {
    const answer = await door.whole('messages', model, { compaction: { type: 'summarize' } });
    expect(answer.status).toBe(400);
    expect(at(answer.json, 'error.message')).toContain('compaction');
    expect(door.upstream().received).toEqual([]);
  });
});

test('checklist 161: an empty thread and an empty compaction are not sent', async () => {
  const sent = await sentFor('messages', OPENAI, { thread: null, compaction: null });
  expect(sent).not.toHaveProperty('thread');
  expect(sent).not.toHaveProperty('compaction');
});

test.each([OPENAI, THINKER, DEEPSEEK, GEMINI_3])(
  'checklist 198: the safeguards that Claude Code requests are not sent to %s',
  async (model) => {
    const sent = await sentFor('messages', model, { safeguards: [{ type: 'dangerous_tool_use' }] });
    expect(sent).not.toHaveProperty('safeguards');
  },
);

describe('checklist 162: instructions and tools that change within a conversation', () => {
  const told = (clear_at: string | null, content: string): JsonObject => ({
    ...say('system', content),
    clear_at,
  });
  const named = (name: string): JsonObject => ({ name, input_schema: { type: 'object', properties: {} } });
  const change = (type: string, tool: JsonObject): JsonObject => say('system', [{ type, tool }]);

  test.each([OPENAI, THINKER, DEEPSEEK, GEMINI_3])(
    'checklist 162: cleared instructions are not sent to %s',
    async (model) => {
      const messages = [
        say('user', 'One.'),
        told('next_user_message', 'Cleared.'),
        say('assistant', 'Two.'),
        say('user', 'Three.'),
        told('next_user_message', 'Current.'),
        told('never', 'Lasting.'),
        { role: 'system', output_config: { effort: 'low' } },
      ];
      const sent = JSON.stringify(await sentFor('messages', model, { messages }));
      expect(sent).not.toMatch(/Cleared|clear_at|output_config|""|<system>\\n<.system>/);
      expect(sent).toMatch(/Current/);
      expect(sent).toMatch(/Lasting/);
    },
  );

  test('checklist 162: the tools at the end apply', async () => {
    const messages = [
      say('user', 'One.'),
      change('tool_addition', { type: 'tool_definition', definition: named('late') }),
      change('tool_removal', { type: 'tool_reference', name: 'gone' }),
      change('tool_removal', { type: 'tool_reference', name: 'back' }),
      change('tool_addition', { type: 'tool_reference', name: 'back' }),
      change('tool_removal', { type: 'mcp_toolset_reference', server_name: 'docs' }),
    ];
    const sent = await sentFor('messages', OPENAI, {
      messages,
      tools: [named('first'), named('gone'), named('back')],
    });
    const names = listAt(sent, 'tools').map((tool) => at(tool, 'function.name'));
    expect(names.toSorted()).toEqual(['back', 'first', 'late']);
  });

  describe('checklist 162: a deferred tool is offered after it was loaded for Claude', () => {
    const back = { ...named('late'), defer_loading: true };
    const use = (id: string, name: string): JsonObject =>
      say('assistant', [{ type: 'tool_use', id, name, input: {} }]);
    const found = [{ type: 'tool_reference', tool_name: 'late' }];
    const result = (content: unknown): JsonObject =>
      say('user', [{ type: 'tool_result', tool_use_id: 'toolu_1', content }]);
    const search = { type: 'tool_search_tool_bm25_20251119', name: 'tool_search_tool_bm25' };

    test.each<[name: string, asked: JsonObject, offered: readonly string[]]>([
      ['not before', {}, ['first']],
      ['not by a search for others', { messages: [use('toolu_1', 'first'), result('none')] }, ['first']],
      ['by a search', { messages: [use('toolu_1', 'first'), result(found)] }, ['first', 'late']],
      [
        'by a message of the system',
        { messages: [change('tool_addition', { type: 'tool_reference', name: 'late' })] },
        ['first', 'late'],
      ],
      ['by its call', { messages: [use('toolu_1', 'late'), result('done')] }, ['first', 'late']],
      ['by force', { tool_choice: { type: 'tool', name: 'late' } }, ['first', 'late']],
      ['where only Claude could look for it', { tools: [named('first'), back, search] }, ['first', 'late']],
    ])('checklist 162: %s', async (_, { messages, ...asked }, offered) => {
      const said = [say('user', 'One.'), ...(Array.isArray(messages) ? messages : [])];
      const body = { tools: [named('first'), back], ...asked, messages: said };
      const sent = await sentFor('messages', OPENAI, body);
      expect(listAt(sent, 'tools').map((tool) => at(tool, 'function.name'))).toEqual(offered);
    });
  });

  test('checklist 162: a compaction keeps their state', async () => {
    const tool_changes = [
      { type: 'tool_addition', tool: { type: 'tool_definition', definition: named('late') } },
    ];
    const messages = [
      say('assistant', [{ type: 'compaction', content: 'Nothing yet.', tool_changes }]),
      say('user', 'Go on.'),
    ];
    const sent = await sentFor('messages', OPENAI, { messages });
    expect(listAt(sent, 'tools').map((tool) => at(tool, 'function.name'))).toEqual(['late']);
  });
});

describe('checklist 163: a request to think is kept, whatever else it says', () => {
  test.each([
    { type: 'enabled', budget_tokens: 2048, display: null },
    { type: 'enabled', budget_tokens: 2048, display: 'updates' },
    { type: 'enabled', budget_tokens: 2048, block_binding: { prefix_mismatch_behavior: 'drop_block' } },
  ])('checklist 163: $display $block_binding', async (thinking) => {
    const sent = await sentFor('messages', THINKER, { thinking });
    expect(at(sent, 'reasoning.effort')).toBe('low');
  });

  test('checklist 163: thoughts with an unknown display setting are shown', async () => {
    const thinking = { type: 'adaptive', display: 'updates' };
    const sent = await sentFor('messages', GEMINI_3, { thinking });
    expect(at(sent, 'generationConfig.thinkingConfig.includeThoughts')).toBe(true);
  });
});

describe('checklist 219: what Perplexity’s models have found is cited', () => {
  const SONAR = 'perplexity/sonar';
  const results = [
    { title: 'Cats', url: 'https://cats.example/a', date: '2026-01-01', snippet: 'They purr.' },
    { title: 'Dogs', url: 'https://dogs.example/b', date: null },
  ];
  // A file of the request, which has no address, and which `citations` leaves out (recorded).
  const attachment = { title: 'b64fc867.docx', url: '', snippet: 'A file.', source: 'attachment' };
  const beside = { search_results: [...results, attachment], citations: results.map(({ url }) => url) };
  const usage = { prompt_tokens: 7, completion_tokens: 5, total_tokens: 12 };
  const whole = json(completion({ content: 'Cats[1], dogs[2].' }, 'stop', beside));
  const stream = chatStream(
    chunk({ role: 'assistant', content: 'Cats[1], ' }, null, beside),
    chunk({ content: 'dogs[2].' }, null, beside),
    chunk({ content: '' }, 'stop', { ...beside, usage }),
  );
  const cited = results.map(({ title, url }) => ({ title, url }));

  test.each(['messages', 'responses'] as const)('checklist 219: to %s, streamed and whole', async (from) => {
    door.answers(whole);
    const { reply } = await door.whole(from, SONAR);
    expect(reply().choices[0]?.parts).toMatchObject([{ citations: cited }]);
    door.answers(stream);
    const { reply: streamed } = await door.stream(from, SONAR);
    expect(streamed().choices[0]?.parts).toMatchObject([{ citations: cited }]);
  });

  test('checklist 219: an empty address is none', async () => {
    const url_citation = { url: '', title: 'b64fc867.docx', start_index: 0, end_index: 4 };
    const answer = completion(
      { content: 'Cats', annotations: [{ type: 'url_citation', url_citation }] },
      'stop',
    );
    door.answers(json(answer));
    const { json: message } = await door.whole('messages', SONAR);
    expect(listAt(message, 'content')).toMatchObject([{ type: 'text', text: 'Cats', citations: [] }]);
    const { json: response } = await door.whole('responses', SONAR);
    expect(listAt(response, 'output.0.content')).toMatchObject([{ text: 'Cats', annotations: [] }]);
  });

  test('checklist 219: through the search of Claude’s clients', async () => {
    door.answers(whole);
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const { json: body } = await door.whole('messages', SONAR, { tools });
    expect(listAt(body, 'content').map(({ type }) => type)).toEqual([
      'text',
      'server_tool_use',
      'web_search_tool_result',
    ]);
    expect(listAt(body, 'content.2.content')).toMatchObject(cited);
  });

  test('checklist 219: not if the text names its sources itself', async () => {
    const url_citation = { url: 'https://cats.example/a', title: 'Cats', start_index: 0, end_index: 7 };
    const annotations = [{ type: 'url_citation', url_citation }];
    door.answers(json(completion({ content: 'Cats[1].', annotations }, 'stop', beside)));
    const { json: body } = await door.whole('responses', SONAR);
    expect(listAt(body, 'output.0.content.0.annotations')).toMatchObject([{ url: url_citation.url }]);
  });
});

describe('checklist 202: a request without thinking gets the least thinking there is', () => {
  const NEWEST = 'anthropic/claude-sonnet-5-5';

  test('checklist 202: of Sonnet 5.5, which thinks between calls at least', async () => {
    const chat = await sentFor('chat-completions', NEWEST, { reasoning_effort: 'none' });
    const responses = await sentFor('responses', NEWEST, { reasoning: { effort: 'none' } });
    for (const sent of [chat, responses]) {
      expect(sent['thinking']).toEqual({ type: 'between_tools' });
      expect(sent).not.toHaveProperty('output_config');
    }
  });

  test('checklist 202: of other vendors’ models, where Claude was to think between calls alone', async () => {
    const thinking = { type: 'between_tools' };
    expect(at(await sentFor('messages', THINKER, { thinking }), 'reasoning.effort')).toBe('none');
    const toGemini = await sentFor('messages', GEMINI_3, { thinking });
    expect(at(toGemini, 'generationConfig.thinkingConfig')).toEqual({ thinkingLevel: 'MINIMAL' });
  });
});

describe('checklist 163: settings that a conversation changes apply from there on', () => {
  const effort = (word: string | null): JsonObject => ({ role: 'system', output_config: { effort: word } });
  const update = (settings: JsonObject): JsonObject => ({ type: 'configuration_update', ...settings });
  const format = (name: string): JsonObject => ({
    format: { type: 'json_schema', name, schema: { type: 'object', properties: {} } },
  });

  test('checklist 163: the effort of messages', async () => {
    const messages = [
      say('user', 'One.'),
      effort('low'),
      say('assistant', 'Two.'),
      effort('high'),
      effort(null),
      say('user', 'Three.'),
    ];
    const asked = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' }, messages };
    expect(at(await sentFor('messages', THINKER, asked), 'reasoning.effort')).toBe('high');
    const before = { ...asked, messages: messages.slice(0, 1) };
    expect(at(await sentFor('messages', THINKER, before), 'reasoning.effort')).toBe('low');
  });

  test('checklist 163: effort and format of responses', async () => {
    const input = [
      say('user', 'One.'),
      update({ reasoning: { effort: 'medium' }, text: format('first') }),
      say('user', 'Two.'),
      update({ reasoning: { effort: 'high' } }),
      update({ text: format('last') }),
      say('user', 'Three.'),
    ];
    const asked = { reasoning: { effort: 'low' }, text: format('asked'), input };
    const sent = await sentFor('responses', KIMI, asked);
    expect(at(sent, 'reasoning_effort')).toBe('high');
    expect(at(sent, 'response_format.json_schema.name')).toBe('last');
  });
});

describe('checklist 164: tools that a tool search has found are offered to every model', () => {
  const found = { type: 'function', name: 'weather', parameters: { type: 'object', properties: {} } };
  const search = { type: 'tool_search_call', call_id: 'c1', execution: 'client', arguments: { query: 'w' } };
  const output = (tools: unknown): JsonObject =>
    JSON.parse(JSON.stringify({ type: 'tool_search_output', call_id: 'c1', execution: 'client', tools }));
  const input = (tools: unknown): JsonObject[] => [
    say('user', 'Weather?'),
    search,
    output(tools),
    say('user', 'Go on.'),
  ];

  test('checklist 164: found tools, also in a namespace', async () => {
    const group = {
      type: 'namespace',
      name: 'mcp__docs',
      description: 'Docs',
      tools: [{ ...found, name: 'read' }],
    };
    const sent = await sentFor('responses', CLAUDE, { input: input([found, group]) });
    expect(listAt(sent, 'tools').map((tool) => at(tool, 'name'))).toEqual(['weather', 'mcp__docs__read']);
  });

  test('checklist 164: once, if they are declared too', async () => {
    const tools = [{ ...found, defer_loading: true }, { type: 'tool_search' }];
    const sent = await sentFor('responses', CLAUDE, { tools, input: input([found]) });
    expect(listAt(sent, 'tools').map((tool) => at(tool, 'name'))).toEqual(['weather']);
  });

  // As recorded from GPT-5.4.
  test('checklist 164: a tool loaded alone is called in a namespace with its name', async () => {
    const tools = [{ ...found, defer_loading: true }, { type: 'tool_search' }];
    const call = {
      type: 'function_call',
      call_id: 'c2',
      namespace: 'weather',
      name: 'weather',
      arguments: '{}',
    };
    const result = { type: 'function_call_output', call_id: 'c2', output: 'Sunny.' };
    const sent = await sentFor('responses', CLAUDE, {
      tools,
      input: [say('user', 'Weather?'), call, result],
    });
    expect(at(sent, 'messages.1.content.0.name')).toBe('weather');
  });

  // The name that OpenAI's Agents SDK uses.
  test('checklist 164: a tool in a namespace can be forced', async () => {
    const group = {
      type: 'namespace',
      name: 'crm',
      description: 'Customers',
      tools: [{ ...found, name: 'find' }],
    };
    const tool_choice = { type: 'function', name: 'crm.find' };
    const sent = await sentFor('responses', CLAUDE, { tools: [found, group], tool_choice });
    expect(at(sent, 'tool_choice')).toMatchObject({ type: 'tool', name: 'crm__find' });
  });
});

test.each([CLAUDE, GEMINI_3, QWEN])(
  'checklist 164: no function may be called if only a search is allowed: %s',
  async (model) => {
    const tools = [{ type: 'web_search' }, { type: 'function', name: 'city' }];
    const tool_choice = { type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] };
    const sent = await sentFor('responses', model, { tools, tool_choice });
    const mode = at(sent, 'toolConfig.functionCallingConfig.mode');
    expect(JSON.stringify(sent['tools'] ?? []).includes('city')).toBe(mode === 'NONE');
  },
);

test.each([CLAUDE, GEMINI_3])(
  'checklist 165: %s is not asked for an answer only to warm a cache',
  async (model) => {
    const answer = await door.whole('responses', model, { prompt_cache_options: { prewarm: true } });
    expect(answer.status).toBe(400);
    expect(at(answer.json, 'error.param')).toBe('prompt_cache_options.prewarm');
    expect(door.upstream().received).toEqual([]);
    expect(
      await sentFor('responses', model, { prompt_cache_options: { prewarm: false } }),
    ).not.toHaveProperty('prompt_cache_options');
  },
);

describe('checklist 166: a file stored at Anthropic is not dropped silently', () => {
  const upload = { type: 'container_upload', file_id: 'file_1' };

  test.each([OPENAI, THINKER, DEEPSEEK, GEMINI_3])('checklist 166: one from the user (%s)', async (model) => {
    const messages = [say('user', [upload, { type: 'text', text: 'What is in it?' }])];
    const answer = await door.whole('messages', model, { messages });
    expect(answer.status).toBe(400);
    expect(at(answer.json, 'error.message')).toMatch(/another vendor's (?:file )?store/);
  });

  test.each([OPENAI, THINKER, DEEPSEEK, GEMINI_3])(
    'checklist 166: except one that Claude has made (%s)',
    async (model) => {
      const messages = [
        say('user', 'Draw.'),
        say('assistant', [{ type: 'text', text: 'There.' }, upload]),
        say('user', 'Thanks.'),
      ];
      expect(JSON.stringify(await sentFor('messages', model, { messages }))).not.toContain('file_1');
    },
  );
});

describe('checklist 169: search domains and location reach every vendor that has fields for them', () => {
  const anthropic = (more: JsonObject): JsonObject => ({
    type: 'web_search_20250305',
    name: 'web_search',
    ...more,
  });
  const openai = (filters: JsonObject): JsonObject => ({ type: 'web_search', filters });
  const allowed = { allowed_domains: ['a.org', 'b.org'] };
  const blocked = { blocked_domains: ['c.org'] };

  test.each([allowed, blocked])('checklist 169: Claude’s search %j, by OpenAI', async (domains) => {
    const sent = await sentFor('messages', THINKER, { tools: [anthropic(domains)] });
    expect(sent['tools']).toEqual([openai(domains)]);
  });

  test.each<[JsonObject, JsonObject]>([
    [allowed, allowed],
    [blocked, blocked],
    // Claude accepts only one of the two lists.
    [{ ...allowed, blocked_domains: ['b.org'] }, { allowed_domains: ['a.org'] }],
  ])('checklist 169: OpenAI’s search %j, by Claude', async (filters, domains) => {
    const sent = await sentFor('responses', CLAUDE, { tools: [openai(filters)] });
    expect(sent['tools']).toEqual([anthropic(domains)]);
  });

  test('checklist 169: however many domains there are', async () => {
    const domains = (ending: string) => Array.from({ length: 200_000 }, (_, at) => `${at}.${ending}`);
    const filters = { allowed_domains: domains('org'), blocked_domains: domains('com') };
    const sent = await sentFor('responses', CLAUDE, { tools: [openai(filters)] });
    expect(at(sent, 'tools.0.allowed_domains')).toHaveLength(200_000);
  });

  test('checklist 169: the location of a chat, for Claude', async () => {
    const user_location = { type: 'approximate', approximate: { country: 'NO', city: 'Oslo' } };
    const sent = await sentFor('chat-completions', CLAUDE, { web_search_options: { user_location } });
    const place = { type: 'approximate', country: 'NO', city: 'Oslo' };
    expect(sent['tools']).toEqual([anthropic({ user_location: place })]);
  });
});

describe('checklist 201: search results reach Claude’s clients in Claude’s own form', () => {
  const tools = [{ type: 'web_search_20250305', name: 'web_search', max_uses: 8 }];
  const url = 'https://cats.example/a';
  const ask = { tools, messages: [{ role: 'user', content: 'Perform a web search for the query: cats' }] };
  const groundingMetadata = {
    groundingChunks: [{ web: { uri: url, title: 'cats.example' } }],
    groundingSupports: [
      { segment: { startIndex: 0, endIndex: 5, text: 'Cats.' }, groundingChunkIndices: [0] },
      { segment: { startIndex: 6, endIndex: 16, text: 'They purr.' }, groundingChunkIndices: [0] },
    ],
  };
  const grounded = (parts: readonly JsonObject[]): JsonObject => {
    const answer = gemini(parts, 'STOP');
    const candidates = asObjects(answer['candidates']).map((one) => ({ ...one, groundingMetadata }));
    return { ...answer, candidates };
  };
  const all = grounded([{ text: 'Cats. They purr.', thoughtSignature: 'c2ln' }]);
  const id = expect.stringMatching(/^srvtoolu_[A-Za-z0-9]+$/);
  const found = [
    { type: 'server_tool_use', id, name: 'web_search', input: { query: '' }, caller: { type: 'direct' } },
    {
      type: 'web_search_tool_result',
      tool_use_id: id,
      content: [
        { type: 'web_search_result', url, title: 'cats.example', encrypted_content: '', page_age: null },
      ],
      caller: { type: 'direct' },
    },
  ];

  test('checklist 201: behind the text, streamed and whole', async () => {
    door.answers(json(all));
    const { json: whole } = await door.whole('messages', GEMINI_3, ask);
    expect(listAt(whole, 'content').slice(1)).toEqual(found);
    expect(whole['stop_reason']).toBe('end_turn');
    const last = grounded([{ text: 'They purr.', thoughtSignature: 'c2ln' }]);
    door.answers(geminiStream(gemini([{ text: 'Cats. ' }]), last));
    const { data } = await door.stream('messages', GEMINI_3, ask);
    const blocks = data.flatMap(({ content_block }) => content_block ?? []);
    expect(blocks.slice(1)).toEqual([{ ...found[0], input: {} }, found[1]]);
  });

  test('checklist 201: not if no search was requested, nor next to a call', async () => {
    door.answers(json(all));
    const { json: unasked } = await door.whole('messages', GEMINI_3, {});
    expect(listAt(unasked, 'content').map(({ type }) => type)).toEqual(['text']);
    const call = { functionCall: { name: 'get_weather', args: {} } };
    const calling = grounded([{ text: 'Cats.' }, call]);
    const more = { ...ask, tools: [...tools, cityTool('messages')] };
    door.answers(json(calling));
    const { json: called } = await door.whole('messages', GEMINI_3, more);
    expect(listAt(called, 'content').map(({ type }) => type)).toEqual(['text', 'tool_use']);
    door.answers(geminiStream(calling));
    const { data } = await door.stream('messages', GEMINI_3, more);
    const types = data.flatMap(({ content_block }) => at(content_block, 'type') ?? []);
    expect(types).toEqual(['text', 'tool_use']);
  });

  test('checklist 201: the dialogue continues, with Gemini and with Claude', async () => {
    door.answers(json(all));
    const { json: whole } = await door.whole('messages', GEMINI_3, ask);
    const messages = [
      ...ask.messages,
      { role: 'assistant', content: whole['content'] ?? [] },
      { role: 'user', content: 'And dogs?' },
    ];
    const toGemini = await sentFor('messages', GEMINI_3, { tools, messages });
    expect(JSON.stringify(toGemini)).not.toMatch(/srvtoolu|cats\.example/);
    door.answers(({ body }, response) => {
      const isTheirs = body.includes('"encrypted_');
      response.writeHead(isTheirs ? 400 : 200, { 'content-type': 'application/json' });
      const refused = { type: 'error', error: { type: 'invalid_request_error', message: 'Invalid' } };
      response.end(JSON.stringify(isTheirs ? refused : claudeMessage([], 'end_turn')));
    });
    const { status } = await door.whole('messages', CLAUDE, { tools, messages });
    expect(status).toBe(200);
    expect(at(door.sent(), 'messages.1')).toEqual({
      role: 'assistant',
      content: [{ type: 'text', text: 'Cats. They purr.' }],
    });
  });
});

// googleapis/python-genai#2120, googleapis/dotnet-genai#230: Gemini 3 often reports less about its search than before.
describe('checklist 293: sources of Gemini are cited even if it does not say for which words', () => {
  const groundingMetadata = {
    webSearchQueries: ['cats'],
    groundingChunks: [
      { web: { uri: 'https://cats.example/a', title: 'cats.example' } },
      {
        image: { sourceUri: 'https://cats.example/b', imageUri: 'https://cats.example/b.png', title: 'Cat' },
      },
    ],
  };
  const answer = gemini([{ text: 'Cats.' }], 'STOP');
  const candidates = asObjects(answer['candidates']).map((one) => ({ ...one, groundingMetadata }));
  const urls = ['https://cats.example/a', 'https://cats.example/b'];

  test('checklist 293: to a chat client, on all of its text, streamed and whole', async () => {
    door.answers(json({ ...answer, candidates }));
    const whole = (await door.whole('chat-completions', GEMINI_3)).json;
    door.answers(
      geminiStream(gemini([{ text: 'Ca' }]), gemini([{ text: 'ts.' }]), {
        ...answer,
        candidates: [{ ...candidates[0], content: { role: 'model', parts: [{ text: '' }] } }],
      }),
    );
    const { data } = await door.stream('chat-completions', GEMINI_3);
    const streamed = data.find((chunk) => at(chunk, 'choices.0.delta.annotations') !== undefined) ?? {};
    const told = [
      listAt(whole, 'choices.0.message.annotations'),
      listAt(streamed, 'choices.0.delta.annotations'),
    ];
    for (const annotations of told) {
      expect(annotations.map((one) => at(one, 'url_citation'))).toMatchObject(
        urls.map((url) => ({ url, start_index: 0, end_index: 5 })),
      );
    }
  });

  test('checklist 293: to a messages client that requested a search', async () => {
    door.answers(json({ ...answer, candidates }));
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }];
    const { json: whole } = await door.whole('messages', GEMINI_3, { tools });
    expect(listAt(whole, 'content.2.content').map(({ url }) => url)).toEqual(urls);
  });
});

describe('checklist 241: the request says which of GPT’s messages were answers: otherwise GPT takes text before a call for one', () => {
  const calls = { type: 'function', function: { name: 'city', arguments: '{}' } };
  const dialogue: Readonly<Record<'chat-completions' | 'messages', JsonObject>> = {
    'chat-completions': {
      reasoning_effort: 'low',
      messages: [
        say('user', 'Rome?'),
        { ...say('assistant', 'I look.'), tool_calls: [{ id: 'c1', ...calls }] },
        { role: 'tool', tool_call_id: 'c1', content: 'sunny' },
        say('assistant', 'Sunny.'),
        say('user', 'Sure?'),
      ],
    },
    messages: {
      messages: [
        say('user', 'Rome?'),
        say('assistant', [
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'c1', name: 'city', input: {} },
        ]),
        say('user', [{ type: 'tool_result', tool_use_id: 'c1', content: 'sunny' }]),
        say('assistant', 'Sunny.'),
        say('user', 'Sure?'),
      ],
    },
  };
  const phasesOf = (sent: JsonObject) =>
    listAt(sent, 'input').flatMap(({ role, content, phase = null }) =>
      role === 'assistant' ? [[content, phase]] : [],
    );

  test('checklist 241: by messages', async () => {
    const sent = await sentFor('messages', THINKER, { ...dialogue.messages, tools: [cityTool('messages')] });
    expect(phasesOf(sent)).toEqual([
      ['I look.', 'commentary'],
      ['Sunny.', 'final_answer'],
    ]);
  });

  test('checklist 241: by chat-completions, if responses is used', async () => {
    const sent: JsonObject[] = [];
    door.answers((_, response) => {
      sent.push(door.sent());
      const message = 'Function tools are not supported here. To use function tools, use /v1/responses.';
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ error: { message, param: 'reasoning_effort' } }));
    });
    const tools = [cityTool('chat-completions')];
    await door.whole('chat-completions', 'openai/gpt-5.5', { ...dialogue['chat-completions'], tools });
    expect(phasesOf(sent.at(-1) ?? {})).toEqual([
      ['I look.', 'commentary'],
      ['Sunny.', 'final_answer'],
    ]);
  });

  test('checklist 241: what is said after a call, before its result, is no answer', async () => {
    const messages = [
      say('user', 'Rome?'),
      say('assistant', [
        { type: 'tool_use', id: 'c1', name: 'city', input: {} },
        { type: 'text', text: 'I look.' },
      ]),
      say('user', [{ type: 'tool_result', tool_use_id: 'c1', content: 'sunny' }]),
    ];
    const sent = await sentFor('messages', THINKER, { messages, tools: [cityTool('messages')] });
    expect(phasesOf(sent)).toEqual([['I look.', 'commentary']]);
  });

  test('checklist 241: not models without that field, nor for a prefilled answer', async () => {
    const of = async (model: string, more: JsonObject) => phasesOf(await sentFor('messages', model, more));
    expect(await of('openai/gpt-5', { ...dialogue.messages, tools: [cityTool('messages')] })).toEqual([
      ['I look.', null],
      ['Sunny.', null],
    ]);
    expect(await of(THINKER, { messages: [say('user', 'Rome?'), say('assistant', 'It is')] })).toEqual([
      ['It is', null],
    ]);
  });
});

describe('checklist 246: the Codex app is told which message of another model is its answer: otherwise it shows one twice', () => {
  const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{}' } };
  const phases = async (message: JsonObject, finish: string) => {
    door.answers(json(completion(message, finish)));
    const { text } = await door.whole('responses', QWEN, { tools: [cityTool('responses')] });
    return listAt(parseJson(text), 'output').flatMap(({ type, phase = null }) =>
      type === 'message' ? [phase] : [],
    );
  };

  test.each<[string, JsonObject, string, readonly (string | null)[]]>([
    ['the answer', { content: 'Sunny.' }, 'stop', ['final_answer']],
    ['before a call', { content: 'I look.', tool_calls: [call] }, 'tool_calls', ['commentary']],
    ['cut short', { content: 'Sun' }, 'length', [null]],
  ])('checklist 246: of a whole response, %s', async (_, message, finish, expected) => {
    expect(await phases(message, finish)).toEqual(expected);
  });

  test('checklist 246: of a stream, with the item that is done', async () => {
    door.answers(chatStream(chunk({ content: 'Sunny.' }), chunk({}, 'stop')));
    const { data } = await door.stream('responses', QWEN);
    const done = data.find(({ type }) => type === 'response.output_item.done');
    expect(done).toHaveProperty('item.phase', 'final_answer');
  });
});

describe('checklist 253: content that Google has stored for a dialogue is not left out', () => {
  const asked = { extra_body: { google: { cached_content: 'cachedContents/1' } } };

  test('checklist 253: Gemini gets it in its own format', async () => {
    const sent = await sentFor('chat-completions', GEMINI_3, asked);
    expect(sent['cachedContent']).toBe('cachedContents/1');
    expect(sent).not.toHaveProperty('extra_body');
  });

  test('checklist 253: Claude, which cannot read it, is not asked', async () => {
    const answer = await door.whole('chat-completions', CLAUDE, asked);
    expect(answer.status).toBe(400);
    expect(at(answer.json, 'error.param')).toBe('extra_body.google.cached_content');
    expect(door.upstream().received).toEqual([]);
  });
});

describe('checklist 254: a limit on web searches is enforced', () => {
  const search = { type: 'web_search_20250305', name: 'web_search', max_uses: 8 };

  test('checklist 254: Claude’s clients of GPT', async () => {
    expect(await sentFor('messages', THINKER, { tools: [search] })).toMatchObject({
      tools: [{ type: 'web_search' }],
      max_tool_calls: 8,
    });
  });

  test('checklist 254: OpenAI’s clients of Claude', async () => {
    const asked = { tools: [{ type: 'web_search' }], max_tool_calls: 3 };
    expect(await sentFor('responses', CLAUDE, asked)).toMatchObject({ tools: [{ ...search, max_uses: 3 }] });
  });

  test('checklist 254: not if the limit covers other tools too', async () => {
    const tools = [{ type: 'web_search' }, { type: 'code_interpreter', container: { type: 'auto' } }];
    const sent = await sentFor('responses', CLAUDE, { tools, max_tool_calls: 3 });
    expect(sent['tools']).toEqual([{ type: 'web_search_20250305', name: 'web_search' }]);
  });

  test('checklist 254: nor for a service without such a limit', async () => {
    expect(await sentFor('messages', 'x-ai/grok-4.5', { tools: [search] })).not.toHaveProperty(
      'max_tool_calls',
    );
  });
});
