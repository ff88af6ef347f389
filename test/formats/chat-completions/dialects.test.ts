/** Which services receive which feature of the same prompt. The others get another spelling, or nothing. */

import { expect, test } from 'vitest';
import type {
  MediaPart,
  Part,
  Prompt,
  TextPart,
  ToolResultPart,
  Turn,
} from '../../../src/conversation/prompt.ts';
import { dialectNames } from '../../../src/formats/chat-completions/dialects.ts';
import { asObject, asObjects, asText, isList, isObject, type JsonObject } from '../../../src/lib/json.ts';
import { modelOf } from '../../support/model-traits.ts';
import { rendered } from './requests.ts';

const PLAIN = ['', 'openai', 'azure'];
const OPENAI = ['openai', 'azure'];
const ROUTERS = ['openrouter', 'vercel'];
const MISTRAL = ['mistral', 'mistralai'];
const MOONSHOT = ['moonshot', 'moonshotai'];
const ALIBABA = ['alibaba', 'qwen'];
const ZAI = ['z-ai', 'zai'];
/** Servers on the caller's own machine. */
const LOCAL = ['llama.cpp', 'llamacpp', 'lm-studio', 'lmstudio'];
/** Services that call thoughts `reasoning`. */
const BY_ANOTHER_NAME = ['cerebras', 'groq', 'ollama', 'together', 'vllm'];
/** Every service with a row, and one without. */
const ALL = [...dialectNames, 'unheard-of'];
const allBut = (...names: string[]): string[] => ALL.filter((name) => !names.includes(name));

const text = (words: string, more: Partial<TextPart> = {}): TextPart => ({
  kind: 'text',
  text: words,
  ...more,
});
const user = (...parts: Part[]): Turn => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Turn => ({ role: 'assistant', parts });
const image: MediaPart = {
  kind: 'media',
  media: 'image',
  mediaType: 'image/png',
  source: { kind: 'base64', data: 'AA==' },
};
const calling = (id: string, content: ToolResultPart['content']): Turn[] => [
  user(text('Go')),
  assistant({ kind: 'tool-call', id, name: 'f', arguments: '{}' }),
  user({ kind: 'tool-result', id, content }),
];
const LONG_ID = `call_${'x'.repeat(50)}`;
const messageOf = (sent: JsonObject, at: number): JsonObject => asObjects(sent['messages'])[at] ?? {};
const callOf = (sent: JsonObject): JsonObject => asObjects(messageOf(sent, 1)['tool_calls'])[0] ?? {};
const toolOf = (sent: JsonObject): JsonObject => asObjects(sent['tools'])[0] ?? {};

const FEATURES: [string, Partial<Prompt>, (sent: JsonObject) => boolean, readonly string[]][] = [
  [
    'web search',
    {
      tools: [
        { kind: 'hosted', format: 'messages', value: { type: 'web_search_20250305' }, webSearch: true },
      ],
    },
    (sent) => sent['web_search_options'] !== undefined,
    ['', ...ROUTERS, 'perplexity'],
  ],
  [
    'an image in a tool result',
    { turns: calling('a', [image]) },
    (sent) => isList(messageOf(sent, 2)['content']),
    ['', ...MISTRAL],
  ],
  [
    'metadata',
    { metadata: { a: 'b' } },
    (sent) => sent['metadata'] !== undefined,
    [...PLAIN, ...MISTRAL, 'litellm'],
  ],
  ['a user', { user: 'u' }, (sent) => sent['user'] === 'u', allBut(...MISTRAL)],
  [
    'a long user, in full',
    { user: 'u'.repeat(100) },
    (sent) => sent['user'] === 'u'.repeat(100),
    ['', ...ROUTERS],
  ],
  [
    'the first 64 characters of a long user',
    { user: 'u'.repeat(100) },
    (sent) => sent['user'] === 'u'.repeat(64),
    allBut('', ...ROUTERS, ...MISTRAL),
  ],
  [
    'a tool name with any characters',
    { tools: [{ kind: 'function', name: 'a.tool' }] },
    (sent) => asObject(toolOf(sent)['function'])?.['name'] === 'a.tool',
    [''],
  ],
  [
    'a function without parameters',
    { tools: [{ kind: 'function', name: 'f' }] },
    (sent) => asObject(toolOf(sent)['function'])?.['parameters'] === undefined,
    PLAIN,
  ],
  [
    'strict: false on a tool',
    { tools: [{ kind: 'function', name: 'f', strict: false }] },
    (sent) => asObject(toolOf(sent)['function'])?.['strict'] === false,
    PLAIN,
  ],
  [
    'a long call id',
    { turns: calling(LONG_ID, []) },
    (sent) => callOf(sent)['id'] === LONG_ID,
    allBut(...OPENAI, ...MISTRAL),
  ],
  [
    'a call id of nine characters',
    { turns: calling('call_1234567890', []) },
    (sent) => asText(callOf(sent)['id'])?.length === 9,
    MISTRAL,
  ],
  [
    'a system message between other messages',
    { turns: [user(text('1')), { role: 'system', parts: [text('S')] }, user(text('2'))] },
    (sent) => messageOf(sent, 1)['role'] === 'system',
    [...PLAIN, ...ROUTERS, ...MOONSHOT, 'deepseek', 'groq', 'litellm', 'x-ai', 'xai'],
  ],
  [
    'a developer message',
    { turns: [{ role: 'system', developer: true, parts: [text('S')] }, user(text('1'))] },
    (sent) => messageOf(sent, 0)['role'] === 'developer',
    [...PLAIN, 'vllm'],
  ],
  [
    'texts in a list',
    { turns: [user(text('1'), text('2'))] },
    (sent) => isList(messageOf(sent, 0)['content']),
    [...PLAIN, ...ROUTERS, 'litellm'],
  ],
  [
    'a mark to cache by',
    { turns: [user(text('1', { cacheBreakpoint: {} }))] },
    (sent) => asObjects(messageOf(sent, 0)['content'])[0]?.['cache_control'] !== undefined,
    [...ROUTERS, ...ALIBABA, 'litellm'],
  ],
  [
    'top k',
    { topK: 5 },
    (sent) => sent['top_k'] === 5,
    ['', ...ROUTERS, ...ALIBABA, ...LOCAL, 'fireworks', 'litellm', 'perplexity', 'together', 'vllm'],
  ],
  ['a seed', { seed: 5 }, (sent) => sent['seed'] === 5, allBut(...MISTRAL)],
  ['a seed by its older name', { seed: 5 }, (sent) => sent['random_seed'] === 5, MISTRAL],
  [
    'a wish for usage',
    { stream: true, includeUsage: true },
    (sent) => sent['stream_options'] !== undefined,
    allBut(...MISTRAL),
  ],
  ['a service tier', { serviceTier: 'flex' }, (sent) => sent['service_tier'] === 'flex', PLAIN],
  ['log probabilities', { logprobs: true }, (sent) => sent['logprobs'] === true, allBut(...MISTRAL, 'meta')],
  [
    'a limit by its newer name',
    { maxTokens: 5 },
    (sent) => sent['max_completion_tokens'] === 5 && sent['max_tokens'] === undefined,
    OPENAI,
  ],
  [
    'a custom tool',
    { tools: [{ kind: 'custom', name: 'c' }] },
    (sent) => toolOf(sent)['type'] === 'custom',
    PLAIN,
  ],
  [
    'a film',
    { turns: [user({ ...image, media: 'video', mediaType: 'video/mp4' })] },
    (sent) => JSON.stringify(sent).includes('video_url'),
    allBut(...OPENAI, ...MISTRAL),
  ],
  [
    'a refusal of its own',
    { turns: [user(text('1')), assistant({ kind: 'refusal', text: 'No.' }), user(text('2'))] },
    (sent) => messageOf(sent, 1)['refusal'] === 'No.',
    PLAIN,
  ],
  [
    'thoughts of earlier turns, as text',
    { turns: [user(text('1')), assistant({ kind: 'thinking', text: 'Hm.' }, text('2')), user(text('3'))] },
    (sent) => messageOf(sent, 1)['reasoning_content'] === 'Hm.',
    allBut(...OPENAI, ...ROUTERS, ...MISTRAL, 'google', 'perplexity', 'minimax', ...BY_ANOTHER_NAME),
  ],
  [
    'thoughts of earlier turns, by another name',
    { turns: [user(text('1')), assistant({ kind: 'thinking', text: 'Hm.' }, text('2')), user(text('3'))] },
    (sent) => messageOf(sent, 1)['reasoning'] === 'Hm.',
    BY_ANOTHER_NAME,
  ],
  [
    'thoughts of earlier turns, in a list',
    { turns: [user(text('1')), assistant({ kind: 'thinking', text: 'Hm.' }, text('2')), user(text('3'))] },
    (sent) => asObjects(messageOf(sent, 1)['reasoning_details'])[0]?.['text'] === 'Hm.',
    [...ROUTERS, 'minimax'],
  ],
  [
    'that thoughts are to come apart from what is said',
    {},
    (sent) => sent['reasoning_split'] === true,
    ['minimax'],
  ],
  [
    'thinking without an answer after it',
    { turns: [user(text('1')), assistant({ kind: 'thinking', text: 'Hm.' }), user(text('2'))] },
    (sent) => messageOf(sent, 1)['role'] === 'assistant',
    ['', ...ROUTERS, 'litellm'],
  ],
  [
    'a tool by its name that must be called',
    {
      thinking: { effort: 'none' },
      tools: [{ kind: 'function', name: 'f' }],
      toolChoice: { mode: 'required', allowed: ['f'] },
    },
    (sent) => isObject(sent['tool_choice']),
    allBut(...LOCAL, ...ZAI, 'meta', 'ollama'),
  ],
  [
    'that no tool may be called',
    { tools: [{ kind: 'function', name: 'f' }], toolChoice: { mode: 'none' } },
    (sent) => sent['tool_choice'] === 'none',
    allBut(...ZAI, 'meta'),
  ],
  [
    'a wish for the arguments of a call as they are written',
    { stream: true, tools: [{ kind: 'function', name: 'f' }] },
    (sent) => sent['tool_stream'] === true,
    ZAI,
  ],
  [
    'choices at the root of a schema',
    {
      tools: [
        {
          kind: 'function',
          name: 'f',
          parameters: { type: 'object', properties: { a: {}, b: {} }, anyOf: [{ required: ['a'] }, {}] },
        },
      ],
    },
    (sent) => asObject(asObject(toolOf(sent)['function'])?.['parameters'])?.['anyOf'] !== undefined,
    allBut(...OPENAI, ...ROUTERS, ...MOONSHOT, 'x-ai', 'xai'),
  ],
  [
    'a schema that holds itself',
    {
      tools: [
        { kind: 'function', name: 'f', parameters: { type: 'object', properties: { a: { $ref: '#' } } } },
      ],
    },
    (sent) => JSON.stringify(sent).includes('$ref'),
    allBut('meta'),
  ],
  [
    'a level of thinking, of a model nothing is known of',
    { thinking: { effort: 'low' } },
    (sent) => sent['reasoning_effort'] === 'low',
    [
      '',
      'cerebras',
      'fireworks',
      'google',
      'groq',
      'litellm',
      ...LOCAL,
      'meta',
      'ollama',
      'perplexity',
      'together',
      'vllm',
      'unheard-of',
    ],
  ],
  [
    'a level that not all have words for',
    { thinking: { effort: 'xhigh' } },
    (sent) => sent['reasoning_effort'] === 'xhigh',
    ['', 'litellm'],
  ],
  [
    'thinking on or off',
    { thinking: { effort: 'low' } },
    (sent) => asObject(sent['thinking'])?.['type'] === 'enabled',
    [...MOONSHOT, 'deepseek', ...ZAI],
  ],
  [
    "thinking in Alibaba's words",
    { thinking: { effort: 'low' } },
    (sent) => sent['enable_thinking'] === true,
    ALIBABA,
  ],
  [
    "thinking in OpenRouter's words",
    { thinking: { effort: 'low' } },
    (sent) => asObject(sent['reasoning'])?.['effort'] === 'low',
    ROUTERS,
  ],
  [
    'that an answer is begun',
    { turns: [user(text('1')), assistant(text('{'))] },
    (sent) => messageOf(sent, 1)['prefix'] === true || messageOf(sent, 1)['partial'] === true,
    [...MISTRAL, ...MOONSHOT, ...ALIBABA],
  ],
  [
    'the word JSON',
    { output: { kind: 'json' } },
    (sent) => /json/i.test(JSON.stringify(sent['messages'])),
    [...OPENAI, 'deepseek'],
  ],
  [
    'the word JSON where only a thought has it, which is no message',
    {
      output: { kind: 'json' },
      turns: [
        user(text('Hi')),
        assistant({ kind: 'thinking', text: 'As JSON?' }, text('Ok')),
        user(text('Go on')),
      ],
    },
    (sent) => /json/i.test(JSON.stringify(messageOf(sent, 0)['content'])),
    [...OPENAI, 'deepseek'],
  ],
];

test.each(FEATURES)('%s', (_, more, isThere, names) => {
  const prompt: Prompt = { model: 'm', turns: [user(text('Hi'))], stream: false, ...more };
  const takes = (dialect: string): boolean => {
    try {
      return isThere(rendered(prompt, modelOf(dialect)));
    } catch (error) {
      expect(error).toMatchObject({ fault: 'invalid-request' });
      return false;
    }
  };
  expect(ALL.filter(takes).toSorted()).toEqual([...names].toSorted());
});
