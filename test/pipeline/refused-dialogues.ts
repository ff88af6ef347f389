/** Dialogues that hold what a vendor refuses, in each caller's format, and judges that find it in a vendor's request. */

import type { FormatName } from '../../src/conversation/prompt.ts';
import { asList, asObject, asObjects, type Json, type JsonObject } from '../../src/lib/json.ts';
import type { RefusedThing } from './repair-wordings.ts';

/** What a dialogue is made of. */
interface Ingredients {
  readonly thoughts?: true;
  readonly ids?: readonly [string, string];
  /** The arguments of the first call. */
  readonly input?: Json;
  readonly userAfterTool?: true;
  readonly lateSystem?: true;
  readonly emptyText?: true;
  readonly withoutResult?: true;
  readonly fields?: Partial<Record<FormatName, JsonObject>>;
}

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { a: { type: 'string' } },
  required: ['a'],
  additionalProperties: false,
};

const INGREDIENTS: Readonly<Record<RefusedThing, Ingredients>> = {
  thoughts: { thoughts: true },
  'thinking setting': {
    fields: {
      'chat-completions': { reasoning_effort: 'high' },
      responses: { reasoning: { effort: 'high' } },
      messages: { max_tokens: 4000, thinking: { type: 'enabled', budget_tokens: 2000 } },
      'generate-content': { generationConfig: { thinkingConfig: { thinkingBudget: 2000 } } },
    },
  },
  stream_options: { fields: { 'chat-completions': { stream_options: { include_usage: true } } } },
  json_schema: {
    fields: {
      'chat-completions': {
        response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema: SCHEMA } },
      },
      responses: { text: { format: { type: 'json_schema', name: 'a', strict: true, schema: SCHEMA } } },
      messages: { output_config: { format: { type: 'json_schema', schema: SCHEMA } } },
      'generate-content': {
        generationConfig: { responseMimeType: 'application/json', responseJsonSchema: SCHEMA },
      },
    },
  },
  'strict tools': {},
  'repeated ids': { ids: ['call_0', 'call_0'] },
  'foreign ids': { ids: [`toolu_01A.b:${'c'.repeat(60)}`, 'toolu_02'] },
  // As Gemini gives them itself.
  'any ids': { ids: ['qr5t8m1v', 'w2x9c4bn'] },
  'user after tool': { userAfterTool: true },
  'late system': { lateSystem: true },
  'input no object': { input: [1] },
  'missing reasoning_content': {},
  'empty text': { emptyText: true },
  order: { withoutResult: true },
};

/** A dialogue of two rounds of calls that holds `thing`, as far as the caller's format can. */
export function dialogueWith(thing: RefusedThing, from: FormatName): JsonObject {
  const made = INGREDIENTS[thing];
  const isStrict = thing === 'strict tools';
  return { ...BUILDERS[from](made, isStrict), ...made.fields?.[from] };
}

type Builder = (made: Ingredients, isStrict: boolean) => JsonObject;

const BUILDERS: Readonly<Record<FormatName, Builder>> = {
  'chat-completions': ({ ids = ['a1', 'a2'], input = {}, ...made }, isStrict) => {
    const call = (id: string, args: Json): JsonObject => ({
      role: 'assistant',
      content: made.emptyText ? '' : 'Let me see.',
      ...(made.thoughts && { reasoning_content: 'Hm.' }),
      tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: JSON.stringify(args) } }],
    });
    return {
      messages: [
        { role: 'user', content: 'Rome?' },
        call(ids[0], input),
        ...(made.withoutResult ? [] : [{ role: 'tool', tool_call_id: ids[0], content: 'Sunny.' }]),
        ...(made.emptyText ? [{ role: 'assistant', content: '' }] : []),
        ...(made.lateSystem ? [{ role: 'system', content: 'Be brief.' }] : []),
        call(ids[1], {}),
        { role: 'tool', tool_call_id: ids[1], content: 'Rainy.' },
        ...(made.userAfterTool ? [{ role: 'user', content: 'And?' }] : []),
      ],
      tools: [
        { type: 'function', function: { name: 'f', parameters: SCHEMA, ...(isStrict && { strict: true }) } },
      ],
    };
  },
  responses: ({ ids = ['a1', 'a2'], input = {}, ...made }, isStrict) => {
    const call = (id: string, args: Json): JsonObject[] => [
      ...(made.thoughts
        ? [{ type: 'reasoning', id: `rs_${id}`, summary: [], encrypted_content: 'anthropic#c2lnbmVk' }]
        : []),
      { role: 'assistant', content: made.emptyText ? '' : 'Let me see.' },
      { type: 'function_call', call_id: id, name: 'f', arguments: JSON.stringify(args) },
    ];
    return {
      store: false,
      input: [
        { role: 'user', content: 'Rome?' },
        ...call(ids[0], input),
        ...(made.withoutResult ? [] : [{ type: 'function_call_output', call_id: ids[0], output: 'Sunny.' }]),
        ...(made.lateSystem ? [{ role: 'system', content: 'Be brief.' }] : []),
        ...call(ids[1], {}),
        { type: 'function_call_output', call_id: ids[1], output: 'Rainy.' },
        ...(made.userAfterTool ? [{ role: 'user', content: 'And?' }] : []),
      ],
      tools: [{ type: 'function', name: 'f', parameters: SCHEMA, strict: isStrict }],
    };
  },
  messages: ({ ids = ['a1', 'a2'], input = {}, ...made }, isStrict) => {
    const call = (id: string, args: Json): JsonObject => ({
      role: 'assistant',
      content: [
        ...(made.thoughts ? [{ type: 'thinking', thinking: 'Hm.', signature: 'openai#c2lnbmVk' }] : []),
        { type: 'text', text: made.emptyText ? '' : 'Let me see.' },
        { type: 'tool_use', id, name: 'f', input: args },
      ],
    });
    const result = (id: string, content: string): JsonObject => ({
      type: 'tool_result',
      tool_use_id: id,
      content,
    });
    return {
      max_tokens: 1000,
      messages: [
        { role: 'user', content: 'Rome?' },
        call(ids[0], input),
        { role: 'user', content: made.withoutResult ? 'Well?' : [result(ids[0], 'Sunny.')] },
        ...(made.lateSystem ? [{ role: 'system', content: 'Be brief.' }] : []),
        call(ids[1], {}),
        {
          role: 'user',
          content: [
            result(ids[1], 'Rainy.'),
            ...(made.userAfterTool ? [{ type: 'text', text: 'And?' }] : []),
          ],
        },
      ],
      tools: [{ name: 'f', input_schema: SCHEMA, ...(isStrict && { strict: true }) }],
    };
  },
  'generate-content': ({ ids = ['a1', 'a2'], input = {}, ...made }) => {
    const call = (id: string, args: Json): JsonObject => ({
      role: 'model',
      parts: [
        ...(made.thoughts ? [{ text: 'Hm.', thought: true, thoughtSignature: 'b3BlbmFpI2FiYw==' }] : []),
        { text: made.emptyText ? '' : 'Let me see.' },
        { functionCall: { id, name: 'f', args } },
      ],
    });
    const result = (id: string, output: string): JsonObject => ({
      functionResponse: { id, name: 'f', response: { output } },
    });
    return {
      contents: [
        { role: 'user', parts: [{ text: 'Rome?' }] },
        call(ids[0], input),
        { role: 'user', parts: made.withoutResult ? [{ text: 'Well?' }] : [result(ids[0], 'Sunny.')] },
        call(ids[1], {}),
        {
          role: 'user',
          parts: [result(ids[1], 'Rainy.'), ...(made.userAfterTool ? [{ text: 'And?' }] : [])],
        },
      ],
      tools: [{ functionDeclarations: [{ name: 'f', parametersJsonSchema: SCHEMA }] }],
    };
  },
};

/** Whether a request in the vendor's format holds `thing`. It reads JSON, and shares nothing with the product's parsers. */
export function holds(thing: RefusedThing, format: FormatName, body: JsonObject): boolean {
  return JUDGES[format][thing]?.(body) ?? false;
}

type Judge = (body: JsonObject) => boolean;

const text = (value: Json | undefined): string => (typeof value === 'string' ? value : '');
const isRepeated = (ids: readonly string[]): boolean => new Set(ids).size < ids.length;
const parsed = (json: Json | undefined): unknown => JSON.parse(text(json) || '{}');
const isNoObject = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || Array.isArray(value);
const says = (body: JsonObject, words: RegExp): boolean => words.test(JSON.stringify(body));

const messagesOf = (body: JsonObject): readonly JsonObject[] => asObjects(body['messages']);
const callsOf = (message: JsonObject): readonly JsonObject[] => asObjects(message['tool_calls']);
const chatIds = (body: JsonObject): string[] =>
  messagesOf(body).flatMap((message) => callsOf(message).map(({ id }) => text(id)));
const isSystem = ({ role }: JsonObject): boolean => role === 'system' || role === 'developer';
const hasLateSystem = (turns: readonly JsonObject[]): boolean => {
  const first = turns.findIndex((turn) => !isSystem(turn));
  return first >= 0 && turns.slice(first).some(isSystem);
};

/** Whether any of the calls has no result, or any result no call before it. */
const isLoose = (calls: readonly string[], results: readonly string[]): boolean =>
  calls.length !== results.length || calls.some((id) => !results.includes(id));

const blocksOf = (body: JsonObject): readonly JsonObject[] =>
  messagesOf(body).flatMap(({ content }) => asObjects(content));
const itemsOf = (body: JsonObject): readonly JsonObject[] => asObjects(body['input']);
const partsOf = (body: JsonObject): readonly JsonObject[] =>
  asObjects(body['contents']).flatMap(({ parts }) => asObjects(parts));
const configOf = (body: JsonObject): JsonObject => asObject(body['generationConfig']) ?? {};
const ofType = (blocks: readonly JsonObject[], type: string): readonly JsonObject[] =>
  blocks.filter((block) => block['type'] === type);
const isBlank = (value: Json | undefined): boolean => typeof value === 'string' && value.trim() === '';

const JUDGES: Readonly<Record<FormatName, Partial<Record<RefusedThing, Judge>>>> = {
  'chat-completions': {
    thoughts: (body) => says(body, /"(?:reasoning|reasoning_content|reasoning_details|thinking_blocks)":/),
    'thinking setting': (body) =>
      ['reasoning_effort', 'reasoning', 'thinking', 'enable_thinking'].some(
        (name) => body[name] !== undefined,
      ),
    stream_options: (body) => body['stream_options'] !== undefined,
    json_schema: (body) => asObject(body['response_format'])?.['type'] === 'json_schema',
    'strict tools': (body) => says(body, /"strict":true/),
    'repeated ids': (body) => isRepeated(chatIds(body)),
    'foreign ids': (body) => chatIds(body).some((id) => !/^[A-Za-z0-9]{9}$/.test(id)),
    'user after tool': (body) =>
      messagesOf(body).some(
        (message, at, all) => message['role'] === 'user' && all[at - 1]?.['role'] === 'tool',
      ),
    'late system': (body) => hasLateSystem(messagesOf(body)),
    'input no object': (body) =>
      messagesOf(body).some((message) =>
        callsOf(message).some((call) => isNoObject(parsed(asObject(call['function'])?.['arguments']))),
      ),
    'missing reasoning_content': (body) =>
      messagesOf(body).some((message) => callsOf(message).length > 0 && !message['reasoning_content']),
    'empty text': (body) =>
      messagesOf(body).some(
        (message) =>
          isBlank(message['content']) || (message['content'] === null && callsOf(message).length === 0),
      ),
    order: (body) =>
      isLoose(
        chatIds(body),
        messagesOf(body).flatMap((message) =>
          message['role'] === 'tool' ? text(message['tool_call_id']) : [],
        ),
      ),
  },
  responses: {
    thoughts: (body) => ofType(itemsOf(body), 'reasoning').length > 0,
    'thinking setting': (body) => body['reasoning'] !== undefined,
    'strict tools': (body) => says(body, /"strict":true/),
    'repeated ids': (body) =>
      isRepeated(ofType(itemsOf(body), 'function_call').map((item) => text(item['call_id']))),
    'foreign ids': (body) => itemsOf(body).some((item) => text(item['call_id']).length > 64),
    'late system': (body) =>
      itemsOf(body).some(
        (item, at) =>
          isSystem(item) &&
          itemsOf(body)
            .slice(0, at)
            .some((one) => !isSystem(one)),
      ),
    order: (body) =>
      isLoose(
        ofType(itemsOf(body), 'function_call').map((item) => text(item['call_id'])),
        ofType(itemsOf(body), 'function_call_output').map((item) => text(item['call_id'])),
      ),
  },
  messages: {
    thoughts: (body) =>
      blocksOf(body).some(({ type }) => type === 'thinking' || type === 'redacted_thinking'),
    'thinking setting': (body) =>
      body['thinking'] !== undefined || asObject(body['output_config'])?.['effort'] !== undefined,
    json_schema: (body) => asObject(body['output_config'])?.['format'] !== undefined,
    'strict tools': (body) => says(body, /"strict":true/),
    'repeated ids': (body) => isRepeated(ofType(blocksOf(body), 'tool_use').map(({ id }) => text(id))),
    'foreign ids': (body) =>
      ofType(blocksOf(body), 'tool_use').some(({ id }) => !/^[A-Za-z0-9_-]+$/.test(text(id))),
    'late system': (body) => messagesOf(body).some(isSystem),
    'input no object': (body) => ofType(blocksOf(body), 'tool_use').some(({ input }) => isNoObject(input)),
    'empty text': (body) => ofType(blocksOf(body), 'text').some((block) => isBlank(block['text'])),
    order: (body) =>
      isLoose(
        ofType(blocksOf(body), 'tool_use').map(({ id }) => text(id)),
        ofType(blocksOf(body), 'tool_result').map((block) => text(block['tool_use_id'])),
      ),
  },
  'generate-content': {
    thoughts: (body) =>
      partsOf(body).some(({ thoughtSignature }) => /^b3BlbmFp|#/.test(text(thoughtSignature))),
    'thinking setting': (body) => configOf(body)['thinkingConfig'] !== undefined,
    json_schema: (body) =>
      ['responseSchema', 'responseJsonSchema'].some((name) => configOf(body)[name] !== undefined),
    'foreign ids': (body) =>
      partsOf(body).some((part) => text(asObject(part['functionCall'])?.['id']).startsWith('toolu_')),
    'any ids': (body) =>
      partsOf(body).some((part) =>
        ['functionCall', 'functionResponse'].some((name) => asObject(part[name])?.['id'] !== undefined),
      ),
    'input no object': (body) =>
      partsOf(body).some((part) => Array.isArray(asObject(part['functionCall'])?.['args'])),
    'empty text': (body) => partsOf(body).some((part) => isBlank(part['text'])),
    order: (body) => {
      const calls = partsOf(body).filter((part) => part['functionCall'] !== undefined).length;
      return calls !== partsOf(body).filter((part) => part['functionResponse'] !== undefined).length;
    },
  },
};

/** How many answers of a model a request holds. */
export function answersIn(format: FormatName, body: JsonObject): number {
  const turns = asList(
    body[format === 'responses' ? 'input' : format === 'generate-content' ? 'contents' : 'messages'],
  );
  return turns.filter((turn) => ['assistant', 'model'].includes(text(asObject(turn)?.['role']))).length;
}
