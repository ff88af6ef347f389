/** The requests that the simulated vendors reject, with the messages of the real ones. */

import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/lib/json.ts';
import { asObject, parseJson } from '../../src/lib/json.ts';
import { post, useSandbox, type Vendor, WAYS, WEATHER_SCHEMA } from './support.ts';

const sandbox = useSandbox();

type Row = readonly [fault: string, more: JsonObject, message: string];

const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } });
const hi = { role: 'user', content: 'hi' };
const closed = (properties: JsonObject) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
/** A list that is longer than the arguments of a call can be. */
const crowd = (first: JsonObject) => [first, ...Array.from({ length: 150_000 }, () => ({}))];
const EITHER = { type: 'object', properties: { a: {} }, anyOf: [{ required: ['a'] }] };

const listing = {
  type: 'local_shell_call',
  call_id: 'call_1',
  action: { type: 'exec', command: ['ls'], env: {} },
  status: 'completed',
};
const removal = {
  type: 'apply_patch_call',
  call_id: 'call_1',
  operation: { type: 'delete_file', path: 'a' },
  status: 'completed',
};

const CHAT: readonly Row[] = [
  [
    'one of many properties',
    {
      tools: [
        {
          type: 'function',
          function: {
            name: 'f',
            parameters: { type: 'object', properties: { ...crowd({ type: 'array' }) } },
          },
        },
      ],
    },
    "Invalid schema for function 'f': In context=('properties', '0'), array schema missing items.",
  ],
  [
    'schema of a model without',
    {
      model: 'gpt-3.5-turbo',
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: closed({}) } },
    },
    "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model. Learn more about supported models at the Structured Outputs guide: https://platform.openai.com/docs/guides/structured-outputs",
  ],
  ['unknown field', { colour: 1 }, "Unknown parameter: 'colour'."],
  ['unknown field inside', { messages: [{ ...hi, colour: 1 }] }, "Unknown parameter: 'messages[0].colour'."],
  [
    'wrong type',
    { temperature: 'hot' },
    "Invalid type for 'temperature': expected a decimal number, but got a string instead.",
  ],
  [
    'wrong type of a union',
    { messages: [{ role: 'user', content: 5 }] },
    "Invalid type for 'messages[0].content': expected one of a string or an array of objects, but got an integer instead.",
  ],
  [
    'unknown role',
    { messages: [{ role: 'boss', content: 'hi' }] },
    "Invalid value: 'boss'. Supported values are: 'assistant', 'developer', 'system', 'user', 'tool', and 'function'.",
  ],
  [
    'too big',
    { temperature: 3 },
    "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
  ],
  [
    'empty list',
    { messages: [] },
    "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    'long list',
    { stop: ['a', 'b', 'c', 'd', 'e'] },
    "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 instead.",
  ],
  [
    'call not answered',
    { messages: [hi, { role: 'assistant', content: null, tool_calls: [call('call_1')] }, hi] },
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: call_1",
  ],
  [
    'answer to no call',
    { messages: [hi, { role: 'tool', tool_call_id: 'call_1', content: 'x' }] },
    "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
  ],
  [
    'answer to another call',
    {
      messages: [
        hi,
        { role: 'assistant', content: null, tool_calls: [call('call_1')] },
        { role: 'tool', tool_call_id: 'call_2', content: 'x' },
      ],
    },
    "Invalid parameter: 'tool_call_id' of 'call_2' not found in 'tool_calls' of previous message.",
  ],
  [
    'long id',
    { messages: [hi, { role: 'assistant', content: null, tool_calls: [call('x'.repeat(41))] }] },
    "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
  ],
  [
    'choice without tools',
    { tool_choice: 'auto' },
    "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
  ],
  [
    'stream options alone',
    { stream_options: { include_usage: true } },
    "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
  ],
  [
    'both limits',
    { max_tokens: 5, max_completion_tokens: 5 },
    "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
  ],
  [
    'JSON unasked',
    { response_format: { type: 'json_object' } },
    "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
  ],
  [
    'open strict schema',
    { tools: [{ type: 'function', function: { name: 'f', strict: true, parameters: WEATHER_SCHEMA } }] },
    "Invalid schema for function 'f': In context=(), 'additionalProperties' is required to be supplied and to be false.",
  ],
  [
    'format of a strict schema',
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'a', strict: true, schema: closed({ url: { type: 'string', format: 'uri' } }) },
      },
    },
    "Invalid schema for response_format 'a': In context=('properties', 'url'), 'uri' is not a valid format.",
  ],
  [
    'keyword of a strict schema',
    {
      tools: [
        { type: 'function', function: { name: 'f', strict: true, parameters: closed({ a: { oneOf: [] } }) } },
      ],
    },
    "Invalid schema for function 'f': In context=('properties', 'a'), 'oneOf' is not permitted.",
  ],
  [
    'bad name of a tool',
    { tools: [{ type: 'function', function: { name: 'a b' } }] },
    "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  ],
  [
    'old limit of a reasoning model',
    { model: 'gpt-5', max_tokens: 5 },
    "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
  ],
  [
    'sampling of a reasoning model',
    { model: 'o3', temperature: 0.5 },
    "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
  ],
  [
    'effort of a model that does not reason',
    { reasoning_effort: 'low' },
    "Unsupported parameter: 'reasoning_effort' is not supported with this model.",
  ],
  [
    'unknown effort',
    { model: 'gpt-5', reasoning_effort: 'max' },
    "Unsupported value: 'max' is not supported with the 'gpt-5' model. Supported values are: 'minimal', 'low', 'medium', and 'high'.",
  ],
  [
    'function without properties',
    { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] },
    "Invalid schema for function 'f': In context=(), object schema missing properties.",
  ],
  [
    'one of several objects',
    { model: 'gpt-5', tools: [{ type: 'function', function: { name: 'f', parameters: EITHER } }] },
    "Invalid schema for function 'f': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level",
  ],
];

const RESPONSES: readonly Row[] = [
  [
    'long id of a call',
    { input: [{ type: 'function_call', call_id: 'x'.repeat(65), name: 'f', arguments: '{}' }] },
    "Invalid 'input[0].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  [
    'item that comes twice',
    {
      input: ['msg_1', 'msg_1'].map((id) => ({ type: 'message', id, role: 'assistant', content: 'x' })),
    },
    'Duplicate item found with id msg_1. Remove duplicate items from your input and try again.',
  ],
  [
    'schema of a model without',
    {
      model: 'gpt-3.5-turbo',
      text: { format: { type: 'json_schema', name: 'a', schema: closed({ a: { type: 'string' } }) } },
    },
    "Invalid parameter: 'text.format' of type 'json_schema' is not supported with this model.",
  ],
  [
    'one of several objects before GPT-5',
    { tools: [{ type: 'function', name: 'f', parameters: EITHER }] },
    "Invalid schema for function 'f': schema must have type 'object' and not have 'oneOf'/'anyOf'/'allOf'/'enum'/'const'/'not' at the top level",
  ],
  ['unknown field', { colour: 1 }, "Unknown parameter: 'colour'."],
  [
    'unknown field in a tool',
    { tools: [{ type: 'function', name: 'f', colour: 1 }] },
    "Unknown parameter: 'tools[0].colour'.",
  ],
  [
    'low limit',
    { max_output_tokens: 1 },
    "Invalid 'max_output_tokens': integer below minimum value. Expected a value >= 16, but got 1 instead.",
  ],
  [
    'output without a call',
    { input: [{ type: 'function_call_output', call_id: 'call_1', output: 'x' }] },
    'No tool call found for function call output with call_id call_1.',
  ],
  [
    'call without an output',
    { input: [{ type: 'function_call', call_id: 'call_1', name: 'f', arguments: '{}' }, hi] },
    'No tool output found for function call call_1.',
  ],
  [
    'id of another kind',
    { input: [{ type: 'function_call', id: 'toolu_1', call_id: 'call_1', name: 'f', arguments: '{}' }] },
    "Invalid 'input[0].id': 'toolu_1'. Expected an ID that begins with 'fc'.",
  ],
  [
    'output without a call, of a shell',
    { input: [{ type: 'shell_call_output', call_id: 'call_1', output: [] }] },
    'No tool call found for shell call output with call_id call_1.',
  ],
  [
    'call without an output, of a shell of old',
    { input: [listing, hi] },
    'No tool output found for local shell call call_1.',
  ],
  [
    'id of another kind, of a patch',
    { input: [{ ...removal, id: 'fc_1' }] },
    "Invalid 'input[0].id': 'fc_1'. Expected an ID that begins with 'apc'.",
  ],
  [
    'operation that there is not',
    { input: [{ ...removal, operation: { type: 'rename_file', path: 'a' } }] },
    "Invalid value: 'rename_file'. Supported values are: 'create_file', 'update_file', and 'delete_file'.",
  ],
  [
    'unknown field in an action',
    { input: [{ ...listing, action: { ...listing.action, colour: 1 } }] },
    "Unknown parameter: 'input[0].action.colour'.",
  ],
  [
    'reasoning that is not stored',
    {
      model: 'gpt-5',
      input: [hi, { type: 'reasoning', id: 'rs_1', summary: [] }, { role: 'assistant', content: 'x' }],
    },
    "Item with id 'rs_1' not found. Items are not persisted when `store` is set to false. Try again with `store` set to true, or remove this item from your input.",
  ],
  [
    'reasoning without what it led to',
    { model: 'gpt-5', input: [{ type: 'reasoning', summary: [] }, hi] },
    "Item '' of type 'reasoning' was provided without its required following item.",
  ],
  [
    'name of a file that OpenAI fetches',
    {
      input: [
        hi,
        { role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example/b', filename: 'b' }] },
      ],
    },
    "Mutually exclusive parameters: 'input[1].content[0]'. Ensure you are only providing one of: 'file_id' or 'filename'.",
  ],
  [
    'sealed reasoning of a model without',
    { include: ['reasoning.encrypted_content'] },
    'Encrypted content is not supported with this model.',
  ],
  [
    'effort of a model without',
    { reasoning: { effort: 'low' } },
    "Unsupported parameter: 'reasoning.effort' is not supported with this model.",
  ],
  [
    'array without items',
    {
      tools: [
        {
          type: 'function',
          name: 'f',
          parameters: { type: 'object', properties: { a: { anyOf: [{ type: 'array' }] } } },
        },
      ],
    },
    "Invalid schema for function 'f': In context=('properties', 'a', 'anyOf', '0'), array schema missing items.",
  ],
  [
    'pattern that Python does not read',
    {
      tools: [
        {
          type: 'function',
          name: 'f',
          parameters: { type: 'object', properties: { a: { type: 'string', pattern: '^\\p{L}+$' } } },
        },
      ],
    },
    "Invalid schema for function 'f': '^\\p{L}+$' is not a 'regex'.",
  ],
  [
    'tuple in the words of an older draft',
    {
      tools: [
        {
          type: 'function',
          name: 'f',
          parameters: { type: 'object', properties: { a: { type: 'array', items: [{ type: 'string' }] } } },
        },
      ],
    },
    `Invalid schema for function 'f': [{"type":"string"}] is not of type 'object', 'boolean'.`,
  ],
];

const use = (id: string) => ({
  role: 'assistant',
  content: [{ type: 'tool_use', id, name: 'f', input: {} }],
});
const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'x' });
const small = { name: 'f', input_schema: { type: 'object' } };

const MESSAGES: readonly Row[] = [
  [
    'one of many schemas',
    { output_config: { format: { type: 'json_schema', schema: { anyOf: crowd({ type: 'object' }) } } } },
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  [
    'strict tool of a model without',
    {
      model: 'claude-3-5-haiku-20241022',
      tools: [{ name: 'f', input_schema: { type: 'object' }, strict: true }],
    },
    'tools.0.custom.strict: Extra inputs are not permitted',
  ],
  ['unknown field', { colour: 1 }, 'colour: Extra inputs are not permitted'],
  ['no limit', { max_tokens: undefined }, 'max_tokens: Field required'],
  ['wrong type', { max_tokens: '5' }, 'max_tokens: Input should be a valid number'],
  ['zero', { max_tokens: 0 }, 'max_tokens: Input should be greater than or equal to 1'],
  [
    'empty text',
    { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] },
    'messages: text content blocks must be non-empty',
  ],
  [
    'empty title',
    {
      messages: [
        {
          role: 'user',
          content: [
            { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'x' }, title: '' },
          ],
        },
      ],
    },
    'messages.0.content.0.title: String should have at least 1 character',
  ],
  ['no message', { messages: [] }, 'messages: at least one message is required'],
  [
    'assistant first',
    { messages: [{ role: 'assistant', content: 'x' }] },
    'messages: first message must use the "user" role',
  ],
  [
    'use not answered',
    { messages: [hi, use('toolu_1'), hi] },
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'text before the result',
    {
      messages: [
        hi,
        use('toolu_1'),
        { role: 'user', content: [{ type: 'text', text: 'so' }, result('toolu_1')] },
      ],
    },
    'messages.1: `tool_use` ids were found without `tool_result` blocks immediately after: toolu_1. Each `tool_use` block must have a corresponding `tool_result` block in the next message.',
  ],
  [
    'result of no use',
    { messages: [{ role: 'user', content: [result('toolu_1')] }] },
    'messages.0.content.0: unexpected `tool_use_id` found in `tool_result` blocks: toolu_1. Each `tool_result` block must have a corresponding `tool_use` block in the previous message.',
  ],
  [
    'ids twice',
    {
      messages: [
        hi,
        use('toolu_1'),
        { role: 'user', content: [result('toolu_1')] },
        use('toolu_1'),
        { role: 'user', content: [result('toolu_1')] },
      ],
    },
    'messages.3.content.0: `tool_use` ids must be unique',
  ],
  [
    'thinking budget over the limit',
    { max_tokens: 1024, thinking: { type: 'enabled', budget_tokens: 1024 } },
    '`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size',
  ],
  [
    'thinking with a forced tool',
    { thinking: { type: 'enabled', budget_tokens: 1024 }, tools: [small], tool_choice: { type: 'any' } },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
  [
    'forced tool of a newer model',
    { model: 'claude-opus-5-5', tools: [small], tool_choice: { type: 'any' } },
    'Thinking may not be enabled when tool_choice forces tool use.',
  ],
  ['tools twice', { tools: [small, small] }, 'tools: Tool names must be unique.'],
  [
    'unknown tool',
    { tools: [small], tool_choice: { type: 'tool', name: 'g' } },
    "Tool 'g' not found in provided tools",
  ],
  [
    'open schema',
    { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
    "output_config.format.schema: For 'object' type, 'additionalProperties' must be explicitly set to false",
  ],
  [
    'unknown effort',
    { output_config: { effort: 'xhigh' } },
    "This model does not support effort level 'xhigh'. Supported levels: high, low, max, medium.",
  ],
  [
    'prefill of a newer model',
    { messages: [hi, { role: 'assistant', content: 'So' }] },
    'This model does not support assistant message prefill. The conversation must end with a user message.',
  ],
  [
    'five marks',
    {
      system: Array.from({ length: 5 }, () => ({
        type: 'text',
        text: 'x',
        cache_control: { type: 'ephemeral' },
      })),
    },
    'A maximum of 4 blocks with cache_control may be provided. Found 5.',
  ],
  [
    'a mark within a result',
    {
      tools: [small],
      messages: [
        hi,
        { role: 'assistant', content: [{ type: 'tool_use', id: 'toolu_1', name: 'f', input: {} }] },
        {
          role: 'user',
          content: [
            {
              type: 'tool_result',
              tool_use_id: 'toolu_1',
              content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }],
            },
          ],
        },
      ],
    },
    'messages.2.content.0.tool_result.content.0.cache_control: cache_control may not be specified within `tool_result.content`. Instead, place it directly on `tool_result`',
  ],
  [
    'an address of a user',
    { metadata: { user_id: 'jane@example.com' } },
    'metadata.user_id: user_id appears to contain an email address. Please send a uuid or hash value instead.',
  ],
  [
    'name of a parameter',
    { tools: [small, { name: 'g', input_schema: { type: 'object', properties: { $top: {} } } }] },
    "tools.1.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'",
  ],
  [
    'one of several objects',
    { tools: [small, { name: 'g', input_schema: { type: 'object', anyOf: [{ required: ['a'] }] } }] },
    'tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level',
  ],
  [
    'many strict tools',
    { tools: Array.from({ length: 21 }, (_, at) => ({ ...small, name: `t${at}`, strict: true })) },
    'Too many strict tools (21). The maximum number of strict tools is 20.',
  ],
  ['thread without its beta', { thread: { type: 'create' } }, 'thread: Extra inputs are not permitted'],
];

const user = (...parts: readonly JsonObject[]) => ({ role: 'user', parts });
const model = (...parts: readonly JsonObject[]) => ({ role: 'model', parts });
const text = { text: 'hi' };
const calls = { functionCall: { name: 'f', args: {} }, thoughtSignature: 'skip_thought_signature_validator' };
const response = { functionResponse: { name: 'f', response: {} } };

const GEMINI: readonly Row[] = [
  [
    'signature that is not base64',
    {
      contents: [
        { role: 'user', parts: [{ text: 'hi' }] },
        { role: 'model', parts: [{ text: 'a', thoughtSignature: 'openai#abc' }] },
        { role: 'user', parts: [{ text: 'hi' }] },
      ],
    },
    `Invalid value at 'contents[1].parts[0].thought_signature' (TYPE_BYTES), Base64 decoding failed for "openai#abc"`,
  ],
  ['a penalty', { generationConfig: { presencePenalty: 0.5 } }, 'Penalty is not enabled for this model'],
  [
    'unknown field',
    { colour: 1 },
    'Invalid JSON payload received. Unknown name "colour": Cannot find field.',
  ],
  [
    'unknown field in snake_case',
    { eye_colour: 1 },
    'Invalid JSON payload received. Unknown name "eye_colour": Cannot find field.',
  ],
  [
    'unknown field inside',
    { generationConfig: { topz: 1 } },
    'Invalid JSON payload received. Unknown name "topz" at \'generation_config\': Cannot find field.',
  ],
  [
    'wrong type',
    { contents: [user({ text: 5 })] },
    "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5",
  ],
  ['nothing', { contents: [] }, '* GenerateContentRequest.contents: contents is not specified\n'],
  ['unknown role', { contents: [{ role: 'boss', parts: [text] }] }, 'Please use a valid role: user, model.'],
  [
    'empty part',
    { contents: [user({})] },
    "* GenerateContentRequest.contents[0].parts[0].data: required oneof field 'data' must have one initialized field\n",
  ],
  [
    'too few responses',
    { contents: [user(text), model(calls, calls), user(response)] },
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  ],
  [
    'call not answered',
    { contents: [user(text), model(calls), user(text)] },
    'Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.',
  ],
  [
    'response to nothing',
    { contents: [user(text), model(text), user(response)] },
    'Please ensure that function response turn comes immediately after a function call turn.',
  ],
  [
    'call first',
    { contents: [model(calls), user(response)] },
    'Please ensure that function call turn comes immediately after a user turn or after a function response turn.',
  ],
  [
    'budget and level',
    { generationConfig: { thinkingConfig: { thinkingBudget: 5, thinkingLevel: 'LOW' } } },
    'You can only set only one of thinking budget and thinking level.',
  ],
  [
    'names in a mode without',
    {
      tools: [{ functionDeclarations: [{ name: 'f' }] }],
      toolConfig: { functionCallingConfig: { allowedFunctionNames: ['f'] } },
    },
    'Allowed function names can only be set when function calling mode is ANY or VALIDATED.',
  ],
];

async function refusal(
  format: keyof typeof WAYS,
  more: JsonObject,
): Promise<{ status: number; message: unknown }> {
  const { vendor, ask } = WAYS[format];
  const { status, json } = await post(sandbox(), vendor, ...ask('hi', false, more));
  return { status, message: asObject(json['error'])?.['message'] };
}

describe.each([
  ['chat-completions', CHAT],
  ['responses', RESPONSES],
  ['messages', MESSAGES],
  ['generate-content', GEMINI],
] as const)('%s', (format, rows) => {
  test.each(rows)('%s', async (_, more, message) => {
    const refused = await refusal(format, more);
    expect(refused.message).toBe(message);
    expect(refused.status).toBe(message.startsWith('Item with id') ? 404 : 400);
  });

  test('a body that is not JSON', async () => {
    const { vendor, ask } = WAYS[format];
    const [path] = ask('hi', false);
    for (const body of ['{"model":', '[]', '']) {
      expect((await post(sandbox(), vendor, path, body)).status).toBe(400);
    }
  });
});

describe('keys and versions', () => {
  test.each<[Vendor, string, Record<string, string>, number]>([
    ['openai', '/chat/completions', { authorization: 'Bearer wrong' }, 401],
    ['openai', '/responses', { authorization: '' }, 401],
    ['compatible', '/chat/completions', { authorization: 'Bearer wrong' }, 401],
    ['anthropic', '/v1/messages', { 'x-api-key': 'wrong' }, 401],
    ['anthropic', '/v1/messages', { 'anthropic-version': '1999-01-01' }, 400],
    ['google', '/v1beta/models/gemini-2.5-flash:generateContent', { 'x-goog-api-key': 'wrong' }, 400],
  ])('%s%s with %o is a %i', async (vendor, path, headers, status) => {
    expect((await post(sandbox(), vendor, path, {}, headers)).status).toBe(status);
  });

  test('no version, no key', async () => {
    const { anthropic, google } = sandbox().places;
    const keyed = { 'x-api-key': anthropic.apiKey };
    const versionless = await fetch(`${anthropic.baseUrl}/v1/messages`, {
      method: 'POST',
      headers: keyed,
      body: '{}',
    });
    expect(versionless.status).toBe(400);
    expect(await versionless.text()).toContain('anthropic-version: header is required');
    const keyless = await fetch(`${google.baseUrl}/v1beta/models`);
    expect(keyless.status).toBe(403);
    const inQuery = await fetch(`${google.baseUrl}/v1beta/models?key=${google.apiKey}`);
    expect(inQuery.status).toBe(200);
    expect((await fetch(new URL('/nowhere', anthropic.baseUrl))).status).toBe(404);
  });
});

test.each([
  ['gemini-3.5-flash', 200],
  ['gemini-3.5-flash-lite', 400],
  ['gemini-3.8-flash', 400],
  ['gemini-4-argon', 400],
])('%s with a request to continue an answer: %i', async (name, status) => {
  const body = { contents: [user(text), model(text)] };
  const answer = await post(sandbox(), 'google', `/v1beta/models/${name}:generateContent`, body);
  expect(answer.status).toBe(status);
});

test.each([
  ['gemini-3.8-flash', 'HIGH', 200],
  ['gemini-3.8-flash', 'XHIGH', 400],
  // Qwen Code 0.24 says so if its user has chosen no level.
  ['gemini-3.8-flash', 'THINKING_LEVEL_UNSPECIFIED', 200],
  ['gemini-2.0-flash', 'thinking_level_unspecified', 200],
  ['gemini-4-argon', 'MINIMAL', 400],
  ['gemini-4-argon', 'XHIGH', 400],
  ['gemini-4-hydrogen', 'XHIGH', 200],
  ['gemini-4-neon', 'xhigh', 200],
])('%s with effort %s: %i', async (name, thinkingLevel, status) => {
  const body = { contents: [user(text)], generationConfig: { thinkingConfig: { thinkingLevel } } };
  const answer = await post(sandbox(), 'google', `/v1beta/models/${name}:generateContent`, body);
  expect(answer.status).toBe(status);
});

test('a prompt longer than the context window is rejected, in each vendor’s words', async () => {
  const said = 'word '.repeat(900_000);
  expect(
    await refusal('messages', { model: 'claude-haiku-4-5', messages: [{ role: 'user', content: said }] }),
  ).toEqual({
    status: 400,
    message: expect.stringMatching(/^prompt is too long: 1125000 tokens > \d+ maximum$/),
  });
  expect(await refusal('responses', { input: said })).toMatchObject({
    status: 400,
    message: expect.stringContaining('exceeds the context window'),
  });
});

test('a service with models of many vendors accepts known extensions, and checks the rest', async () => {
  const models = await fetch(`${sandbox().places.compatible.baseUrl}/models`, {
    headers: { authorization: `Bearer ${sandbox().places.compatible.apiKey}` },
  });
  const list = parseJson(await models.text());
  expect(list).toMatchObject({ object: 'list' });
  const body = {
    model: 'deepseek/deepseek-v4-flash',
    messages: [{ ...hi, reasoning_content: 'x' }],
    top_k: 5,
  };
  const added = await post(sandbox(), 'compatible', '/chat/completions', body);
  expect(added.status).toBe(200);
  const colour = await post(sandbox(), 'compatible', '/chat/completions', { ...body, colour: 1 });
  expect(colour.status).toBe(400);
});

describe('the fields of the newest SDKs are accepted', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://a.example/a.png' } };
  const claude: readonly JsonObject[] = [
    {
      model: 'claude-opus-4-8',
      messages: [hi, { role: 'system', content: 'Be brief.', clear_at: 'next_user_message' }],
    },
    { messages: [hi, { role: 'system', output_config: { effort: 'low' } }] },
    { messages: [hi, { role: 'system', content: [], output_config: { effort: 'low' } }] },
    { messages: [{ role: 'user', content: [{ ...image, transformations: { oversized_image: 'error' } }] }] },
    {
      model: 'claude-opus-4-7',
      thinking: {
        type: 'adaptive',
        display: 'updates',
        block_binding: { prefix_mismatch_behavior: 'error' },
      },
    },
    { fallbacks: 'default', fallback_credit_token: { token: 'abc' } },
  ];
  const breakpoint = { mode: 'explicit', ttl: '12h' };
  const png = { url: 'data:image/png;base64,iVBORw0KGgo=', format: 'image/png' };
  const undescribed = { name: 'a', schema: closed({}), description: null, strict: null };
  const openai: readonly JsonObject[] = [
    { prompt_cache_key: null, safety_identifier: null },
    // As Strands Agents sends a picture.
    { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: png }] }] },
    // As inspect-ai sends a schema.
    { response_format: { type: 'json_schema', json_schema: undescribed } },
    {
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'hi', prompt_cache_breakpoint: breakpoint }] },
      ],
    },
  ];
  const responses: readonly JsonObject[] = [
    {
      input: [
        {
          role: 'user',
          content: [{ type: 'input_text', text: 'hi', prompt_cache_breakpoint: breakpoint }],
        },
      ],
    },
    { access_programs: { cyber: 'standard' }, image: { context_compression: 'auto' } },
    { prompt_cache_options: { comparison_response_id: 'resp_1' } },
    { tools: [{ type: 'function', name: 'f', parameters: closed({}), strict: true, async: true }] },
    { tools: [{ type: 'custom', name: 'f', async: false }] },
    { tools: [{ type: 'computer' }], tool_choice: { type: 'computer_use' } },
  ];
  const rows = [
    ...claude.map((more) => ['messages', more] as const),
    ...openai.map((more) => ['chat-completions', more] as const),
    ...responses.map((more) => ['responses', more] as const),
  ];

  test.each(rows)('%s: %j', async (format, more) => {
    const { vendor, ask } = WAYS[format];
    const { status, text } = await post(sandbox(), vendor, ...ask('hi', false, more));
    expect(status, text).toBe(200);
  });
});

test.each([
  ['an unknown role', { role: 'boss', content: 'hi' }, /^messages\.0\.role: Input should be 'user'/],
  ['a user who says nothing', { role: 'user' }, /^messages\.0\.content: /],
  ['a user who is cleared', { ...hi, clear_at: 'never' }, /^messages\.0\.clear_at: Extra/],
  ['a system message that says nothing', { role: 'system' }, /^messages\.0\.content: /],
])('messages: %s', async (_, message, expected) => {
  expect(await refusal('messages', { messages: [message] })).toEqual({
    status: 400,
    message: expect.stringMatching(expected),
  });
});

describe('system messages within a conversation of messages', () => {
  const said = { role: 'system', content: 'Be brief.' };
  const answer = { role: 'assistant', content: 'Hello.' };
  const served = {
    role: 'assistant',
    content: [{ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] }],
  };
  const set = { role: 'system', content: [], output_config: { effort: 'low' } };
  const model = 'claude-opus-4-8';

  test.each<[string, JsonObject[]]>([
    ['behind a user, at the end', [hi, said]],
    ['before an answer, twice', [hi, said, said, answer, hi]],
    ['behind what a tool of its own has answered', [hi, served, said]],
    ['nothing, which stands anywhere', [set, hi, answer, set, hi]],
  ])('accepted: %s', async (_, messages) => {
    expect((await refusal('messages', { model, messages })).status).toBe(200);
  });

  test.each<[string, JsonObject[], RegExp]>([
    ['first of all', [said, hi], /^messages\.0: use the top-level 'system' parameter/],
    ['behind an answer', [hi, answer, said], /^messages\.2: role 'system' must follow a 'user' message or/],
    [
      'before a user',
      [hi, said, hi],
      /^messages\.1: role 'system' must precede an 'assistant' message or end/,
    ],
  ])('rejected: %s', async (_, messages, expected) => {
    const message = expect.stringMatching(expected);
    expect(await refusal('messages', { model, messages })).toEqual({ status: 400, message });
  });

  test('rejected: by earlier models', async () => {
    const message = "role 'system' is not supported on this model";
    expect(await refusal('messages', { messages: [hi, said] })).toEqual({ status: 400, message });
  });
});

test.each([' \n', [{ type: 'text', text: '\t' }]])('messages: %j, which is not text', async (content) => {
  const message = 'messages: text content blocks must contain non-whitespace text';
  expect(await refusal('messages', { messages: [{ role: 'user', content }] })).toEqual({
    status: 400,
    message,
  });
});
