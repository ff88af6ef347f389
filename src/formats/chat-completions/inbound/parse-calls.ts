/** The tool calls of an assistant message, and the signatures that belong to them. */

import type { ToolCallPart } from '../../../conversation/prompt.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import {
  asObject,
  asText,
  isEmpty,
  isObject,
  type JsonObject,
  otherFields,
  withoutNulls,
} from '../../../lib/json.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { wordSet } from '../../../lib/words.ts';
import { missing, objectsAt, requiredText, textAt } from '../../openai/fields.ts';
import type { CallSignature } from '../wire/reasoning-details.ts';
import { parseCallSignature } from '../wire/signatures.ts';
import { parseRemainingFields } from './parse-cache-breakpoints.ts';

/**
 * All calls of a message: `tool_calls`, and the older `function_call`.
 * @param at the index of the message, from which calls without an id get one.
 * @throws GatewayError `invalid-request` for a call without a function or a name, and a custom one without its input.
 */
export function parseCalls(message: JsonObject, param: Place, at: number): readonly ToolCallPart[] {
  const { tool_calls: toolCalls, function_call: functionCall } = message;
  if (toolCalls === undefined && functionCall === undefined) return [];
  const list = fieldPlace(param, 'tool_calls');
  const calls = objectsAt(toolCalls, list).map((call, index) =>
    parseCall(call, at, index, itemPlace(list, index)),
  );
  if (isObject(functionCall)) {
    calls.push(parseFunctionCall(functionCall, `call_${at}_0`, fieldPlace(param, 'function_call')));
  }
  return calls;
}

/** The fields of a call. LiteLLM sets the last two on every call of Claude's and Gemini's. */
const CALL_FIELDS = wordSet('id type function custom index extra_content caller provider_specific_fields');

function parseCall(call: JsonObject, at: number, index: number, param: Place): ToolCallPart {
  const { id, type, function: fn, custom } = call;
  const signature = parseCallSignature(call);
  const rest = withoutNulls(otherFields(call, CALL_FIELDS));
  const common = {
    kind: 'tool-call',
    id: textAt(id, fieldPlace(param, 'id')) || `call_${at}_${index}`,
    ...(signature && { signature }),
    ...(!isEmpty(rest) && parseRemainingFields(rest)),
  } as const;
  if (isObject(custom) || (type === 'custom' && !isObject(fn))) {
    const fields = asObject(custom) ?? {};
    const name = asText(fields['name']);
    if (name === undefined) throw missing(`${param}.custom.name`);
    const input = requiredText(fields['input'], `${param}.custom.input`);
    return { ...common, name, arguments: input, custom: true };
  }
  const fields = asObject(fn);
  if (fields === undefined) throw missing(fieldPlace(param, 'function'));
  const name = asText(fields['name']);
  if (name === undefined) throw missing(`${param}.function.name`);
  // A few clients send the object itself instead of its JSON text.
  return { ...common, name, arguments: argumentsText(fields['arguments']) };
}

/** A `function_call`, which OpenAI had before there were tools. It has no id. */
function parseFunctionCall(call: JsonObject, id: string, param: Place): ToolCallPart {
  const name = asText(call['name']);
  if (name === undefined) throw missing(fieldPlace(param, 'name'));
  return { kind: 'tool-call', id, name, arguments: argumentsText(call['arguments']) };
}

/**
 * Gives calls the signatures that stand elsewhere in the message: by the call's id, or else in order.
 * @returns the calls, and the signatures that no call takes.
 */
export function signCalls(
  calls: readonly ToolCallPart[],
  signatures: readonly CallSignature[],
): { readonly signed: readonly ToolCallPart[]; readonly unused: readonly CallSignature[] } {
  if (signatures.length === 0) return { signed: calls, unused: signatures };
  const ids = new Set(calls.map(({ id }) => id));
  const byId = new Map<string, CallSignature>();
  const inOrder: CallSignature[] = [];
  for (const found of signatures) {
    if (found.id !== undefined && ids.has(found.id) && !byId.has(found.id)) byId.set(found.id, found);
    else inOrder.push(found);
  }
  let used = 0;
  const signed = calls.map((call) => {
    if (call.signature) return call;
    const found = byId.get(call.id) ?? inOrder[used++];
    return found ? { ...call, signature: found.signature } : call;
  });
  return { signed, unused: inOrder.slice(used) };
}
