/** The parts of a turn, and of an answer. */

import type { JsonObject } from '../lib/json.ts';
import type { FormatName, FormatSpecific } from './format-name.ts';

/**
 * The vendor whose model made a signature. It means nothing to any other vendor. xAI, Meta and DeepSeek encrypt reasoning
 * in OpenAI's format, each for itself; `other` is a service in front of vendors.
 */
export type SignatureOrigin = 'anthropic' | 'google' | 'openai' | 'x-ai' | 'meta' | 'deepseek' | 'other';

/** An opaque proof by a vendor. It must come back with its part, byte for byte. */
export interface Signature {
  readonly origin: SignatureOrigin;
  readonly value: string;
}

/** Marks that everything up to here may be cached (Anthropic `cache_control`, OpenAI `prompt_cache_breakpoint`). */
export interface CacheBreakpoint {
  readonly ttl?: string;
}

/** Fields of every part. */
interface Common {
  readonly cacheBreakpoint?: CacheBreakpoint;
  readonly signature?: Signature;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** Visible text. */
export interface TextPart extends Common {
  readonly kind: 'text';
  readonly text: string;
  readonly citations?: readonly Citation[];
}

/** What the model says instead of an answer. */
export interface RefusalPart extends Common {
  readonly kind: 'refusal';
  readonly text: string;
}

/**
 * The model's reasoning. With a signature, an empty `text` is content too. `redacted` is reasoning that only its
 * vendor can read (Anthropic `redacted_thinking`); then `text` is empty. OpenAI's `encrypted_content`, with or without
 * a summary, is a signature of origin `openai`.
 */
export interface ThinkingPart extends Common {
  readonly kind: 'thinking';
  readonly text: string;
  readonly redacted?: Signature;
}

/** An image, audio, a video or a document. */
export interface MediaPart extends Common {
  readonly kind: 'media';
  readonly media: 'image' | 'audio' | 'video' | 'document';
  /** MIME type, e.g. `image/png`; absent if a URL came without one. */
  readonly mediaType?: string;
  readonly source: MediaSource;
  /** File name or title. */
  readonly name?: string;
  /** How closely the model looks at it: OpenAI's `low`, `high`, `auto`. */
  readonly detail?: string;
  /** What of a video the model sees; absent: all of it, at the model's own rate. */
  readonly clip?: Clip;
}

/** A part of a video: frames per second, and offsets in protobuf's words (`10s`). */
export interface Clip {
  readonly fps?: number;
  readonly start?: string;
  readonly end?: string;
}

/** Where the data of a medium is. */
export type MediaSource =
  | { readonly kind: 'base64'; readonly data: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'url'; readonly url: string }
  /** An id in the file store of one vendor. */
  | { readonly kind: 'file'; readonly id: string; readonly format: FormatName };

/**
 * A call by the model. `arguments` is JSON text as the model wrote it, '' for none; it is free text if `custom` is
 * set.
 */
export interface ToolCallPart extends Common {
  readonly kind: 'tool-call';
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly custom?: boolean;
  /** The whole call in the words of the one format that has its tool built in, like `shorthand` of that tool. */
  readonly shorthand?: FormatSpecific;
}

/** The result of a tool. If the format names calls only by id, `name` comes from the call. */
export interface ToolResultPart extends Common {
  readonly kind: 'tool-result';
  readonly id: string;
  readonly name?: string;
  readonly content: readonly (TextPart | MediaPart | OpaquePart)[];
  readonly isError?: boolean;
  readonly custom?: boolean;
  /** As `shorthand` of the call. */
  readonly shorthand?: FormatSpecific;
}

/**
 * A block that only `format` can read (server tools, hosted items). It stays exact there, and other formats leave it
 * out.
 */
export interface OpaquePart extends Common {
  readonly kind: 'opaque';
  readonly format: FormatName;
  readonly value: JsonObject;
  /** The image that the model drew, if the block is one: other formats show it in the block's place. */
  readonly image?: MediaPart;
  /** What was searched for in the web, if the block is such a search: other formats name it as their own do. */
  readonly searches?: readonly string[];
}

/** Parts that may appear in the content of a message. */
export type ContentPart = TextPart | RefusalPart | MediaPart | OpaquePart;

/** Any part of a turn. */
export type Part = ContentPart | ThinkingPart | ToolCallPart | ToolResultPart;

/** The source of something in an answer. Offsets count UTF-16 code units of the text part that has the citation. */
export interface Citation {
  readonly url?: string;
  readonly title?: string;
  readonly citedText?: string;
  readonly start?: number;
  readonly end?: number;
  /** The citation as its own format wrote it, so that it stays exact within that format. */
  readonly formatSpecific?: FormatSpecific;
}
