/** What a choice's end must agree with, streamed or whole. */

import { asObject, type JsonObject, tryParseJson } from '../../lib/json.ts';
import { isName, show } from '../shape.ts';
import type { Report } from './rules.ts';

/** The texts of a message or a delta. */
export const TEXTS = { content: 'a string?', refusal: 'a string?', reasoning_content: 'a string?' } as const;

/** The words of `finish_reason`. */
const WORDS = new Set(['stop', 'length', 'tool_calls', 'content_filter', 'function_call']);

/** Ends after which calls are whole. */
const WHOLE = new Set(['stop', 'tool_calls', 'function_call']);

/** What a call, or a piece of one, holds beside its id. */
export function getCallBody(call: JsonObject): JsonObject {
  return asObject(call['function']) ?? asObject(call['custom']) ?? {};
}

/** Reports what a call lacks, and an id that another call has already. @param ids the ids so far. */
export function checkCallHead(call: JsonObject, body: JsonObject, ids: Set<string>, report: Report): void {
  const { id, type } = call;
  if (!isName(id) || (type !== 'function' && type !== 'custom') || !isName(body['name']))
    report('call-head', show(call));
  if (!isName(id)) return;
  if (ids.has(id)) report('call-id', `\`${id}\` a second time`);
  ids.add(id);
}

/** The end of a choice, with what the choice holds. */
export interface ChoiceEnd {
  readonly finish: string;
  /** The arguments of its function calls. The input of a custom call is free text, and is not among them. */
  readonly calls: readonly string[];
  /** The number of its calls, of functions and custom tools. */
  readonly callCount: number;
  /** Whether it has the older `function_call`. */
  readonly legacy: boolean;
  /** Whether the caller named the tool to call. */
  readonly forced: boolean;
}

/** Reports where a choice's finish and its content disagree. */
export function checkChoiceEnd(end: ChoiceEnd, report: Report): void {
  const { finish, calls, callCount, legacy, forced } = end;
  if (!WORDS.has(finish)) report('finish-word', `\`${finish}\``);
  if (finish === 'tool_calls' && callCount === 0)
    report('finish-payload', '`tool_calls` without a tool call');
  if (finish === 'function_call' && !legacy)
    report('finish-payload', '`function_call` without a function call');
  if (finish === 'stop' && callCount > 0 && !forced) report('finish-stop', `with ${callCount} tool calls`);
  if (!WHOLE.has(finish)) return;
  for (const text of calls) {
    if (text === '') report('call-arguments-empty', 'it says nothing');
    else if (asObject(tryParseJson(text)) === undefined) report('call-arguments', show(text));
  }
}
