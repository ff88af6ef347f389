/** The tools of a prompt, and how to choose among them. */

import type { JsonObject } from '../lib/json.ts';
import type { FormatName, FormatSpecific } from './format-name.ts';
import type { CacheBreakpoint } from './parts.ts';

/** A function that the caller runs. */
export interface FunctionTool {
  readonly kind: 'function';
  readonly name: string;
  /** The caller's name of the tool, if a different tool of the prompt has it, too (`rules/distinct-tools.ts`). */
  readonly givenName?: string;
  readonly description?: string;
  /** JSON Schema. Absent: the function takes no arguments. */
  readonly parameters?: JsonObject;
  readonly strict?: boolean;
  readonly cacheBreakpoint?: CacheBreakpoint;
  /**
   * The whole tool in the words of a format that has it built in (Anthropic's `bash`); that format takes it instead.
   */
  readonly shorthand?: FormatSpecific;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** A tool that takes free text rather than JSON (OpenAI `custom`). */
export interface CustomTool {
  readonly kind: 'custom';
  readonly name: string;
  /** As `givenName` of a function. */
  readonly givenName?: string;
  readonly description?: string;
  /** The grammar of the text, as OpenAI writes it. */
  readonly format?: JsonObject;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/**
 * A tool that the vendor runs itself. Every format has a web search, which is carried over; all others stay in their
 * format.
 */
export interface HostedTool {
  readonly kind: 'hosted';
  readonly format: FormatName;
  readonly value: JsonObject;
  readonly webSearch?: boolean;
}

/** A tool that the caller runs, and that calls name. */
export type NamedTool = FunctionTool | CustomTool;

/** Any tool of a prompt. */
export type Tool = NamedTool | HostedTool;

/** Whether a tool is the web search, which every format has. */
export function isSearch(tool: Tool): tool is HostedTool {
  return tool.kind === 'hosted' && tool.webSearch === true;
}

/**
 * How the model chooses among the tools. `allowed` narrows `auto` or `required` to these names, and to a web search if
 * `search` is set. `required` with one name means: call this one.
 */
export interface ToolChoice {
  readonly mode: 'auto' | 'none' | 'required';
  readonly allowed?: readonly string[];
  readonly search?: boolean;
}
