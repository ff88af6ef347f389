/** A request to a simulated model, independent of any vendor's format: everything that decides the answer. */

import type { JsonObject } from '../lib/json.ts';

/** A tool that the request offers. */
export interface AskedTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its arguments. A custom tool has none, since it takes text. */
  readonly schema?: JsonObject | undefined;
  readonly custom?: boolean;
  /** The name to call it by, if it is in a namespace. */
  readonly within?: { readonly namespace: string; readonly name: string } | undefined;
}

/** What a tool answered. */
export interface ToolResult {
  /** Name of the tool, if the history has it. */
  readonly name?: string | undefined;
  readonly text: string;
  /** What else it answered, as in the attachments of a prompt. */
  readonly attachments: readonly string[];
}

/** A stretch of the prompt, in the order in which the vendor caches it. */
export interface PromptPiece {
  readonly text: string;
  /** The cache should hold the prompt up to here, for this long. */
  readonly mark?: '5m' | '1h' | undefined;
}

/** Everything about a request that decides the answer. */
export interface Ask {
  readonly model: string;
  /** The user's last text. */
  readonly said: string;
  /** The system prompt, or whatever the format has instead of one. */
  readonly told: string;
  /** The attachments of that text: `image`, `document`, `audio`, `video`. */
  readonly attachments: readonly string[];
  /** Tool results since the model's last turn. */
  readonly results: readonly ToolResult[];
  /** The number of the model's turns since the user's last text. */
  readonly step: number;
  readonly tools: readonly AskedTool[];
  readonly choice: {
    readonly mode: 'auto' | 'none' | 'required';
    /** The only tools that may be called. */
    readonly only?: readonly string[];
  };
  readonly parallel: boolean;
  /** The answer must be JSON, of this schema if there is one. A bare answer is text without quotes. */
  readonly json?: { readonly schema?: JsonObject | undefined; readonly bare?: boolean } | undefined;
  readonly thinks: boolean;
  /** Whether thoughts are returned; otherwise they only count as tokens. */
  readonly shows: boolean;
  /** The most tokens of the answer. */
  readonly limit?: number | undefined;
  readonly stops: readonly string[];
  /** The number of answers. */
  readonly count: number;
  readonly prompt: readonly PromptPiece[];
  /** Whether the vendor caches prompts without being asked to. */
  readonly cachesAll: boolean;
}
