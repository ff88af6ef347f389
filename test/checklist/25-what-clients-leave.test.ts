/** Checklist, section 25: what clients leave in a dialogue. */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { isObject, type JsonObject, parseJson } from '../../src/lib/json.ts';
import { FIXTURES } from '../support/recording.ts';
import { at, type Caller, CLAUDE, cityTool, GEMINI, listAt, OPENAI, QWEN, useDoor } from './support.ts';

const door = useDoor();

/** The vendor refuses the first request; what it says to the next is nothing that a repair could mend. */
function refuseFirst(refusal: JsonObject, status: number): void {
  let isFirst = true;
  door.answers((_request, response) => {
    response
      .writeHead(isFirst ? status : 413, { 'content-type': 'application/json' })
      .end(JSON.stringify(refusal));
    isFirst = false;
  });
}
const { sentFor } = door;

describe('checklist 208: half a surrogate pair does not end a dialogue', () => {
  // Left by a client that truncates tool results by UTF-16 units.
  const cut = 'Sunny \ud83c…';
  const refusal = {
    type: 'error',
    error: {
      type: 'invalid_request_error',
      message: 'The request body is not valid JSON: no low surrogate in string: line 1 column 99 (char 98)',
    },
  };

  test.each<[Caller, string, string]>([
    ['messages', CLAUDE, 'plain-text.json'],
    ['chat-completions', OPENAI, 'plain-text.json'],
    ['responses', OPENAI, 'plain-text.json'],
  ])('checklist 208: natively, by %s, after the vendor has rejected it', async (from, model, file) => {
    const bodies: string[] = [];
    door.answers(({ body }, response) => {
      const text = body.toString('utf8');
      bodies.push(text);
      const isBad = /[^\\]\\ud83c/.test(text);
      response
        .writeHead(isBad ? 400 : 200, { 'content-type': 'application/json' })
        .end(isBad ? JSON.stringify(refusal) : readFileSync(join(FIXTURES, 'replies', from, file)));
    });
    const more = {
      user: 'a\\ud83cb 😀',
      ...(from === 'responses' ? { input: cut } : { messages: [{ role: 'user', content: cut }] }),
    };
    const { status, text } = await door.whole(from, model, more);
    expect(status, text).toBe(200);
    const [first = '', second = ''] = bodies;
    expect(bodies).toHaveLength(2);
    expect(second).toBe(first.replace(/\\ud83c(?=…)/, '\ufffd'));
  });

  test('checklist 208: any other rejection is passed on', async () => {
    door.answers((_, response) =>
      response.writeHead(400, { 'content-type': 'application/json' }).end(JSON.stringify(refusal)),
    );
    const messages = [{ role: 'user', content: 'Sunny 😀' }];
    const { status } = await door.whole('messages', CLAUDE, { messages });
    expect(status).toBe(400);
    expect(door.upstream().received).toHaveLength(1);
  });
});

describe('checklist 215: text that LangChain duplicates in its content is sent once', () => {
  const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"x":1}' } };
  const text = { type: 'text', text: 'Well.' };
  const use = { type: 'tool_use', id: 'call_1', name: 'f' };
  const said = (content: readonly JsonObject[]): JsonObject => ({
    messages: [
      { role: 'user', content: 'Hi.' },
      { role: 'assistant', content, tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: 'Ok.' },
    ],
    tools: [cityTool('chat-completions', 'f')],
  });

  describe.each<[string, readonly JsonObject[]]>([
    ['a call', [text, { ...use, input: { x: 1 } }]],
    [
      'a call in pieces',
      [
        { ...text, index: 0 },
        { ...use, input: '', index: 1 },
        { type: 'input_json_delta', index: 1, input: '{"x":1}' },
      ],
    ],
    ['a call in words of its own', [text, { type: 'tool_call', id: 'call_1', name: 'f', args: { x: 1 } }]],
    ['a call of Gemini', [text, { type: 'functionCall', functionCall: { name: 'f', args: { x: 1 } } }]],
    ['thoughts', [{ type: 'reasoning', reasoning: 'Hm.' }, text]],
    ['sources', [{ ...text, annotations: [], citations: [] }]],
    ['a text of responses', [{ ...text, type: 'output_text', annotations: [] }]],
  ])('%s', (_, content) => {
    test('checklist 215: to Anthropic', async () => {
      const sent = await sentFor('chat-completions', CLAUDE, said(content));
      expect(at(sent, 'messages.1.content')).toEqual([text, { ...use, input: { x: 1 } }]);
      expect(listAt(sent, 'messages.2.content')).toHaveLength(1);
    });

    test('checklist 215: to Google', async () => {
      const sent = await sentFor('chat-completions', GEMINI, said(content));
      expect(at(sent, 'contents.1.parts')).toEqual([
        { text: 'Well.' },
        { functionCall: { name: 'f', args: { x: 1 } } },
      ]);
    });

    test('checklist 215: natively, after it was rejected', async () => {
      const refusal = {
        error: { message: 'unknown variant, expected `text`', type: 'invalid_request_error' },
      };
      refuseFirst(refusal, 400);
      await door.whole('chat-completions', QWEN, said(content));
      expect(door.upstream().received).toHaveLength(2);
      const [, message] = listAt(door.sent(), 'messages');
      expect(['Well.', [text], [{ ...text, type: 'output_text' }]]).toContainEqual(message?.['content']);
      expect(message?.['tool_calls']).toEqual([call]);
    });
  });
});

describe('checklist 216: fields that LangChain adds to a text for itself are not sent', () => {
  // As its MCP adapters write results.
  const text = { type: 'text', text: 'Sunny.' };
  const noted = { ...text, id: 'lc_0e3f', index: 0 };
  const messages = [
    { role: 'user', content: [noted] },
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: [noted] },
  ];
  const body = { messages, tools: [cityTool('chat-completions', 'f')] };

  test('checklist 216: to Anthropic', async () => {
    const sent = await sentFor('chat-completions', CLAUDE, body);
    expect(at(sent, 'messages.0.content')).toEqual([text]);
    expect(at(sent, 'messages.2.content.0.content')).toEqual([text]);
  });

  test('checklist 216: to Google', async () => {
    const sent = await sentFor('chat-completions', GEMINI, body);
    expect(at(sent, 'contents.0.parts')).toEqual([{ text: 'Sunny.' }]);
  });

  test('checklist 216: natively, after it was rejected', async () => {
    const refusal = { error: { message: 'Extra inputs are not permitted', type: 'invalid_request_error' } };
    refuseFirst(refusal, 422);
    await door.whole('chat-completions', QWEN, body);
    const [first, second] = door
      .upstream()
      .received.map(({ body: sent }) => parseJson(sent.toString('utf8')));
    expect(at(first, 'messages.2.content')).toEqual([noted]);
    expect(at(second, 'messages.0.content')).toEqual([text]);
    expect(at(second, 'messages.2.content')).toEqual([text]);
  });

  test('checklist 216: by messages, to a service that speaks chat-completions', async () => {
    const sent = await sentFor('messages', QWEN, { messages: [{ role: 'user', content: [noted] }] });
    expect(at(sent, 'messages.0.content')).toBe('Sunny.');
  });

  test('checklist 216: by messages, natively, after it was rejected', async () => {
    const message = 'messages.2.content.0.tool_result.content.0.text.id: Extra inputs are not permitted';
    const refusal = { type: 'error', error: { type: 'invalid_request_error', message } };
    refuseFirst(refusal, 400);
    const use = { type: 'tool_use', id: 'a', name: 'f', input: {} };
    const result = (content: JsonObject): JsonObject => ({
      type: 'tool_result',
      tool_use_id: 'a',
      content: [content],
    });
    await door.whole('messages', CLAUDE, {
      messages: [
        { role: 'user', content: [noted] },
        { role: 'assistant', content: [{ ...use, index: 1 }] },
        { role: 'user', content: [result(noted)] },
      ],
    });
    expect(door.upstream().received).toHaveLength(2);
    expect(at(door.sent(), 'messages')).toEqual([
      { role: 'user', content: [text] },
      { role: 'assistant', content: [use] },
      { role: 'user', content: [result(text)] },
    ]);
  });
});

describe('checklist 217: fields that routers and LiteLLM add to an answer do not end a dialogue elsewhere', () => {
  const fn = { name: 'f', arguments: '{}' };
  const call = { id: 'a', type: 'function', function: fn };
  const beside = { provider_specific_fields: { a: 1 } };
  const png = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
  const answer = {
    role: 'assistant',
    content: 'Well.',
    images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' }, index: 0 }],
    tool_calls: [{ ...call, caller: { type: 'direct' }, ...beside, function: { ...fn, ...beside } }],
  };
  const body = {
    messages: [{ role: 'user', content: 'Hi.' }, answer, { role: 'tool', tool_call_id: 'a', content: 'Ok.' }],
    tools: [cityTool('chat-completions', 'f')],
  };

  test('checklist 217: to Anthropic', async () => {
    const sent = await sentFor('chat-completions', CLAUDE, body);
    expect(at(sent, 'messages.1')).toEqual({
      role: 'assistant',
      content: [
        { type: 'text', text: 'Well.' },
        { type: 'tool_use', id: 'a', name: 'f', input: {} },
      ],
    });
    const source = { type: 'base64', media_type: png.mimeType, data: png.data };
    expect(at(sent, 'messages.2.content.1')).toEqual({ type: 'image', source });
  });

  test('checklist 217: to Google', async () => {
    expect(at(await sentFor('chat-completions', GEMINI, body), 'contents.1')).toEqual({
      role: 'model',
      parts: [{ text: 'Well.' }, { inlineData: png }, { functionCall: { id: 'a', name: 'f', args: {} } }],
    });
  });

  test('checklist 217: natively, after it was rejected', async () => {
    const refusal = { error: { message: 'Extra inputs are not permitted', type: 'invalid_request_error' } };
    refuseFirst(refusal, 422);
    await door.whole('chat-completions', QWEN, body);
    expect(at(door.sent(), 'messages.1')).toEqual({
      role: 'assistant',
      content: 'Well.',
      tool_calls: [call],
    });
  });
});

test('checklist 249: the status of an earlier item does not end a dialogue if a service rejects the field', async () => {
  const refusal = {
    error: {
      message: "Unknown parameter: 'input[1].status'.",
      type: 'invalid_request_error',
      param: 'input[1].status',
      code: 'unknown_parameter',
    },
  };
  refuseFirst(refusal, 400);
  const thought = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAAAA' };
  const asked = { role: 'user', content: 'Hi.' };
  await door.whole('responses', 'openai/gpt-5.4', { input: [asked, { ...thought, status: null }, asked] });
  expect(door.upstream().received).toHaveLength(2);
  expect(at(door.sent(), 'input')).toEqual([asked, thought, asked]);
});

describe('checklist 271: the OpenRouter client in Kilo and opencode gets usage from every vendor', () => {
  // As @openrouter/ai-sdk-provider 2 and 3 ask.
  const asked: JsonObject = { usage: { include: true }, reasoning: { effort: 'high' }, stream_options: null };

  test.each([CLAUDE, GEMINI])(
    'checklist 271: %s is asked without it, and the stream ends with it',
    async (model) => {
      const [file, type] =
        model === CLAUDE
          ? ['messages/plain-text.sse', 'text/event-stream']
          : ['generate-content/plain-text.sse', 'text/event-stream'];
      door.answers({ type, body: readFileSync(join(FIXTURES, 'replies', file)) });
      const { status, text, data } = await door.stream('chat-completions', model, asked);
      expect(status, text).toBe(200);
      expect(door.sent()).not.toHaveProperty('usage');
      expect(data.filter((chunk) => isObject(chunk['usage']))).toHaveLength(1);
    },
  );

  test('checklist 271: anything else in that field is for the vendor to judge', async () => {
    expect(await sentFor('chat-completions', CLAUDE, { usage: 'all' })).toMatchObject({ usage: 'all' });
  });
});
