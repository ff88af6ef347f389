/**
 * Anthropic's tools that the caller runs: bash, text editor, memory, computer. Only Anthropic's own models know their input
 * by heart. For any other model they are like the caller's own tools, once their input is described.
 *
 * The types are those of the documentation (platform.claude.com/docs, agents-and-tools/tool-use). The commands of the
 * memory tool are those in the types of `@anthropic-ai/sdk` 1.11 and in its file store (`tools/memory`). The inputs of the
 * others are those in anthropics/claude-quickstarts (`computer-use-demo`) and in the schemas of `@ai-sdk/anthropic`. Each
 * input is one flat object, because OpenAI refuses alternatives at the root of a schema.
 */

import { asText, type JsonObject, splitFields } from '../lib/json.ts';
import { BASH } from './anthropic-tools/bash.ts';
import {
  ACTION_INPUT,
  ACTIONS,
  computer,
  FIRST_ACTION_INPUT,
  FIRST_ACTIONS,
} from './anthropic-tools/computer.ts';
import type { ClientTool } from './anthropic-tools/definition.ts';
import { MEMORY, textEditor } from './anthropic-tools/file-tools.ts';

const CLIENT_TOOLS: ReadonlyMap<string, ClientTool> = new Map([
  ['bash_20241022', BASH],
  ['bash_20250124', BASH],
  ['text_editor_20241022', textEditor('old')],
  ['text_editor_20250124', textEditor('old')],
  ['text_editor_20250429', textEditor('new')],
  ['text_editor_20250728', textEditor('new', ['max_characters'])],
  ['memory_20250818', MEMORY],
  ['computer_20241022', computer(FIRST_ACTIONS, FIRST_ACTION_INPUT)],
  ['computer_20250124', computer(ACTIONS, ACTION_INPUT)],
  ['computer_20251124', computer(ACTIONS, ACTION_INPUT, ['enable_zoom'])],
]);

/** A tool of Anthropic's that was written out. */
interface DescribedTool {
  /** The tool as one of the caller's own: with a `description` and an `input_schema`. */
  readonly tool: JsonObject & { readonly input_schema: JsonObject };
  /** The fields that these two replace. Anthropic receives the tool by them. */
  readonly shorthand: JsonObject;
}

/**
 * Writes out one of Anthropic's tools that the caller runs.
 * @param tool the tool's declaration in a request.
 * @returns undefined for any other tool: for the caller's own, and for those that Anthropic runs.
 */
export function describeClientTool(tool: JsonObject): DescribedTool | undefined {
  const known = CLIENT_TOOLS.get(asText(tool['type']) ?? '');
  if (known === undefined) return undefined;
  const [shorthand, fields] = splitFields(tool, new Set(['type', ...known.settings]));
  const { description, properties, required } = known.define(shorthand);
  const input_schema = { type: 'object', properties, ...(required.length > 0 && { required }) };
  return { tool: { ...fields, description, input_schema }, shorthand };
}
