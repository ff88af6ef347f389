/**
 * Calls and results in pairs. A client that was interrupted leaves a call without its result, or cuts a dialogue between
 * the two; vendors refuse that at every further turn ("No tool output found for function call", OpenAI; "`tool_use` ids
 * were found without `tool_result` blocks", Anthropic).
 */

import type { Part, ToolCallPart, ToolResultPart, Turn } from '../prompt.ts';

/** What stands for the result of a call that never came. */
const NO_RESULT = 'The call was interrupted: there is no result.';

/**
 * Gives each call that another turn follows a result, and makes a text of the user's of each result without a call.
 * @param turns in strict order (`strictTurns`), where results stand in the turn after their calls; with ids that do not
 *   repeat.
 */
export function completeCalls(turns: readonly Turn[]): readonly Turn[] {
  return turns.flatMap((turn, at): readonly Turn[] => {
    if (turn.role === 'user') {
      const asked = new Set(getCalls(turns[at - 1]).map(({ id }) => id));
      const isAnswer = (part: Part): boolean => isResult(part) && asked.has(part.id);
      const missing = missingResults(turns[at - 1], turn);
      const said = turn.parts.flatMap((part) => (isResult(part) && !isAnswer(part) ? asText(part) : [part]));
      return [{ ...turn, parts: [...missing, ...said] }];
    }
    const next = turns[at + 1];
    if (next === undefined || next.role === 'user') return [turn];
    const missing = missingResults(turn, undefined);
    return missing.length === 0 ? [turn] : [turn, { role: 'user', parts: missing }];
  });
}

/** Results for the calls of `turn` that `answer` has none for. */
function missingResults(turn: Turn | undefined, answer: Turn | undefined): readonly ToolResultPart[] {
  const answered = new Set(answer?.parts.filter(isResult).map(({ id }) => id));
  return getCalls(turn).flatMap(({ id, custom }): readonly ToolResultPart[] =>
    answered.has(id)
      ? []
      : [
          {
            kind: 'tool-result',
            id,
            content: [{ kind: 'text', text: NO_RESULT }],
            ...(custom && { custom }),
          },
        ],
  );
}

function getCalls(turn: Turn | undefined): readonly ToolCallPart[] {
  if (turn?.role !== 'assistant') return [];
  return turn.parts.filter((part) => part.kind === 'tool-call');
}

/** What a result says, as the user's own words. */
function asText({ content }: ToolResultPart): readonly Part[] {
  return content.filter(({ kind }) => kind !== 'opaque');
}

function isResult(part: Part): part is ToolResultPart {
  return part.kind === 'tool-result';
}
