/** What a prompt asks for in words is obeyed, whoever has written the words: the caller, or the gateway for a model. */

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Json, JsonObject } from '../../src/lib/json.ts';
import { asObject, asObjects, asText, isObject, parseJson } from '../../src/lib/json.ts';
import { KEY, startGateway, type TestGateway } from '../support/gateway.ts';
import { post, useSandbox, WAYS } from './support.ts';

const PERSON = {
  type: 'object',
  properties: { name: { type: 'string' }, age: { type: 'integer' } },
  required: ['name', 'age'],
  additionalProperties: false,
} as const;
const ASKED = 'Who is 42 years old?';
const GIVEN: JsonObject = { name: 'Ada Lovelace', age: 42 };

/** The last text of an answer in any format. */
function textIn(body: JsonObject): string {
  const choice = asObject(asObjects(body['choices'])[0]?.['message']);
  const content = asObjects(body['content']).at(-1);
  const output = asObjects(asObjects(body['output']).at(-1)?.['content']).at(-1);
  const part = asObjects(asObject(asObjects(body['candidates'])[0]?.['content'])?.['parts']).at(-1);
  return asText((output ?? content ?? part)?.['text']) ?? asText(choice?.['content']) ?? '';
}

describe('through the gateway', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ generateContent: { models: 'all' } });
  });
  afterAll(() => gateway.close());

  async function ask(path: string, body: JsonObject): Promise<JsonObject> {
    const response = await fetch(gateway.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}` },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    expect(response.status, text).toBe(200);
    const answer = parseJson(text);
    return isObject(answer) ? answer : {};
  }

  const user = { role: 'user', content: ASKED };
  const contents = [{ role: 'user', parts: [{ text: ASKED }] }];
  const deepseek = 'deepseek/deepseek-v4-pro';
  const claude = 'anthropic/claude-sonnet-5-5';

  test.each<[string, string, JsonObject, Json]>([
    [
      'messages, for DeepSeek',
      '/v1/messages',
      {
        model: deepseek,
        max_tokens: 4000,
        messages: [user],
        output_config: { format: { type: 'json_schema', schema: PERSON } },
      },
      GIVEN,
    ],
    [
      'generateContent, for DeepSeek',
      `/v1beta/models/${deepseek}:generateContent`,
      {
        contents,
        generationConfig: { responseMimeType: 'application/json', responseJsonSchema: PERSON },
      },
      GIVEN,
    ],
    [
      'responses, for DeepSeek',
      '/v1/responses',
      {
        model: deepseek,
        input: ASKED,
        text: { format: { type: 'json_schema', name: 'person', schema: PERSON } },
      },
      GIVEN,
    ],
    [
      'chat completions, without a schema, for Claude',
      '/v1/chat/completions',
      { model: claude, messages: [user], response_format: { type: 'json_object' } },
      { sandbox: true, asked: ASKED },
    ],
    [
      'responses, without a schema, for Claude',
      '/v1/responses',
      { model: claude, input: `JSON, please. ${ASKED}`, text: { format: { type: 'json_object' } } },
      { sandbox: true, asked: `JSON, please. ${ASKED}` },
    ],
  ])('an answer in JSON is given: %s', async (_, path, body, expected) => {
    expect(parseJson(textIn(await ask(path, body)))).toEqual(expected);
  });

  const tools = ['find_person', 'find_place'].map((name) => ({
    type: 'function',
    function: { name, description: 'Looks it up.', parameters: PERSON },
  }));
  test.each([
    ['a named tool', { type: 'function', function: { name: 'find_place' } }, 'find_place'],
    ['any tool', 'required', 'find_person'],
  ])('a Claude that cannot be forced calls %s', async (_, tool_choice, called) => {
    const body = await ask('/v1/chat/completions', { model: claude, messages: [user], tools, tool_choice });
    const [call] = asObjects(asObject(asObjects(body['choices'])[0]?.['message'])?.['tool_calls']);
    const inner = asObject(call?.['function']);
    expect(inner?.['name']).toBe(called);
    expect(parseJson(asText(inner?.['arguments']) ?? '')).toEqual(GIVEN);
  });
});

describe('directly', () => {
  const sandbox = useSandbox();

  // instructor (Python, 1.17) in its modes ANTHROPIC_JSON and MD_JSON, instructor (JavaScript, 1.7) in its mode JSON.
  test.each([
    [
      'indented, for an instance of the JSON',
      `
            provide the parsed objects in json that match the following json_schema:

            ${JSON.stringify(PERSON, null, 2)}

            Make sure to return an instance of the JSON, not the schema itself
`,
      ASKED,
    ],
    [
      'indented, with the order in the question',
      `
            the parsed objects in json that match the following json_schema:

            ${JSON.stringify(PERSON, null, 2)}
`,
      `${ASKED}\n\nReturn the correct JSON response within a \`\`\`json codeblock. not the JSON_SCHEMA`,
    ],
    [
      'behind a label',
      `
          Given a user prompt, you will return fully valid JSON based on the following description and schema.
          You will return no other prose.

          json schema: ${JSON.stringify(PERSON)}
        `,
      ASKED,
    ],
  ])('a system prompt has a schema in words: %s', async (_, system, said) => {
    const messages = [{ role: 'user', content: said }];
    const body = { model: 'claude-haiku-4-5', max_tokens: 500, system, messages };
    const { json } = await post(sandbox(), 'anthropic', '/v1/messages', body);
    expect(parseJson(textIn(json))).toEqual(GIVEN);
  });

  test.each([
    [`${ASKED} Reply in JSON.`, 'object'],
    [
      `${ASKED}\nAnswer as JSON by this schema:\n\`\`\`json\n${JSON.stringify(PERSON, null, 2)}\n\`\`\``,
      'person',
    ],
    ['What is JSON, and what is a schema?', 'text'],
    ['Tell me about JSON-RPC. Answer briefly, not about JSON-RPC 1.', 'text'],
  ])('%j is answered by kind: %s', async (said, kind) => {
    const [path, body] = WAYS['messages'].ask(said, false);
    const { json } = await post(sandbox(), 'anthropic', path, body);
    const text = textIn(json);
    expect(text.startsWith('{')).toBe(kind !== 'text');
    if (kind === 'person') expect(parseJson(text)).toEqual(GIVEN);
  });

  test.each([
    ['You must ALWAYS call the find_place function.', ['find_place']],
    // No tool has that name, so it calls the first.
    ['You must ALWAYS call the lookup function.', ['find_person']],
    ['You must use find_place where it helps.', []],
  ])('above the dialogue, %j lets it call %j', async (system, called) => {
    const tools = ['find_person', 'find_place'].map((name) => ({ name, input_schema: PERSON }));
    const [path, body] = WAYS['messages'].ask(ASKED, false, { system, tools });
    const { json } = await post(sandbox(), 'anthropic', path, body);
    expect(asObjects(json['content']).flatMap(({ name }) => name ?? [])).toEqual(called);
  });

  test('an instruction above the dialogue that only mentions JSON is no order', async () => {
    const system = 'You can return JSON files with the tool `read`.';
    const [path, body] = WAYS['messages'].ask(ASKED, false, { system });
    const { json } = await post(sandbox(), 'anthropic', path, body);
    expect(textIn(json).startsWith('{')).toBe(false);
  });

  test('usage of responses says what was written to the cache', async () => {
    const [path, body] = WAYS['responses'].ask(ASKED, false);
    const { json } = await post(sandbox(), 'openai', path, body);
    expect(asObject(json['usage'])?.['input_tokens_details']).toEqual({
      cached_tokens: 0,
      cache_write_tokens: 0,
    });
  });

  const FORMATS_ASKED = Object.values(WAYS);

  test.each([
    ['Reply with exactly OK', 'OK'],
    ['ping: answer with "All right."', 'All right.'],
    ['Remember: my code = 123. Reply OK.', 'OK'],
    ['The codes are 7 and 123. What was the last? Reply with just the number.', undefined],
  ])('%j is answered with what it orders: %s', async (said, words) => {
    for (const { vendor, ask } of FORMATS_ASKED) {
      const { json } = await post(sandbox(), vendor, ...ask(said, false));
      // There is no number before the question.
      if (words === undefined) expect(textIn(json)).toContain(said);
      else expect(textIn(json)).toBe(words);
      if (words === undefined) continue;
      const streamed = await post(sandbox(), vendor, ...ask(said, true));
      expect(streamed.text).not.toContain(said);
    }
  });

  test.each([
    ['Reply with exactly HELLO and nothing else.', 'HELLO'],
    ['Respond with ONLY the title.', undefined],
    ['Always answer URGENT questions first.', undefined],
  ])('above the dialogue, %j makes it answer %s', async (system, words) => {
    const [path, body] = WAYS['messages'].ask('go', false, { system });
    const { json } = await post(sandbox(), 'anthropic', path, body);
    if (words === undefined) expect(textIn(json)).toContain('> go');
    else expect(textIn(json)).toBe(words);
  });

  test.each([
    [
      'said before',
      [
        { role: 'user', content: 'Remember: code=999. Reply OK' },
        { role: 'assistant', content: 'OK' },
      ],
      '999',
    ],
    [
      'in a result',
      [
        { role: 'user', content: 'Use the tool with 40 and 2.' },
        {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c', type: 'function', function: { name: 'add', arguments: '{}' } }],
        },
        { role: 'tool', tool_call_id: 'c', content: '{"result":42}' },
      ],
      '42',
    ],
  ])('a number that was %s is answered alone', async (_, before, number) => {
    const messages = [...before, { role: 'user', content: 'Reply with just the number.' }];
    const [path, body] = WAYS['chat-completions'].ask('', false, { messages });
    const { json } = await post(sandbox(), 'openai', path, body);
    expect(textIn(json)).toBe(number);
  });
});
