/** Renders tool calls and their results as items. */

import type { ToolCallPart, ToolResultPart } from '../../../conversation/prompt.ts';
import { contentWithFailure } from '../../../conversation/rules/failed-result.ts';
import { contentWithBreakpoint, isPlain } from '../../../conversation/turn-parts.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { reportForeign } from '../../own-fields.ts';
import { parseNamespacedName } from '../wire/namespaces.ts';
import { getOrigin } from '../wire/origin.ts';
import type { RenderContext } from './render-context.ts';
import { renderContent } from './render-parts.ts';
import { safeCallId, safeName } from './tool-names.ts';

/** Renders a call of a function or of a custom tool; a call that was an item of its own kind stays that. */
export function renderCall(part: ToolCallPart, { report }: RenderContext): JsonObject {
  const shorthand = getShorthand(part);
  if (shorthand) return shorthand;
  reportForeign(part.formatSpecific, 'responses', 'turns[]', report);
  const call_id = safeCallId(part.id);
  const text = part.arguments === '' ? '{}' : part.arguments;
  if (isPlain(part) && !part.custom) {
    return { type: 'function_call', call_id, name: safeName(part.name), arguments: text };
  }
  const { item = {} } = getOrigin(part.formatSpecific);
  const common = { ...part.unknownFields, ...item };
  const name = parseNamespacedName(item)?.name ?? safeName(part.name);
  if (part.custom) return { ...common, type: 'custom_tool_call', call_id, name, input: part.arguments };
  return { ...common, type: 'function_call', call_id, name, arguments: text };
}

/**
 * Renders the result of a call. Only its text can say that the call failed.
 * @param custom whether the call was one of a custom tool.
 */
export function renderResult(part: ToolResultPart, custom: boolean, context: RenderContext): JsonObject {
  const shorthand = getShorthand(part);
  if (shorthand) return shorthand;
  const { keepsAll, report } = context;
  reportForeign(part.formatSpecific, 'responses', 'turns[]', report);
  const content = keepsAll ? part.content : contentWithFailure(part);
  if (content !== part.content) {
    report('turns[].is_error', 'approximated', "sent as the word 'Error' before the result");
  } else if (part.isError) {
    report('turns[].is_error', 'dropped', 'only the text of the result can say so');
  }
  const type = custom ? 'custom_tool_call_output' : 'function_call_output';
  const call_id = safeCallId(part.id);
  const output = renderContent(contentWithBreakpoint(content, part), 'input', context);
  if (isPlain(part)) return { type, call_id, output };
  return { ...part.unknownFields, ...getOrigin(part.formatSpecific).item, type, call_id, output };
}

/** The item of a kind that only this format has, if the call or the result came as one. */
function getShorthand({ shorthand }: ToolCallPart | ToolResultPart): JsonObject | undefined {
  return shorthand?.format === 'responses' ? shorthand.fields : undefined;
}
