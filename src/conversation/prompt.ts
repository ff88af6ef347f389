/**
 * What is asked, in nobody's words: the neutral request between two formats.
 *
 * Three kinds of things a format may hold beyond what is spelled out here, and what becomes of each:
 * - `extra`: fields nobody here knows. Carried to whatever format comes next, so that its vendor may refuse them.
 * - `own`: fields known to belong to one format only. Exact within that format, left out elsewhere.
 * - opaque parts and tools: whole blocks only one format can read. The same rule as `own`.
 */

import type { JsonObject } from '../lib/json.ts';

export const FORMAT_NAMES = ['chat-completions', 'responses', 'messages', 'generate-content'] as const;

export type FormatName = (typeof FORMAT_NAMES)[number];

/** What is asked of a model. OpenAI's `compact` makes a shorter dialogue of one. */
export const OPERATIONS = ['generate', 'compact', 'count-tokens'] as const;

export type Operation = (typeof OPERATIONS)[number];

/** Fields that mean something in `format` alone. */
export interface FormatSpecific {
  readonly format: FormatName;
  readonly fields: JsonObject;
  /** What the format keeps beside them, only to write again what it has read: nothing that can be lost elsewhere. */
  readonly roundTrip?: JsonObject;
}

/** Whose model made a signature: it opens nothing anywhere else. */
export type SignatureOrigin = 'anthropic' | 'google' | 'openai' | 'other';

/** An opaque proof of a vendor's that must come back with the part it was on, byte for byte. */
export interface Signature {
  readonly origin: SignatureOrigin;
  readonly value: string;
}

/** Cache mark: 'everything up to here may be cached' (Anthropic `cache_control`, OpenAI `prompt_cache_breakpoint`). */
export interface CacheBreakpoint {
  readonly ttl?: string;
}

interface Common {
  readonly cacheBreakpoint?: CacheBreakpoint;
  readonly signature?: Signature;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

export interface TextPart extends Common {
  readonly kind: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
}

/** What the model said instead of answering. */
export interface RefusalPart extends Common {
  readonly kind: 'refusal';
  readonly text: string;
}

/**
 * The model's reasoning. `text` may be empty beside a signature: that is content. `redacted` is reasoning that only
 * its vendor can read (Anthropic `redacted_thinking`); then `text` is empty. OpenAI's `encrypted_content`, beside a
 * summary or none, is a signature of origin `openai`.
 */
export interface ThinkingPart extends Common {
  readonly kind: 'thinking';
  readonly text: string;
  readonly redacted?: Signature;
}

/** Image, audio, video or document. */
export interface MediaPart extends Common {
  readonly kind: 'media';
  readonly media: 'image' | 'audio' | 'video' | 'document';
  /** MIME type, e.g. `image/png`; absent where a URL came without one. */
  readonly mediaType?: string;
  readonly source: MediaSource;
  /** File name or title. */
  readonly name?: string;
  /** How closely to look: OpenAI's `low`, `high`, `auto`. */
  readonly detail?: string;
}

export type MediaSource =
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'url'; readonly url: string }
  /** An id that one vendor's file store knows. */
  | { readonly kind: 'file'; readonly id: string; readonly format: FormatName };

/** A call the model made. `arguments` is JSON text as the model wrote it (`''` means none); free text where `custom`. */
export interface ToolCallPart extends Common {
  readonly kind: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly custom?: boolean;
  /** What says all of it in the format whose own tool it is a call of, as that tool's `shorthand` does. */
  readonly shorthand?: FormatSpecific;
}

/** What a tool answered. `name` is filled in from the call where the format names calls only by id. */
export interface ToolResultPart extends Common {
  readonly kind: 'tool-result';
  readonly id: string;
  readonly name?: string;
  readonly content: readonly (TextPart | MediaPart | OpaquePart)[];
  readonly isError?: boolean;
  readonly custom?: boolean;
  /** As that of the call. */
  readonly shorthand?: FormatSpecific;
}

/** A block that only `format` can read (server tools, hosted items): exact there, left out elsewhere. */
export interface OpaquePart extends Common {
  readonly kind: 'opaque';
  readonly format: FormatName;
  readonly value: JsonObject;
}

/** What may stand in the content of a message. */
export type ContentPart = TextPart | RefusalPart | MediaPart | OpaquePart;

export type Part = ContentPart | ThinkingPart | ToolCallPart | ToolResultPart;

/** Where an answer got something from. Offsets count UTF-16 code units of the text part the citation is on. */
export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly citedText?: string;
  readonly start?: number;
  readonly end?: number;
  /** The citation as its own format wrote it, to be exact within that format. */
  readonly formatSpecific?: FormatSpecific;
}

/**
 * One turn. Tool results are parts of a `user` turn: results first, in the order they came. `system` turns may stand
 * anywhere; `developer` is kept apart only so that a format that has both can tell.
 */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
  readonly developer?: boolean;
  readonly name?: string;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  readonly description?: string;
  /** JSON Schema; absent means the function takes nothing. */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
  readonly cacheBreakpoint?: CacheBreakpoint;
  /** What says all of it in a format that knows it by its type (Anthropic's `bash`): there, in place of the words. */
  readonly shorthand?: FormatSpecific;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** A tool that takes free text rather than JSON (OpenAI `custom`). */
export interface CustomTool {
  readonly kind: 'custom';
  readonly name: string;
  readonly description?: string;
  /** Grammar of the text, as OpenAI writes it. */
  readonly format?: JsonObject;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** A tool the vendor runs itself. Web search exists everywhere and is carried over; the rest is its format's alone. */
export interface HostedTool {
  readonly kind: 'hosted';
  readonly format: FormatName;
  readonly value: JsonObject;
  readonly webSearch?: boolean;
}

export type Tool = FunctionTool | CustomTool | HostedTool;

/**
 * `allowed` narrows `auto` or `required` to these names, and to a search of the web where `search` says so; `required`
 * with one of them is 'call this one'.
 */
export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required';
  readonly allowed?: readonly string[];
  readonly search?: boolean;
}

export type OutputFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | {
      readonly kind: 'json-schema';
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
    };

/** From least to most. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof EFFORTS)[number];

/** How much to think. What the caller gave is kept as given: a renderer turns a budget into a level or back. */
export interface Thinking {
  readonly effort?: Effort;
  /** Tokens. */
  readonly budget?: number;
  /** The model decides how much (Anthropic `adaptive`, Gemini budget -1). */
  readonly adaptive?: boolean;
  /** Whether the thoughts are to be shown; absent leaves it to the vendor. */
  readonly visible?: boolean;
}

export interface Prompt {
  /** The model as the vendor calls it: set by the pipeline, not by the caller's spelling. */
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly output?: OutputFormat;
  readonly thinking?: Thinking;
  readonly maxTokens?: number;
  /** 0 to 2, OpenAI's and Google's range; Anthropic's ends at 1. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** How many answers; absent is one. */
  readonly choices?: number;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  readonly user?: string;
  readonly metadata?: JsonObject;
  readonly serviceTier?: string;
  readonly stream: boolean;
  /** Chat-completions only: whether a stream ends with a usage chunk. Other formats always tell usage. */
  readonly includeUsage?: boolean;
  /** Requests that begin alike have it in common, and are to be cached for each other (OpenAI `prompt_cache_key`). */
  readonly cacheKey?: string;
  /** Where a vendor has stored what the dialogue begins with (Google `cachedContent`): no other one can read it. */
  readonly cachedContent?: string;
  /** How often the vendor may use its own search before it answers (Anthropic `max_uses`, OpenAI `max_tool_calls`). */
  readonly maxSearches?: number;
  readonly cacheBreakpoint?: CacheBreakpoint;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}
