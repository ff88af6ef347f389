/**
 * Calls stand behind all else that a message says: Anthropic takes a message with anything after a call for one whose
 * call nobody answers ("`tool_use` ids were found without `tool_result` blocks immediately after"), in every further
 * turn. GPT and Gemini say such messages, and clients make them of an answer that was broken off and gone on with.
 */
export function callsLast<T>(said: readonly T[], isCall: (block: T) => boolean): readonly T[] {
  const first = said.findIndex(isCall);
  if (first < 0 || said.slice(first).every(isCall)) return said;
  return [...said.filter((block) => !isCall(block)), ...said.filter(isCall)];
}
