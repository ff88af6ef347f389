/**
 * What the makers of models refuse in chat completions, one row each, found by the beginning of a model's id. A row names
 * only what it refuses beyond what the format itself does not allow; models without a row are at a service that takes all.
 */

import { wordList } from '../../../src/lib/words.ts';
import type { RefusedThing } from '../../../src/sandbox/refusal-subject.ts';
import {
  groqShape,
  minimaxShape,
  mistralShape,
  openaiShape,
  perplexityShape,
  type Shape,
  vllmShape,
  xaiShape,
  zaiShape,
} from './shapes.ts';

export interface Service {
  /** How it wraps its errors. */
  readonly shape: Shape;
  /**
   * Its own sentences, where it does not say what the others say: with the `{field}` or `{id}`,
   * and the `{index}` of the message.
   */
  readonly says?: Readonly<Partial<Record<RefusedThing, string>>>;
  /** The status for a field that it does not know. Absent: 400. */
  readonly unknownStatus?: 422;
  /** The fields of a message that it knows, by role. Absent: it ignores others. */
  readonly messageFields?: Readonly<Record<string, readonly string[]>>;
  /** Fields of the request that it refuses. */
  readonly refuses?: readonly string[];
  /** Whether it refuses `response_format` with a schema. */
  readonly refusesSchemas?: true;
  /** Whether it refuses tools of which some are strict and others are not. */
  readonly refusesMixedStrict?: true;
  /** The ids of calls that it takes. */
  readonly callIds?: RegExp;
  /** Whether an id of a call may come only once in a dialogue. */
  readonly uniqueIds?: true;
  readonly uniqueToolNames?: true;
  /** Whether a call must bring the thought before it, while the model thinks. */
  readonly wantsReasoning?: true;
  readonly refusesUserAfterTool?: true;
  readonly refusesLateSystem?: true;
  readonly refusesEmptyTurns?: true;
  /** Whether the arguments of a call must be a JSON object. */
  readonly wantsObjects?: true;
  /** Whether user and assistant must take turns. */
  readonly alternates?: true;
}

const SERVICES: Readonly<Record<string, Service>> = {
  // QwenLM/qwen-code#3724, anomalyco/opencode#24083; llm-exe/llm-exe#662; decolua/9router#3333.
  deepseek: {
    shape: openaiShape,
    says: {
      'missing reasoning_content':
        'The `reasoning_content` in the thinking mode must be passed back to the API.',
      'tool names': 'Tool names must be unique.',
      setting: 'This response_format type is unavailable now',
    },
    refusesSchemas: true,
    uniqueToolNames: true,
    wantsReasoning: true,
  },
  // cloudwego/eino-ext#700; MoonshotAI/kimi-code#1985.
  moonshotai: {
    shape: groqShape,
    says: {
      'missing reasoning_content':
        'thinking is enabled but reasoning_content is missing in assistant tool call message at index {index}',
      'empty text':
        "Invalid request: the message at position {index} with role 'assistant' must not be empty",
    },
    wantsReasoning: true,
    refusesEmptyTurns: true,
  },
  // charmbracelet/crush#1590, BerriAI/litellm#30835 (unknown fields); anomalyco/opencode#1680 (ids); BerriAI/litellm#17761
  // (order); NousResearch/hermes-agent#11722 (ids that repeat); vybestack/llxprt-code#114 (stream_options);
  // OpenHands/OpenHands#8685 (turns without content).
  mistralai: {
    shape: mistralShape,
    says: {
      'user after tool': "Unexpected role 'user' after role 'tool'",
      'late system': "Unexpected role 'system' after role 'assistant'",
      'foreign ids': 'Tool call id was {id} but must be a-z, A-Z, 0-9, with a length of 9.',
      'repeated ids': 'Not the same number of function calls and responses',
      'empty text': 'Assistant message must have either content or tool_calls, but not none.',
      'unknown field': 'Extra inputs are not permitted',
    },
    unknownStatus: 422,
    messageFields: {
      system: ['role', 'content'],
      user: ['role', 'content'],
      assistant: ['role', 'content', 'tool_calls', 'prefix'],
      tool: ['role', 'content', 'tool_call_id', 'name'],
    },
    refuses: wordList(`
      stream_options max_completion_tokens logprobs top_logprobs logit_bias user store seed verbosity top_k
      thinking reasoning
    `),
    callIds: /^[a-zA-Z0-9]{9}$/,
    uniqueIds: true,
    refusesUserAfterTool: true,
    refusesLateSystem: true,
    refusesEmptyTurns: true,
  },
  // vllm-project/vllm#41114 (system messages), QwenLM/Qwen3#1894 (arguments).
  qwen: {
    shape: vllmShape,
    says: {
      'late system': 'System message must be at the beginning.',
      'input no object': 'Can only get item pairs from a mapping.',
    },
    refusesLateSystem: true,
    wantsObjects: true,
  },
  // can1357/oh-my-pi#2055, VicBilibily/GCMP#120; BigPizzaV3/CodexPlusPlus#267, dataelement/Clawith#589.
  minimax: {
    shape: minimaxShape,
    says: {
      'repeated ids': 'duplicate tool_call id: {id}',
      'late system': 'chat content has invalid message role: system',
    },
    uniqueIds: true,
    refusesLateSystem: true,
  },
  // justrach/codegraff#812 (a text that is empty), charmbracelet/crush#1237.
  'z-ai': {
    shape: zaiShape,
    says: {
      setting: 'Invalid API parameter, please check the documentation.',
      'empty text': 'The messages parameter is illegal. Please check the documentation.',
    },
    refusesSchemas: true,
    refusesEmptyTurns: true,
  },
  // miaoxworld/NativeTavern#83, langchain-ai/langchain#38335.
  'x-ai': {
    shape: xaiShape,
    says: { 'unknown field': 'Model grok-4.6 does not support parameter {field}.' },
    refuses: ['presence_penalty', 'frequency_penalty', 'stop'],
  },
  // perplexityai/api-discussion#265, iamsrikanthnani/pluely#71.
  perplexity: { shape: perplexityShape, alternates: true },
  // Llama stands for the many small services that serve open models, and take least: Groq (NousResearch/hermes-agent#11089,
  // vercel/ai#8056, musistudio/llms#64), gatewayz (earendil-works/pi#596), Cerebras (RooCodeInc/Roo-Code#10334), NIM
  // (diegosouzapw/OmniRoute#13642).
  'meta-llama': {
    shape: groqShape,
    messageFields: {
      system: ['role', 'content', 'name'],
      user: ['role', 'content', 'name'],
      assistant: ['role', 'content', 'name', 'tool_calls', 'refusal'],
      tool: ['role', 'content', 'tool_call_id', 'name'],
    },
    refuses: wordList('stream_options reasoning_effort reasoning thinking logprobs top_logprobs store'),
    refusesSchemas: true,
    refusesMixedStrict: true,
  },
};

const TAKES_ALL: Service = { shape: openaiShape };

/** @returns the service of a model, by the model's id */
export function findService(id: string): Service {
  const maker = id.slice(0, Math.max(0, id.indexOf('/'))).toLowerCase();
  return Object.hasOwn(SERVICES, maker) ? (SERVICES[maker] ?? TAKES_ALL) : TAKES_ALL;
}
