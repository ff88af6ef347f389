/**
 * What is asked, in neutral words: the request between two formats.
 *
 * A format may hold three kinds of things beyond the fields here:
 * - `unknownFields`: fields that the gateway does not know. They are carried to the next format as they are, so that
 *   its vendor may refuse them.
 * - `formatSpecific`: fields that are known to belong to one format only. They stay exact within that format, and
 *   other formats leave them out.
 * - opaque parts and hosted tools: whole blocks that only one format can read. The same rule holds for them.
 */

import type { JsonObject } from '../lib/json.ts';
import type { FormatSpecific } from './format-name.ts';
import type { CacheBreakpoint, Part } from './parts.ts';
import type { Tool, ToolChoice } from './tools.ts';

export { FORMAT_NAMES, type FormatName, type FormatSpecific } from './format-name.ts';
export type {
  CacheBreakpoint,
  Citation,
  ContentPart,
  MediaPart,
  MediaSource,
  OpaquePart,
  Part,
  RefusalPart,
  Signature,
  SignatureOrigin,
  TextPart,
  ThinkingPart,
  ToolCallPart,
  ToolResultPart,
} from './parts.ts';
export type { CustomTool, FunctionTool, HostedTool, NamedTool, Tool, ToolChoice } from './tools.ts';

/** What a request wants of a response that the vendor has stored. It asks no model. */
export const STORED_OPERATIONS = ['retrieve', 'delete', 'cancel', 'list-input'] as const;

export type StoredOperation = (typeof STORED_OPERATIONS)[number];

/** What a request asks for. OpenAI's `compact` makes a shorter dialogue of a long one. */
export const OPERATIONS = ['generate', 'compact', 'count-tokens', ...STORED_OPERATIONS] as const;

export type Operation = (typeof OPERATIONS)[number];

/**
 * One turn. Results of tools are parts of a `user` turn: they come first, in their order. `system` turns may stand
 * anywhere. `developer` is a `system` turn that a format with both roles can tell apart.
 */
export interface Turn {
  readonly role: 'system' | 'user' | 'assistant';
  readonly parts: readonly Part[];
  readonly developer?: boolean;
  readonly name?: string;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** The form of the answer. */
export type OutputFormat =
  | { readonly kind: 'text' }
  | { readonly kind: 'json' }
  | {
      readonly kind: 'json-schema';
      readonly name?: string;
      readonly description?: string;
      readonly schema: JsonObject;
      readonly strict?: boolean;
      /**
       * The one member of the schema whose value is the answer (Gemini's `text/x.enum`). The gateway takes it out of the
       * object that the model writes (`unwrap-member.ts`).
       */
      readonly unwrap?: string;
    };

/** How much to think, from least to most. */
export const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const;

export type Effort = (typeof EFFORTS)[number];

/** How much to think, as the caller said it. A renderer turns a budget into a level, or a level into a budget. */
export interface Thinking {
  readonly effort?: Effort;
  /** Tokens. */
  readonly budget?: number;
  /** Whether the model decides how much (Anthropic `adaptive`, Gemini budget -1). */
  readonly adaptive?: boolean;
  /** Whether the answer shows the thoughts. Absent: the vendor decides. */
  readonly visible?: boolean;
}

/** Images that the answer is to have. */
export interface ImageOptions {
  /** Whether they come besides a text or in its place. Absent: the model decides. */
  readonly place?: 'besides-text' | 'alone';
  /** Width to height, e.g. `16:9`. */
  readonly aspectRatio?: string;
  /** E.g. `2K`. */
  readonly size?: string;
}

/** A request. */
export interface Prompt {
  /** The model as the vendor calls it. The pipeline sets it. */
  readonly model: string;
  readonly turns: readonly Turn[];
  readonly tools?: readonly Tool[];
  readonly toolChoice?: ToolChoice;
  readonly parallelToolCalls?: boolean;
  readonly output?: OutputFormat;
  readonly thinking?: Thinking;
  readonly images?: ImageOptions;
  readonly maxTokens?: number;
  /** 0 to 2, OpenAI's and Google's range; Anthropic's ends at 1. */
  readonly temperature?: number;
  readonly topP?: number;
  readonly topK?: number;
  readonly stop?: readonly string[];
  readonly seed?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  /** How many answers. Absent: one. */
  readonly choices?: number;
  readonly logprobs?: boolean;
  readonly topLogprobs?: number;
  readonly user?: string;
  readonly metadata?: JsonObject;
  readonly serviceTier?: string;
  readonly stream: boolean;
  /** Chat-completions only: whether a stream ends with a usage chunk. Other formats always have usage. */
  readonly includeUsage?: boolean;
  /** Shared by requests that begin alike, so that one finds the cache of another (OpenAI `prompt_cache_key`). */
  readonly cacheKey?: string;
  /** The name under which a vendor has stored the beginning of the dialogue (Google `cachedContent`). */
  readonly cachedContent?: string;
  /** How often the vendor may search before it answers (Anthropic `max_uses`, OpenAI `max_tool_calls`). */
  readonly maxSearches?: number;
  readonly cacheBreakpoint?: CacheBreakpoint;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}
