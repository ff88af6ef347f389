/** Kinds and values of a request that Anthropic refuses, and that no other vendor would see. */

import { EFFORTS, type Prompt } from '../../../conversation/prompt.ts';
import { findMissingChoice } from '../../../conversation/rules/allowed-tools.ts';
import { type GatewayError, invalid } from '../../../lib/errors.ts';
import { asObject, asObjects, asText, type Json, type JsonObject } from '../../../lib/json.ts';
import { unknownTypeError } from './required-fields.ts';

const THINKING = ['adaptive', 'between_tools', 'disabled', 'enabled'];

/** @see Inbound.refuseUnknown */
export function refuseUnknown(body: JsonObject, prompt: Prompt): void {
  const { thinking, output_config: config, output_format, tools } = body;
  requireType(thinking, 'thinking', THINKING);
  requireType(asObject(config)?.['format'], 'output_config.format', ['json_schema']);
  requireType(output_format, 'output_format', ['json_schema']);
  const effort = asText(asObject(config)?.['effort']);
  if (effort !== undefined && !EFFORTS.some((known) => known === effort)) {
    const at = 'output_config.effort';
    throw invalid(`${at}: Input should be 'low', 'medium', 'high', 'xhigh' or 'max'`, at);
  }
  const missing = findMissingChoice(prompt);
  if (missing !== undefined) {
    throw invalid(
      `tool_choice.name: Tool '${missing.slice(0, 64)}' not found in provided tools`,
      'tool_choice',
    );
  }
  const names = asObjects(tools).flatMap(({ name }) => asText(name) ?? []);
  if (new Set(names).size < names.length) throw invalid('tools: Tool names must be unique.', 'tools');
}

/** @see Inbound.unknownField */
export function unknownField(path: string): GatewayError {
  return invalid(`${path}: Extra inputs are not permitted`, path);
}

/** @see Inbound.unknownTool */
export function unknownTool(at: number, type: string): GatewayError {
  return unknownTypeError(`tools.${at}`, type);
}

function requireType(value: Json | undefined, at: string, known: readonly string[]): void {
  const type = asText(asObject(value)?.['type']);
  if (type !== undefined && !known.includes(type)) throw unknownTypeError(at, type, known);
}
