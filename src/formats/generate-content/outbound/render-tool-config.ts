/** `toolConfig`: how to choose among the tools. https://ai.google.dev/gemini-api/docs/function-calling */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { Prompt } from '../../../conversation/prompt.ts';
import { isSearch } from '../../../conversation/tools.ts';
import { asObject, isEmpty, type JsonObject } from '../../../lib/json.ts';
import type { ModelTraits, Report } from '../../format.ts';
import { findDialect } from '../dialects.ts';
import { isGemini3 } from './model-generation.ts';
import { safeName } from './tool-names.ts';
import { hasFunctions, mayNotSearch } from './usable-tools.ts';

/** The `toolConfig` of a request; undefined if it has nothing to say. */
export function renderToolConfig(
  prompt: Prompt,
  target: ModelTraits,
  report: Report,
): JsonObject | undefined {
  if (prompt.parallelToolCalls === false) {
    report('parallelToolCalls', 'dropped', 'Gemini cannot be limited to one call');
  }
  const own = asObject(findFormatFields(prompt.formatSpecific, 'generate-content')['toolConfig']);
  const calling = { ...asObject(own?.['functionCallingConfig']), ...renderCalling(prompt, report) };
  const config = {
    ...(mixesSearch(prompt, target) &&
      !findDialect(target).mixesToolsUnasked && { includeServerSideToolInvocations: true }),
    ...own,
    ...(!isEmpty(calling) && { functionCallingConfig: calling }),
  };
  return isEmpty(config) ? undefined : config;
}

function renderCalling(prompt: Prompt, report: Report): JsonObject | undefined {
  const { toolChoice: choice, tools = [] } = prompt;
  // A choice is about functions alone, and refused without any. A call that is required of no tool at all stays: the
  // caller gets the refusal.
  if (!hasFunctions(prompt) && (tools.length > 0 || choice?.mode !== 'required')) {
    if (choice) report('toolChoice', 'dropped', 'the request has no functions');
    return undefined;
  }
  const strict = tools.some((tool) => tool.kind === 'function' && tool.strict === true);
  const allowed = choice?.allowed?.map(safeName);
  const narrowed = allowed && { allowedFunctionNames: allowed };
  // If no function is allowed, a search still may be.
  if (choice?.mode === 'none' || allowed?.length === 0) return { mode: 'NONE' };
  // ANY is about functions: if the model may search instead, none of them is forced.
  if (choice?.mode === 'required' && !(allowed && choice.search)) return { mode: 'ANY', ...narrowed };
  // AUTO takes no list of names. VALIDATED does, and is otherwise like AUTO.
  if (strict || narrowed) return { mode: 'VALIDATED', ...narrowed };
  return choice && { mode: 'AUTO' };
}

/**
 * Whether functions and a search go in one request, as they may from Gemini 3 on if the answer may tell of the search.
 */
function mixesSearch(prompt: Prompt, target: ModelTraits): boolean {
  const searches = prompt.tools?.some((tool) => isSearch(tool) && tool.format !== 'generate-content');
  return searches === true && hasFunctions(prompt) && isGemini3(target) && !mayNotSearch(prompt.toolChoice);
}
