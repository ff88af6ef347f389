/**
 * The columns of the table of dialects (`dialects.ts`): where services that speak chat-completions differ, and what every
 * service takes.
 */

import type { ThinkTags } from '../model-traits.ts';

/** The field that says how much to think. */
export type ThinkingField =
  /** OpenAI: `reasoning_effort: "low"`. */
  | 'reasoning_effort'
  /** OpenRouter: `reasoning: {effort | max_tokens | enabled, exclude}`. */
  | 'reasoning'
  /** DeepSeek, Z.ai and Moonshot: `thinking: {type: "enabled" | "disabled"}`. */
  | 'thinking'
  /** Alibaba: `enable_thinking` and `thinking_budget`, or `reasoning_effort` alone for models that know its words. */
  | 'enable_thinking';

/** The field that holds a document. */
export type DocumentsField =
  /** OpenAI: `file: {file_data}` with the data in the message itself. */
  | 'inline'
  /** OpenRouter and LiteLLM: the same, and `file_data` may be a URL. */
  | 'any'
  /** Mistral: `document_url`. */
  | 'document_url';

/** How the reasoning of earlier turns goes back to the service. */
export type ReasoningHistory =
  | 'none'
  | 'reasoning_content'
  /**
   * The same, and a message with tool calls must have it. Otherwise DeepSeek ("The `reasoning_content` in the thinking
   * mode must be passed back") and Moonshot answer 400.
   */
  | 'reasoning_content-with-calls'
  | 'reasoning'
  | 'reasoning_details'
  /** MiniMax: `reasoning_details` with plain texts only. */
  | 'reasoning_details-text'
  /** Mistral: `thinking` parts in the content. */
  | 'content'
  /** In the text of the content, between `<think>` and `</think>`. The chat templates of such models look for it there. */
  | 'tags';

/** A column of several words, with its default. */
function column<Word>(word: Word): Word {
  return word;
}

/** The columns, each with what every service takes. */
export const DEFAULTS = {
  /** The service takes every field that a caller of this format may write, so each is written back as it was. */
  lossless: false,

  // Messages.
  /** When system messages get the role `developer`: never, if the caller used it, or for every model that thinks. */
  developerRole: column<'never' | 'asked' | 'thinking'>('never'),
  /** A system message may stand only at the start. The chat templates of many models require it. */
  systemFirst: true,
  /** A user message may follow a tool message. Mistral: "Unexpected role 'user' after role 'tool'". */
  userAfterTool: true,
  /** Several texts go as a list of parts. Otherwise they are joined into one string. */
  textParts: false,
  /** Tool messages may hold images and files. */
  mediaInToolMessages: false,
  documentsField: column<DocumentsField>('any'),
  video: true,
  /** The field that marks the assistant message at the end as one to be continued. */
  prefillField: column<'prefix' | 'partial' | undefined>(undefined),
  /** OpenAI's newest fields are known, and an answer's fields beside its content may come back. */
  openaiFields: false,

  // Thinking.
  thinkingField: column<ThinkingField>('reasoning_effort'),
  /** The `thinking.type` that switches thinking on. MiniMax-M3 decides by itself how much to think: `adaptive`. */
  thinkingOnValue: column<'enabled' | 'adaptive'>('enabled'),
  /** `reasoning_effort` may stand beside `thinking`. Moonshot: "cannot specify both". */
  effortWithThinking: true,
  /** The words `xhigh`, `max`, `minimal` and `none` may be sent to a model whose own words are unknown. */
  allEfforts: false,
  /** The word `none` may be sent to such a model. */
  effortNone: false,
  /** The catalog knows every reasoning model of the service: a model without thinking traits cannot think. */
  reasoningModelsKnown: false,
  reasoningHistory: column<ReasoningHistory>('reasoning_content'),
  /**
   * The model's reasoning is shown and taken back only by the service's Responses API. xAI ("Comparison with Chat
   * Completions API"): here Grok stops thinking after a few rounds of tool calls. Meta ("Reasoning"): "redacted to
   * empty", "each turn reasons from scratch" (deepnoodle-ai/dive#279).
   */
  reasonsViaResponses: false,
  /**
   * Reasoning of turns before the last user message is read only if `thinking` says not to clear it. Z.ai's endpoint for
   * coding is an exception ("Thinking Mode", Preserved thinking, docs.z.ai).
   */
  clearsReasoning: false,
  /**
   * Reasoning has its own field only if `reasoning_split` asks for it. Otherwise MiniMax writes it into the content,
   * between `<think>` and `</think>` (platform.minimax.io, "Text Generation - OpenAI API compatible").
   */
  needsReasoningSplit: false,
  /**
   * The text of an answer may begin with its reasoning, between `<think>` and `</think>`. Groq: "Groq will default to raw"
   * (LangChain, `ChatGroq.reasoning_format`); Together, for DeepSeek R1 (recorded). Of a server of one's own, the model
   * says so (`ModelTraits.thinkTags`).
   */
  thinkTags: column<ThinkTags>(false),
  /** Which signatures are sent: `thinking_blocks` (LiteLLM) and `extra_content` (Google), Google's own, or none. */
  signatures: column<'all' | 'google' | 'none'>('none'),

  // Tools.
  /**
   * A choice among tools is taken at all. Meta: "only `"auto"` is supported for `tool_choice`"; Z.ai: "Tool choice must
   * be auto".
   */
  toolChoice: true,
  /**
   * One tool can be forced by its name. LM Studio: "Invalid tool_choice type: 'object'. Supported string values: none,
   * auto, required"; llama.cpp reads a name as `auto` (ggml-org/llama.cpp#26535); Ollama ignores the whole choice
   * (ollama/ollama#17921).
   */
  namedToolChoice: true,
  /** A subset of the tools can be allowed (`allowed_tools`). */
  allowedTools: false,
  /** The word that forces a tool call. */
  requiredWord: column<'required' | 'any'>('required'),
  /**
   * A thinking model refuses a forced tool call. These models think by default, so thinking has to be switched off.
   * DeepSeek: "Thinking mode does not support this tool_choice"; Moonshot; Alibaba, for Qwen 3.5 and later.
   */
  thinkingBlocksForcedTools: false,
  /**
   * The arguments of a call stream only if `tool_stream` asks for it. Otherwise Z.ai is silent until all of them are
   * written, which takes minutes for a file ("Stream Tool Call", docs.z.ai).
   */
  needsToolStream: false,
  customTools: false,
  webSearch: false,
  /** Names of tools: any, or at most 64 characters of `A-Za-z0-9_-`. */
  toolNames: column<'any' | 'strict'>('strict'),
  /** Ids of calls: any, at most 40 characters, or exactly nine letters and digits. */
  callIds: column<'any' | 'forty' | 'nine'>('any'),

  /** Some tools may be strict and others not. Cerebras: "Tools with mixed values for 'strict' are not allowed". */
  mixedStrict: true,

  // Schemas.
  /** A function must have `parameters`. */
  needsParameters: true,
  /** The root of a function's parameters may be a union of objects. */
  rootUnions: true,
  /**
   * A parameter named `properties` may be a closed object. xAI reads the name as the keyword:
   * "/properties/properties/additionalProperties: property schema 'false' is not supported" (vercel/ai#14678).
   */
  closedProperties: true,
  /** A schema may refer to itself. Meta: "Recursive JSON schemas are not currently supported". */
  cyclicSchemas: true,
  /** Schemas follow Moonshot's own rules (`outbound/moonshot-schema.ts`). */
  moonshotSchemas: false,
  /** `json_object` is refused unless a message contains the word JSON. */
  needsJsonWord: false,

  // Settings.
  maxTokensField: column<'max_tokens' | 'max_completion_tokens'>('max_tokens'),
  seedField: column<'seed' | 'random_seed'>('seed'),
  topK: false,
  logprobs: true,
  /** Which models refuse `stop`: none, those without sampling parameters (OpenAI), or those that think (xAI, Meta). */
  stopRefusedBy: column<'never' | 'sampling' | 'thinking'>('never'),
  /** The most stop sequences. OpenAI: "array too long. Expected an array with maximum length 4". */
  maxStops: 4,
  /** A stream reports usage only if `stream_options` asks for it. */
  streamOptions: true,
  cacheControl: false,
  /**
   * `prompt_cache_key` tells which requests belong together; other services read a header (`session-header.ts`). Mistral
   * caches nothing without it ("Prompt caching", docs.mistral.ai), Fireworks finds the replica with the cache by it, and
   * Moonshot wants one for every dialogue ("Create Chat Completion", platform.kimi.ai).
   */
  cacheKey: false,
  serviceTier: false,
  metadata: false,
  /** The longest `user`, in characters; 0 if the service has no such field. */
  maxUserLength: 64,
};

/** What a service takes and how it spells it: one value for each column. */
export type Dialect = Readonly<typeof DEFAULTS>;
