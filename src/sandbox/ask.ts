/** What is asked of a simulated model, in no vendor's words: all that the author of scripts looks at. */

import type { JsonObject } from '../lib/json.ts';

export interface AskedTool {
  readonly name: string;
  readonly description: string;
  /** JSON schema of its arguments; a custom tool has none, it takes text. */
  readonly schema?: JsonObject;
  readonly custom?: boolean;
  /** How it is called, where that is not by its name: it is in a namespace. */
  readonly within?: { readonly namespace: string; readonly name: string };
}

export interface ToolResult {
  /** Name of the tool, where the history tells. */
  readonly name?: string;
  readonly text: string;
}

/** A stretch of the prompt, in the order in which the vendor caches it. */
export interface PromptPiece {
  readonly text: string;
  /** The cache is to hold the prompt up to here, for so long. */
  readonly mark?: '5m' | '1h';
}

export interface Ask {
  readonly model: string;
  /** What the user said last. */
  readonly said: string;
  /** What came with it: `image`, `document`, `audio`. */
  readonly attachments: readonly string[];
  /** Results of tools that came since the model spoke last. */
  readonly results: readonly ToolResult[];
  /** How often the model has spoken since the user last did. */
  readonly step: number;
  readonly tools: readonly AskedTool[];
  readonly choice: {
    readonly mode: 'auto' | 'none' | 'required';
    /** Only these may be called. */
    readonly only?: readonly string[];
  };
  readonly parallel: boolean;
  /** The answer is to be JSON; of this schema, where there is one. A bare one is a text as it is, without quotes. */
  readonly json?: { readonly schema?: JsonObject; readonly bare?: boolean };
  readonly thinks: boolean;
  /** Whether the thoughts are shown; else they only count. */
  readonly shows: boolean;
  /** Tokens the answer may have. */
  readonly limit?: number;
  readonly stops: readonly string[];
  /** How many answers. */
  readonly count: number;
  readonly prompt: readonly PromptPiece[];
  /** Whether the vendor caches what it has seen without being asked to. */
  readonly cachesAll: boolean;
}
