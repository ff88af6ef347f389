/**
 * The services that speak chat-completions, one row each: a row names only the columns in which the service deviates
 * from the defaults. `dialect.ts` explains the columns.
 *
 * The row `''` is the plain format: what OpenAI defines, together with the additional fields of the ecosystem. It loses
 * nothing. A service without a row is unknown and gets the defaults.
 */

import { DEFAULTS, type Dialect } from './dialect.ts';

/** The deviations of each service, by all names by which a catalog or a configuration calls it. */
const ROWS: Readonly<Record<string, Partial<Dialect>>> = {
  '': {
    lossless: true,
    developerRole: 'asked',
    systemFirst: false,
    textParts: true,
    mediaInToolMessages: true,
    openaiFields: true,
    allEfforts: true,
    effortNone: true,
    signatures: 'all',
    allowedTools: true,
    customTools: true,
    webSearch: true,
    toolNames: 'any',
    needsParameters: false,
    topK: true,
    maxStops: Number.POSITIVE_INFINITY,
    serviceTier: true,
    metadata: true,
    maxUserLength: Number.POSITIVE_INFINITY,
  },
  'openai azure': {
    developerRole: 'thinking',
    systemFirst: false,
    textParts: true,
    documentsField: 'inline',
    video: false,
    openaiFields: true,
    allEfforts: true,
    effortNone: true,
    reasoningModelsKnown: true,
    reasoningHistory: 'none',
    allowedTools: true,
    customTools: true,
    // Only the search models take web_search_options; all others answer 400. So it stays off.
    callIds: 'forty',
    needsParameters: false,
    rootUnions: false,
    needsJsonWord: true,
    maxTokensField: 'max_completion_tokens',
    stopRefusedBy: 'sampling',
    cacheKey: true,
    serviceTier: true,
    metadata: true,
  },
  'alibaba qwen': {
    prefillField: 'partial',
    thinkingField: 'enable_thinking',
    thinkingBlocksForcedTools: true,
    topK: true,
    cacheControl: true,
  },
  // "property 'messages.2.assistant.reasoning_content' is unsupported"
  cerebras: { reasoningHistory: 'reasoning', mixedStrict: false },
  deepseek: {
    systemFirst: false,
    thinkingField: 'thinking',
    reasoningHistory: 'reasoning_content-with-calls',
    thinkingBlocksForcedTools: true,
    needsJsonWord: true,
    maxStops: 16,
  },
  fireworks: { topK: true, cacheKey: true },
  google: { reasoningHistory: 'none', signatures: 'google' },
  groq: { systemFirst: false, reasoningHistory: 'reasoning', thinkTags: true },
  litellm: {
    systemFirst: false,
    textParts: true,
    allEfforts: true,
    signatures: 'all',
    topK: true,
    cacheControl: true,
    metadata: true,
  },
  // Servers on the caller's own machine.
  'llama.cpp llamacpp lm-studio lmstudio': {
    namedToolChoice: false,
    topK: true,
    maxStops: Number.POSITIVE_INFINITY,
  },
  // It also refuses stop sequences and log probabilities ("Chat Completions", Meta Model API).
  meta: {
    reasonsViaResponses: true,
    toolChoice: false,
    cyclicSchemas: false,
    logprobs: false,
    stopRefusedBy: 'thinking',
  },
  // Its `thinking` is `disabled` or `adaptive`; M2 knows only the latter, and M3.1 takes words too (java.agentscope.io,
  // "MiniMax", on what the API takes).
  minimax: {
    thinkingField: 'thinking',
    thinkingOnValue: 'adaptive',
    effortWithThinking: false,
    reasoningHistory: 'reasoning_details-text',
    needsReasoningSplit: true,
    thinkTags: true,
  },
  'mistral mistralai': {
    userAfterTool: false,
    mediaInToolMessages: true,
    documentsField: 'document_url',
    video: false,
    prefillField: 'prefix',
    reasoningModelsKnown: true,
    reasoningHistory: 'content',
    requiredWord: 'any',
    callIds: 'nine',
    seedField: 'random_seed',
    logprobs: false,
    // It always reports usage, and refuses fields that it does not know.
    streamOptions: false,
    cacheKey: true,
    metadata: true,
    maxUserLength: 0,
  },
  'moonshot moonshotai': {
    systemFirst: false,
    prefillField: 'partial',
    thinkingField: 'thinking',
    effortWithThinking: false,
    reasoningHistory: 'reasoning_content-with-calls',
    thinkingBlocksForcedTools: true,
    rootUnions: false,
    moonshotSchemas: true,
    cacheKey: true,
  },
  // It knows the words `high`, `medium`, `low` and `none`, and its reasoning models think by default (openai/openai.go).
  ollama: {
    effortNone: true,
    reasoningHistory: 'reasoning',
    namedToolChoice: false,
    maxStops: Number.POSITIVE_INFINITY,
  },
  // Routers in front of many vendors. They take the union of all fields, and `reasoning_details` for every signature.
  'openrouter vercel': {
    systemFirst: false,
    textParts: true,
    thinkingField: 'reasoning',
    allEfforts: true,
    reasoningHistory: 'reasoning_details',
    webSearch: true,
    // Behind the router are models of Anthropic and OpenAI, which refuse these, and of xAI.
    rootUnions: false,
    closedProperties: false,
    topK: true,
    cacheControl: true,
    maxUserLength: 128,
  },
  perplexity: { reasoningHistory: 'none', webSearch: true, topK: true },
  together: { reasoningHistory: 'reasoning', thinkTags: true, topK: true },
  // Since 0.11.1 it reads reasoning only from this field, whatever its documentation says (vllm-project/vllm#38488).
  vllm: {
    developerRole: 'asked',
    reasoningHistory: 'reasoning',
    topK: true,
    maxStops: Number.POSITIVE_INFINITY,
  },
  'xai x-ai': {
    systemFirst: false,
    reasoningModelsKnown: true,
    reasonsViaResponses: true,
    // "tool parameter root must be an object type (root schema is an anyOf/oneOf union with a non-object branch)"
    rootUnions: false,
    closedProperties: false,
    // "Model grok-4.6 does not support parameter stop"
    stopRefusedBy: 'thinking',
  },
  'zai z-ai': {
    thinkingField: 'thinking',
    clearsReasoning: true,
    toolChoice: false,
    needsToolStream: true,
    maxStops: 1,
  },
};

const DIALECTS: ReadonlyMap<string, Dialect> = new Map(
  Object.entries(ROWS).flatMap(([names, deviations]) => {
    const dialect: Dialect = { ...DEFAULTS, ...deviations };
    return names.split(' ').map((name) => [name, dialect] as const);
  }),
);

/** The dialect of a service by its name in the catalog; a service without a row gets what every service takes. */
export function findDialect(name: string): Dialect {
  return DIALECTS.get(name) ?? DEFAULTS;
}

/** The names of all services with a row, for checks of a catalog or a configuration. */
export const dialectNames: readonly string[] = [...DIALECTS.keys()];
