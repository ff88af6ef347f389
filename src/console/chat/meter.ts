/** The time, the tokens and the cost of an answer, in words. */

import type { AnswerNode } from './conversation.ts';

/** The stop reasons of complete answers, in all formats. */
const COMPLETE = ['stop', 'tool_calls', 'completed', 'end_turn', 'tool_use', 'STOP'];

/** What is known of an answer so far, one fact each. */
export function describeMeter(node: AnswerNode): readonly string[] {
  const { finish, firstAfter, endedAfter, usage, simulated, cost } = node;
  const facts = finish && !COMPLETE.includes(finish) ? [`stop reason: ${finish}`] : [];
  if (firstAfter !== undefined) facts.push(`first token ${seconds(firstAfter)}`);
  if (endedAfter !== undefined) facts.push(`total ${seconds(endedAfter)}`);
  if (usage) {
    if (firstAfter !== undefined && endedAfter !== undefined && endedAfter > firstAfter)
      facts.push(`${Math.round(usage.output / ((endedAfter - firstAfter) / 1000))} tokens/s`);
    facts.push(
      `${usage.input} in${usage.cacheRead ? ` (${usage.cacheRead} cached)` : ''}, ${usage.output} out`,
    );
  }
  if (usage && simulated) facts.push('simulated: $0');
  else if (cost !== undefined) facts.push(`$${cost.toFixed(6)}`);
  return facts;
}

function seconds(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`;
}
