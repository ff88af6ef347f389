/** The columns of the table of dialects (`dialects.ts`): where services that speak chat-completions differ. */

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
  | 'content';

/** What a service takes and how it spells it. One value for each column. */
export interface Dialect {
  /** The service takes every field that a caller of this format may write, so each is written back as it was. */
  readonly lossless: boolean;

  // Messages.
  /** When system messages get the role `developer`: never, if the caller used it, or for every model that thinks. */
  readonly developerRole: 'never' | 'asked' | 'thinking';
  /** A system message may stand only at the start. The chat templates of many models require it. */
  readonly systemFirst: boolean;
  /** A user message may follow a tool message. Mistral: "Unexpected role 'user' after role 'tool'". */
  readonly userAfterTool: boolean;
  /** Several texts go as a list of parts. Otherwise they are joined into one string. */
  readonly textParts: boolean;
  /** Tool messages may hold images and files. */
  readonly mediaInToolMessages: boolean;
  readonly documentsField: DocumentsField;
  readonly video: boolean;
  /** The field that marks the assistant message at the end as one to be continued. */
  readonly prefillField?: 'prefix' | 'partial';
  /** OpenAI's newest fields are known, and an answer's fields beside its content may come back. */
  readonly openaiFields: boolean;

  // Thinking.
  readonly thinkingField: ThinkingField;
  /** The `thinking.type` that switches thinking on. MiniMax-M3 decides by itself how much to think: `adaptive`. */
  readonly thinkingOnValue: 'enabled' | 'adaptive';
  /** `reasoning_effort` may stand beside `thinking`. Moonshot: "cannot specify both". */
  readonly effortWithThinking: boolean;
  /** The words `xhigh`, `max`, `minimal` and `none` may be sent to a model whose own words are unknown. */
  readonly allEfforts: boolean;
  /** The word `none` may be sent to such a model. */
  readonly effortNone: boolean;
  /** The catalog knows every reasoning model of the service: a model without thinking traits cannot think. */
  readonly reasoningModelsKnown: boolean;
  readonly reasoningHistory: ReasoningHistory;
  /**
   * The model's reasoning is shown and taken back only by the service's Responses API. xAI ("Comparison with Chat
   * Completions API"): here Grok stops thinking after a few rounds of tool calls. Meta ("Reasoning"): "redacted to
   * empty", "each turn reasons from scratch" (deepnoodle-ai/dive#279).
   */
  readonly reasonsViaResponses: boolean;
  /**
   * Reasoning of turns before the last user message is read only if `thinking` says not to clear it. Z.ai's endpoint for
   * coding is an exception ("Thinking Mode", Preserved thinking, docs.z.ai).
   */
  readonly clearsReasoning: boolean;
  /**
   * Reasoning has its own field only if `reasoning_split` asks for it. Otherwise MiniMax writes it into the content,
   * between `<think>` and `</think>` (platform.minimax.io, "Text Generation - OpenAI API compatible").
   */
  readonly needsReasoningSplit: boolean;
  /** Which signatures are sent: `thinking_blocks` (LiteLLM) and `extra_content` (Google), Google's own, or none. */
  readonly signatures: 'all' | 'google' | 'none';

  // Tools.
  /**
   * A choice among tools is taken at all. Meta: "only `"auto"` is supported for `tool_choice`"; Z.ai: "Tool choice must
   * be auto".
   */
  readonly toolChoice: boolean;
  /**
   * One tool can be forced by its name. LM Studio: "Invalid tool_choice type: 'object'. Supported string values: none,
   * auto, required"; llama.cpp reads a name as `auto` (ggml-org/llama.cpp#26535); Ollama ignores the whole choice
   * (ollama/ollama#17921).
   */
  readonly namedToolChoice: boolean;
  /** A subset of the tools can be allowed (`allowed_tools`). */
  readonly allowedTools: boolean;
  /** The word that forces a tool call. */
  readonly requiredWord: 'required' | 'any';
  /**
   * A thinking model refuses a forced tool call. These models think by default, so thinking has to be switched off.
   * DeepSeek: "Thinking mode does not support this tool_choice"; Moonshot; Alibaba, for Qwen 3.5 and later.
   */
  readonly thinkingBlocksForcedTools: boolean;
  /**
   * The arguments of a call stream only if `tool_stream` asks for it. Otherwise Z.ai is silent until all of them are
   * written, which takes minutes for a file ("Stream Tool Call", docs.z.ai).
   */
  readonly needsToolStream: boolean;
  readonly customTools: boolean;
  readonly webSearch: boolean;
  /** Names of tools: any, or at most 64 characters of `A-Za-z0-9_-`. */
  readonly toolNames: 'any' | 'strict';
  /** Ids of calls: any, at most 40 characters, or exactly nine letters and digits. */
  readonly callIds: 'any' | 'forty' | 'nine';

  /** Some tools may be strict and others not. Cerebras: "Tools with mixed values for 'strict' are not allowed". */
  readonly mixedStrict: boolean;

  // Schemas.
  /** A function must have `parameters`. */
  readonly needsParameters: boolean;
  /** The root of a function's parameters may be a union of objects. */
  readonly rootUnions: boolean;
  /**
   * A parameter named `properties` may be a closed object. xAI reads the name as the keyword:
   * "/properties/properties/additionalProperties: property schema 'false' is not supported" (vercel/ai#14678).
   */
  readonly closedProperties: boolean;
  /** A schema may refer to itself. Meta: "Recursive JSON schemas are not currently supported". */
  readonly cyclicSchemas: boolean;
  /** Schemas follow Moonshot's own rules (`outbound/moonshot-schema.ts`). */
  readonly moonshotSchemas: boolean;
  /** `json_object` is refused unless a message contains the word JSON. */
  readonly needsJsonWord: boolean;

  // Settings.
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens';
  readonly seedField: 'seed' | 'random_seed';
  readonly topK: boolean;
  readonly logprobs: boolean;
  /** Which models refuse `stop`: none, those without sampling parameters (OpenAI), or those that think (xAI, Meta). */
  readonly stopRefusedBy: 'never' | 'sampling' | 'thinking';
  /** The most stop sequences. OpenAI: "array too long. Expected an array with maximum length 4". */
  readonly maxStops: number;
  /** A stream reports usage only if `stream_options` asks for it. */
  readonly streamOptions: boolean;
  readonly cacheControl: boolean;
  /**
   * `prompt_cache_key` tells which requests belong together; other services read a header (`session-header.ts`). Mistral
   * caches nothing without it ("Prompt caching", docs.mistral.ai), Fireworks finds the replica with the cache by it, and
   * Moonshot wants one for every dialogue ("Create Chat Completion", platform.kimi.ai).
   */
  readonly cacheKey: boolean;
  readonly serviceTier: boolean;
  readonly metadata: boolean;
  /** The longest `user`, in characters; 0 if the service has no such field. */
  readonly maxUserLength: number;
}
