/**
 * Calls and results in pairs. A client that was interrupted leaves a call without its result, or cuts a dialogue between
 * the two; vendors refuse that at every further turn ("No tool output found for function call", OpenAI; "`tool_use` ids
 * were found without `tool_result` blocks", Anthropic).
 */

import type { Part, ToolResultPart, Turn } from '../prompt.ts';

/** What stands for the result of a call that never came. */
const NO_RESULT = 'The call was interrupted: there is no result.';

/**
 * Gives each call that another turn follows a result, and makes a text of the user's of each result without a call.
 * @param turns in strict order (`strictTurns`), with ids that do not repeat.
 */
export function completeCalls(turns: readonly Turn[]): readonly Turn[] {
  const results = new Set(turns.flatMap(({ parts }) => parts.filter(isResult).map(({ id }) => id)));
  const calls = new Set<string>();
  const completed: Turn[] = [];
  let missing: ToolResultPart[] = [];
  for (const turn of turns) {
    if (turn.role === 'assistant') {
      if (missing.length > 0) completed.push({ role: 'user', parts: missing });
      missing = [];
      for (const part of turn.parts) {
        if (part.kind !== 'tool-call') continue;
        calls.add(part.id);
        if (!results.has(part.id)) missing.push(missingResult(part.id, part.custom));
      }
      completed.push(turn);
      continue;
    }
    const parts = turn.parts.flatMap((part) =>
      isResult(part) && !calls.has(part.id) ? asText(part) : [part],
    );
    completed.push(turn.role === 'user' ? { ...turn, parts: [...missing, ...parts] } : { ...turn, parts });
    if (turn.role === 'user') missing = [];
  }
  return completed;
}

function missingResult(id: string, custom: boolean | undefined): ToolResultPart {
  const content = [{ kind: 'text', text: NO_RESULT } as const];
  return { kind: 'tool-result', id, content, ...(custom && { custom }) };
}

/** What a result says, as the user's own words. */
function asText({ content }: ToolResultPart): readonly Part[] {
  return content.filter(({ kind }) => kind !== 'opaque');
}

function isResult(part: Part): part is ToolResultPart {
  return part.kind === 'tool-result';
}
