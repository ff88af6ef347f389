/** The chat-completions format's own types (OpenAI API reference, `POST /v1/chat/completions`), and those it lacks. */

export type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatCompletionCreateParams,
  ChatCompletionMessageToolCall,
  ChatCompletionTool,
  ChatCompletionToolChoiceOption,
} from 'openai/resources/chat/completions';
export type { CompletionUsage } from 'openai/resources/completions';

/** Thinking in LiteLLM's shape, which is Anthropic's: on assistant messages and deltas, both ways. */
export type ThinkingBlock =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature?: string }
  | { readonly type: 'redacted_thinking'; readonly data: string };
