/** The kinds of content blocks, and the fields that each must have (Anthropic API reference, "Messages"). */

import { asObject, asText, type JsonObject } from '../../lib/json.ts';
import { getKind, misfit, type Shape, show } from '../shape.ts';
import type { Report } from './rules.ts';

const CALL: Shape = { id: 'a non-empty string', name: 'a non-empty string', input: 'an object' };

const SHAPES: Readonly<Record<string, Shape>> = {
  text: { text: 'a string' },
  thinking: { thinking: 'a string' },
  redacted_thinking: { data: 'a non-empty string' },
  tool_use: CALL,
  server_tool_use: CALL,
  mcp_tool_use: CALL,
};

/** Reports what a block lacks, and an id that another block has already. @param ids the ids so far. */
export function checkBlock(block: JsonObject, ids: Set<string>, report: Report): void {
  const kind = getKind(block);
  const shape = Object.hasOwn(SHAPES, kind) ? SHAPES[kind] : undefined;
  if (kind === '') report('block-fields', `no \`type\`: ${show(block)}`);
  const wrong = shape && misfit(block, shape);
  if (wrong !== undefined) report('block-fields', `${kind}: ${wrong}`);
  const id = asText(block['id']);
  if (shape !== CALL || id === undefined) return;
  if (!/^[A-Za-z0-9_-]+$/.test(id)) report('call-id', show(id));
  if (ids.has(id)) report('call-id', `\`${id}\` a second time`);
  ids.add(id);
}

/** The number of tool calls in a message, by who made them. */
export interface Calls {
  direct: number;
  byCode: number;
}

/** Whether a tool call was made by code that the vendor runs, not by the model itself ("Programmatic tool calling"). */
export function isByCode(block: JsonObject): boolean {
  return (asText(asObject(block['caller'])?.['type']) ?? 'direct') !== 'direct';
}

/** Counts a block if it is a tool call. */
export function countCall(block: JsonObject, calls: Calls): void {
  if (getKind(block) === 'tool_use') calls[isByCode(block) ? 'byCode' : 'direct'] += 1;
}
