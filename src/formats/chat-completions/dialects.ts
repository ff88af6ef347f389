/**
 * How services that speak chat-completions differ in what they take. Data: one row a service, told apart from a base
 * by the fields it names. `''` is the plain format as OpenAI writes it, with the ecosystem's additional fields, and
 * loses nothing; a name without a row is a service nobody here knows, and gets only what all of them take.
 */

/** How a model is told to think. */
export type ThinkingField =
  /** `reasoning_effort: "low"`, OpenAI's. */
  | 'reasoning_effort'
  /** `reasoning: {effort | max_tokens | enabled, exclude}`, OpenRouter's. */
  | 'reasoning'
  /** `thinking: {type: "enabled" | "disabled"}`, DeepSeek's, Z.ai's and Moonshot's. */
  | 'thinking'
  /** `enable_thinking`, `thinking_budget`, and for models with words `reasoning_effort` alone, Alibaba's. */
  | 'enable_thinking';

/** How documents are sent. */
export type DocumentsField =
  /** `file: {file_data}` in the message itself, OpenAI's. */
  | 'inline'
  /** The same, and `file_data` may be an address (OpenRouter, LiteLLM). */
  | 'any'
  /** `document_url`, Mistral's. */
  | 'document_url';

/** How thoughts of earlier turns go back. */
export type ReasoningHistory =
  | 'none'
  | 'reasoning_content'
  /**
   * The same, and a message with calls must have it: without, DeepSeek ("The `reasoning_content` in the thinking mode
   * must be passed back") and Moonshot answer 400.
   */
  | 'reasoning_content-with-calls'
  | 'reasoning'
  | 'reasoning_details'
  /** The same with their texts alone, MiniMax's. */
  | 'reasoning_details-text'
  /** In the content list, as Mistral does. */
  | 'content';

export interface Dialect {
  /** Whether whatever a caller of this format may write is written back as it was. */
  readonly lossless: boolean;
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly thinkingField: ThinkingField;
  /** The word in `thinking` that asks a model to think: MiniMax-M3 decides by itself how much, and knows no other. */
  readonly thinkingOnValue: 'enabled' | 'adaptive';
  /** Whether `reasoning_effort` may stand beside `thinking`. Moonshot: "cannot specify both". */
  readonly effortWithThinking: boolean;
  /**
   * Whether thinking refuses a tool that must be called. These think unasked, so that it must be ruled out (DeepSeek:
   * "Thinking mode does not support this tool_choice"; Moonshot; Alibaba, whose Qwen does so from 3.5 on).
   */
  readonly thinkingBlocksForcedTools: boolean;
  /**
   * Whether one tool may be named that must be called. LM Studio: "Invalid tool_choice type: 'object'. Supported string
   * values: none, auto, required"; llama.cpp takes a name for `auto` (ggml-org/llama.cpp#26535), Ollama passes over all
   * that is chosen (ollama/ollama#17921).
   */
  readonly namedToolChoice: boolean;
  /**
   * Whether a choice among tools is taken at all. Meta: "only `"auto"` is supported for `tool_choice`. `"none"`,
   * `"required"`, and named function choices are not currently supported"; Z.ai: "Tool choice must be auto".
   */
  readonly toolChoice: boolean;
  /**
   * Whether the arguments of a call stream only where `tool_stream` asks for it: without, Z.ai is silent until all of them
   * are written, which takes minutes for a file ("Stream Tool Call", docs.z.ai).
   */
  readonly needsToolStream: boolean;
  readonly reasoningHistory: ReasoningHistory;
  /**
   * Whether the model goes on thinking by responses alone: by this format it has its thoughts neither shown nor back (xAI,
   * "Comparison with Chat Completions API", and Grok thinks no more after a few rounds of calls; Meta, "Reasoning":
   * "redacted to empty", "each turn reasons from scratch", deepnoodle-ai/dive#279).
   */
  readonly reasonsViaResponses: boolean;
  /**
   * Whether thoughts of turns before the last user's are read only where `thinking` says that they are not to be cleared,
   * but in Z.ai's place for coding ("Thinking Mode", Preserved thinking, docs.z.ai).
   */
  readonly clearsReasoning: boolean;
  /**
   * Whether thoughts come apart from what is said only where `reasoning_split` asks for it: MiniMax puts them into the
   * content otherwise, between `<think>` and `</think>` (platform.minimax.io, "Text Generation - OpenAI API compatible").
   */
  readonly needsReasoningSplit: boolean;
  /** Whether signatures go along: `thinking_blocks` (LiteLLM) and `extra_content` (Google). */
  readonly signatures: 'all' | 'google' | 'none';
  /** Whether `xhigh`, `max`, `minimal` and `none` are words of the service, where its model's are not known. */
  readonly allEfforts: boolean;
  /** Whether `none` is one for each of its models. */
  readonly effortNone: boolean;
  /** A model without thinking traits in the catalog cannot think (true), or nobody knows (false). */
  readonly reasoningModelsKnown: boolean;
  /** Whether system turns are `developer`: never, where the caller said so, or for all models that think. */
  readonly developerRole: 'never' | 'asked' | 'thinking';
  /** Whether a system message may stand only at the start: so many models' chat templates have it. */
  readonly systemFirst: boolean;
  /** Whether OpenAI's newest fields are taken, and what an answer has beside its content may come back. */
  readonly openaiFields: boolean;
  readonly customTools: boolean;
  readonly allowedTools: boolean;
  readonly requiredWord: 'required' | 'any';
  readonly webSearch: boolean;
  /** Whether a function must have `parameters`. */
  readonly needsParameters: boolean;
  /** Whether the parameters of a function may be one of several objects. */
  readonly rootUnions: boolean;
  /**
   * Whether a parameter that is named `properties` may be a closed object. xAI takes the name for the keyword:
   * "/properties/properties/additionalProperties: property schema 'false' is not supported" (vercel/ai#14678).
   */
  readonly closedProperties: boolean;
  /** Whether a schema may hold itself. Meta: "Recursive JSON schemas are not currently supported". */
  readonly cyclicSchemas: boolean;
  /** Whether schemas go by Moonshot's own rules. */
  readonly moonshotSchemas: boolean;
  /** Whether tool messages may hold images and files. */
  readonly mediaInToolMessages: boolean;
  /** Whether a user message may follow a tool message. Mistral: "Unexpected role 'user' after role 'tool'". */
  readonly userAfterTool: boolean;
  readonly documentsField: DocumentsField;
  readonly video: boolean;
  /** Whether texts go as a list of parts where there are several; else they are joined. */
  readonly textParts: boolean;
  readonly cacheControl: boolean;
  /**
   * Whether `prompt_cache_key` says what belongs together; some are told by a header (`session-header.ts`).
   * Mistral caches nothing without ("Prompt caching", docs.mistral.ai), Fireworks finds the replica by it that has the
   * cache, and Moonshot wants it of every dialogue ("Create Chat Completion", platform.kimi.ai).
   */
  readonly cacheKey: boolean;
  readonly topK: boolean;
  readonly seedField: 'seed' | 'random_seed';
  /** Whether a stream tells usage only if asked by `stream_options`. */
  readonly streamOptions: boolean;
  readonly serviceTier: boolean;
  readonly metadata: boolean;
  readonly logprobs: boolean;
  /** The longest `user`, in characters; 0 where there is no such field. */
  readonly maxUserLength: number;
  /** The field of an assistant message at the end that says it is to be continued. */
  readonly prefillField?: 'prefix' | 'partial';
  /**
   * Which models take no `stop`: none, those that take no sampling parameters (OpenAI), or those that think (xAI: "Model
   * grok-4.6 does not support parameter stop"; Meta).
   */
  readonly stopRefusedBy: 'never' | 'sampling' | 'thinking';
  /** Whether `json_object` needs the word JSON in some message. */
  readonly needsJsonWord: boolean;
  /** Rules for ids of calls: any, at most 40 characters, or nine letters and digits. */
  readonly callIds: 'any' | 'forty' | 'nine';
  /** Rules for names of tools: any, or 64 of `A-Za-z0-9_-`. */
  readonly toolNames: 'any' | 'strict';
}

const PLAIN: Dialect = {
  lossless: true,
  maxTokensField: 'max_tokens',
  thinkingField: 'reasoning_effort',
  thinkingOnValue: 'enabled',
  effortWithThinking: true,
  thinkingBlocksForcedTools: false,
  namedToolChoice: true,
  toolChoice: true,
  needsToolStream: false,
  reasoningHistory: 'reasoning_content',
  reasonsViaResponses: false,
  clearsReasoning: false,
  needsReasoningSplit: false,
  signatures: 'all',
  allEfforts: true,
  effortNone: true,
  reasoningModelsKnown: false,
  developerRole: 'asked',
  systemFirst: false,
  openaiFields: true,
  customTools: true,
  allowedTools: true,
  requiredWord: 'required',
  webSearch: true,
  needsParameters: false,
  rootUnions: true,
  closedProperties: true,
  cyclicSchemas: true,
  moonshotSchemas: false,
  mediaInToolMessages: true,
  userAfterTool: true,
  documentsField: 'any',
  video: true,
  textParts: true,
  cacheControl: false,
  cacheKey: false,
  topK: true,
  seedField: 'seed',
  streamOptions: true,
  serviceTier: true,
  metadata: true,
  logprobs: true,
  maxUserLength: Number.POSITIVE_INFINITY,
  stopRefusedBy: 'never',
  needsJsonWord: false,
  callIds: 'any',
  toolNames: 'any',
};

/** What every service takes. */
const COMPATIBLE: Dialect = {
  ...PLAIN,
  lossless: false,
  signatures: 'none',
  allEfforts: false,
  effortNone: false,
  developerRole: 'never',
  systemFirst: true,
  openaiFields: false,
  customTools: false,
  allowedTools: false,
  webSearch: false,
  needsParameters: true,
  mediaInToolMessages: false,
  textParts: false,
  topK: false,
  serviceTier: false,
  metadata: false,
  maxUserLength: 64,
  toolNames: 'strict',
};

const OPENAI: Dialect = {
  ...PLAIN,
  lossless: false,
  maxTokensField: 'max_completion_tokens',
  reasoningHistory: 'none',
  signatures: 'none',
  reasoningModelsKnown: true,
  developerRole: 'thinking',
  // web_search_options is for the search models alone; everywhere else it is a 400.
  webSearch: false,
  rootUnions: false,
  mediaInToolMessages: false,
  documentsField: 'inline',
  video: false,
  cacheKey: true,
  topK: false,
  maxUserLength: 64,
  stopRefusedBy: 'sampling',
  needsJsonWord: true,
  callIds: 'forty',
  toolNames: 'strict',
};

/** Routers in front of many vendors: they take the union, and reasoning_details for every kind of signature. */
const ROUTER: Dialect = {
  ...COMPATIBLE,
  thinkingField: 'reasoning',
  reasoningHistory: 'reasoning_details',
  allEfforts: true,
  systemFirst: false,
  cacheControl: true,
  textParts: true,
  webSearch: true,
  // Neither Anthropic nor OpenAI takes any, and their models are behind it too, as are xAI's.
  rootUnions: false,
  closedProperties: false,
  topK: true,
  maxUserLength: 128,
};

const MISTRAL: Dialect = {
  ...COMPATIBLE,
  reasoningHistory: 'content',
  reasoningModelsKnown: true,
  requiredWord: 'any',
  mediaInToolMessages: true,
  userAfterTool: false,
  documentsField: 'document_url',
  video: false,
  cacheKey: true,
  seedField: 'random_seed',
  // Mistral always tells usage, and refuses fields it does not know.
  streamOptions: false,
  logprobs: false,
  maxUserLength: 0,
  metadata: true,
  prefillField: 'prefix',
  callIds: 'nine',
};

const MOONSHOT: Dialect = {
  ...COMPATIBLE,
  thinkingField: 'thinking',
  effortWithThinking: false,
  thinkingBlocksForcedTools: true,
  reasoningHistory: 'reasoning_content-with-calls',
  systemFirst: false,
  rootUnions: false,
  moonshotSchemas: true,
  cacheKey: true,
  prefillField: 'partial',
};

const ZAI: Dialect = {
  ...COMPATIBLE,
  thinkingField: 'thinking',
  toolChoice: false,
  needsToolStream: true,
  clearsReasoning: true,
};

const ALIBABA: Dialect = {
  ...COMPATIBLE,
  thinkingField: 'enable_thinking',
  thinkingBlocksForcedTools: true,
  topK: true,
  cacheControl: true,
  prefillField: 'partial',
};

/** Servers on one's own machine. */
const LOCAL: Dialect = { ...COMPATIBLE, namedToolChoice: false, topK: true };

const XAI: Dialect = {
  ...COMPATIBLE,
  reasonsViaResponses: true,
  reasoningModelsKnown: true,
  systemFirst: false,
  // "tool parameter root must be an object type (root schema is an anyOf/oneOf union with a non-object branch)"
  rootUnions: false,
  closedProperties: false,
  stopRefusedBy: 'thinking',
};

const DIALECTS: Readonly<Record<string, Dialect>> = {
  '': PLAIN,
  openai: OPENAI,
  azure: OPENAI,
  alibaba: ALIBABA,
  // "property 'messages.2.assistant.reasoning_content' is unsupported"
  cerebras: { ...COMPATIBLE, reasoningHistory: 'reasoning' },
  deepseek: {
    ...COMPATIBLE,
    thinkingField: 'thinking',
    thinkingBlocksForcedTools: true,
    reasoningHistory: 'reasoning_content-with-calls',
    systemFirst: false,
    needsJsonWord: true,
  },
  fireworks: { ...COMPATIBLE, cacheKey: true, topK: true },
  google: { ...COMPATIBLE, reasoningHistory: 'none', signatures: 'google' },
  groq: { ...COMPATIBLE, reasoningHistory: 'reasoning', systemFirst: false },
  'llama.cpp': LOCAL,
  llamacpp: LOCAL,
  'lm-studio': LOCAL,
  lmstudio: LOCAL,
  litellm: {
    ...COMPATIBLE,
    signatures: 'all',
    allEfforts: true,
    systemFirst: false,
    cacheControl: true,
    textParts: true,
    topK: true,
    metadata: true,
  },
  // It refuses stop sequences and log probabilities, too ("Chat Completions", Meta Model API).
  meta: {
    ...COMPATIBLE,
    reasonsViaResponses: true,
    toolChoice: false,
    cyclicSchemas: false,
    stopRefusedBy: 'thinking',
    logprobs: false,
  },
  // Its `thinking` is `disabled` or `adaptive`, of which M2 knows the second only; M3.1 has words (java.agentscope.io,
  // "MiniMax": what its API takes).
  minimax: {
    ...COMPATIBLE,
    thinkingField: 'thinking',
    thinkingOnValue: 'adaptive',
    effortWithThinking: false,
    reasoningHistory: 'reasoning_details-text',
    needsReasoningSplit: true,
  },
  mistral: MISTRAL,
  mistralai: MISTRAL,
  moonshot: MOONSHOT,
  moonshotai: MOONSHOT,
  // Its words are `high`, `medium`, `low` and `none`, and models that think do so unasked (openai/openai.go).
  ollama: { ...COMPATIBLE, reasoningHistory: 'reasoning', namedToolChoice: false, effortNone: true },
  openrouter: ROUTER,
  perplexity: { ...COMPATIBLE, reasoningHistory: 'none', webSearch: true, topK: true },
  qwen: ALIBABA,
  together: { ...COMPATIBLE, reasoningHistory: 'reasoning', topK: true },
  vercel: ROUTER,
  // It reads thoughts by this name alone since 0.11.1, whatever its documentation says (vllm-project/vllm#38488).
  vllm: { ...COMPATIBLE, reasoningHistory: 'reasoning', topK: true, developerRole: 'asked' },
  'x-ai': XAI,
  xai: XAI,
  'z-ai': ZAI,
  zai: ZAI,
};

/** The dialect of a name; a service without a row gets what every service takes. */
export function dialectOf(name: string): Dialect {
  return (Object.hasOwn(DIALECTS, name) && DIALECTS[name]) || COMPATIBLE;
}

/** The names with a row of their own, for those who check a catalog. */
export const dialectNames: readonly string[] = Object.keys(DIALECTS);
