/**
 * Moves the calls of a message behind all its other content. If anything follows a call, Anthropic refuses this and every
 * further request: "`tool_use` ids were found without `tool_result` blocks immediately after". GPT and Gemini write such
 * messages, and clients make them of an answer that was interrupted and continued.
 * @returns the same list if nothing has to move.
 */
export function moveCallsLast<T>(blocks: readonly T[], isCall: (block: T) => boolean): readonly T[] {
  const first = blocks.findIndex(isCall);
  if (first < 0 || blocks.every((block, at) => at < first || isCall(block))) return blocks;
  return [...blocks.filter((block) => !isCall(block)), ...blocks.filter(isCall)];
}
