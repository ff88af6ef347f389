/** What a service is asked to find out whether it keeps to a format: requests that every model can answer. */

import type { Prompt, Tool, Turn } from '../../conversation/prompt.ts';
import type { Choice, Reply } from '../../conversation/reply.ts';
import { isObject, type JsonObject, tryParseJson } from '../../lib/json.ts';

/** A request, and what an answer to it must have beside the form of its format. */
export interface ConformCase {
  readonly name: string;
  readonly prompt: Omit<Prompt, 'model' | 'stream'>;
  /** What is missing of the answer, as a sentence; undefined if nothing is. */
  missing(answer: Choice, reply: Reply): string | undefined;
}

/** Room for the thoughts of a model that cannot do without. */
const MAX_TOKENS = 2_000;
/** The least that OpenAI's responses take. */
const FEW_TOKENS = 16;

const SCHEMA: JsonObject = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};

const WEATHER = {
  kind: 'function',
  name: 'get_weather',
  description: 'Gets the weather in a city.',
  parameters: SCHEMA,
} as const satisfies Tool;

const user = (text: string): Turn => ({ role: 'user', parts: [{ kind: 'text', text }] });
const ASK_WEATHER = user('What is the weather in Oslo? Use get_weather.');

/** The cases, from the simplest on. */
export const CONFORM_CASES: readonly ConformCase[] = [
  {
    name: 'text',
    prompt: { turns: [user('Say hello in one short sentence.')], maxTokens: MAX_TOKENS },
    missing: withText,
  },
  {
    name: 'dialogue',
    prompt: {
      turns: [
        { role: 'system', parts: [{ kind: 'text', text: 'Be brief.' }] },
        user('My name is Ada.'),
        { role: 'assistant', parts: [{ kind: 'text', text: 'Hello Ada!' }] },
        user('What is my name?'),
      ],
      maxTokens: MAX_TOKENS,
    },
    missing: withText,
  },
  {
    name: 'length',
    prompt: { turns: [user('Count from one to five hundred, in words.')], maxTokens: FEW_TOKENS },
    missing: ({ end: { finish } }) =>
      finish === 'length' ? undefined : `The answer ends with ${finish}, and not at the limit of its length.`,
  },
  {
    name: 'tool-call',
    prompt: { turns: [ASK_WEATHER], tools: [WEATHER], maxTokens: MAX_TOKENS },
    missing: withCall,
  },
  {
    name: 'tool-result',
    prompt: {
      turns: [
        ASK_WEATHER,
        {
          role: 'assistant',
          parts: [{ kind: 'tool-call', id: 'call_1', name: WEATHER.name, arguments: '{"city":"Oslo"}' }],
        },
        {
          role: 'user',
          parts: [
            {
              kind: 'tool-result',
              id: 'call_1',
              name: WEATHER.name,
              content: [{ kind: 'text', text: '{"sky":"clear","celsius":21}' }],
            },
          ],
        },
      ],
      tools: [WEATHER],
      maxTokens: MAX_TOKENS,
    },
    missing: withText,
  },
  {
    name: 'json-schema',
    prompt: {
      turns: [user('Name the capital of Norway.')],
      output: { kind: 'json-schema', name: 'capital', schema: SCHEMA, strict: true },
      maxTokens: MAX_TOKENS,
    },
    missing(answer) {
      const value = tryParseJson(getText(answer));
      const fits = isObject(value) && typeof value['city'] === 'string' && Object.keys(value).length === 1;
      return fits ? undefined : 'The answer is no JSON of the schema.';
    },
  },
];

function getText({ parts }: Choice): string {
  return parts.map((part) => (part.kind === 'text' ? part.text : '')).join('');
}

function withText(answer: Choice, { usage }: Reply): string | undefined {
  if (getText(answer).trim() === '') return 'The answer has no text.';
  if (answer.end.finish !== 'stop') return `The answer ends with ${answer.end.finish}.`;
  return (usage.output ?? 0) > 0 ? undefined : 'The answer tells no output tokens.';
}

function withCall({ parts, end: { finish } }: Choice): string | undefined {
  const call = parts.find((part) => part.kind === 'tool-call');
  if (call === undefined) return 'The answer has no call.';
  if (call.name !== WEATHER.name) return 'The call is of a tool that was not offered.';
  const given = tryParseJson(call.arguments);
  if (!isObject(given) || typeof given['city'] !== 'string') return 'The arguments do not fit the tool.';
  return finish === 'tool-calls' ? undefined : `The answer ends with ${finish}, and not with a call.`;
}
