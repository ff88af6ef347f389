/**
 * The types of a dialogue, independent of any format. An answer also keeps its format's own items, since reasoning and
 * signatures must go back as they came, and only in the same format.
 */

/** A file that the user adds to a message. */
export interface Attachment {
  readonly name: string;
  /** The media type. */
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

export interface Call {
  readonly id: string;
  readonly name: string;
  /** JSON text, perhaps cut off. */
  readonly arguments: string;
  /** The tool's result; absent until the user gives one. */
  readonly result?: string;
}

export interface Image {
  readonly type: string;
  /** Base64. */
  readonly data: string;
}

export interface Citation {
  readonly url: string;
  readonly title: string;
}

export interface UserTurn {
  readonly role: 'user';
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** An answer as the items that `format` sends back. */
export interface Kept {
  readonly format: FormatName;
  readonly model: string;
  readonly items: readonly unknown[];
}

export interface AssistantTurn {
  readonly role: 'assistant';
  readonly text: string;
  readonly calls: readonly Call[];
  /** Absent if the answer failed. */
  readonly kept?: Kept;
}

export type Turn = UserTurn | AssistantTurn;

/** How a model accepts its reasoning setting, by the catalog. */
export interface Thinking {
  /** Which of `effort` and `budget` it accepts. */
  readonly kinds: readonly string[];
  /** Its effort levels, from least to most. */
  readonly efforts: readonly string[];
  /** Bounds of a token budget. */
  readonly budget?: { readonly min: number; readonly max: number };
  /** Whether the model can answer without reasoning. */
  readonly canDisable: boolean;
}

export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema. */
  readonly parameters: Readonly<Record<string, unknown>>;
}

export interface Settings {
  readonly model: string;
  /** Absent if the model does not reason. */
  readonly thinking?: Thinking;
  /** The limit of the answer, in tokens. */
  readonly maxTokens: number;
  /** The most tokens that the model can write in one answer. */
  readonly mostTokens: number;
  /** Absent for the model's default. */
  readonly temperature?: number;
  /** An effort level; empty for the model's default. */
  readonly effort: string;
  /** The system prompt; empty for none. */
  readonly system: string;
  readonly tools: readonly Tool[];
  /** The JSON Schema of the answer; absent if it is free text. */
  readonly schema?: Readonly<Record<string, unknown>>;
}

/** Tokens. */
export interface Usage {
  /** All input tokens, cached ones included. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** All output tokens, reasoning included. */
  readonly output: number;
}

/** What an event of a stream means; `at` is the index of a call in its turn. */
export type Update =
  | { readonly text: string }
  | { readonly thinking: string }
  | { readonly call: { readonly id: string; readonly name: string } }
  | { readonly arguments: string; readonly at: number }
  | { readonly image: Image }
  | { readonly citation: Citation }
  | { readonly usage: Usage }
  | { readonly finish: string }
  | { readonly error: string };

/** Reads one stream. */
export interface Reader {
  /** What one event means. */
  read(event: unknown): readonly Update[];
  /** The answer as the items that the format sends back. */
  kept(): readonly unknown[];
}

export type FormatName = 'chat-completions' | 'responses' | 'messages' | 'generate-content';

/** One of the four wire formats, as a client speaks it. */
export interface WireFormat {
  readonly name: FormatName;
  /** The path of the endpoint, with its query. */
  path(model: string): string;
  /** The headers that carry an API key. */
  headers(key: string): Readonly<Record<string, string>>;
  /** The body of a streaming request. */
  body(turns: readonly Turn[], settings: Settings): Readonly<Record<string, unknown>>;
  reader(): Reader;
}
