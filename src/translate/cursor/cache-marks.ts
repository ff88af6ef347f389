/** Anthropic's cache marks, which Cursor writes into chat-completions bodies. */

import type { FormatSpecific, Part, Prompt } from '../../conversation/prompt.ts';

/**
 * Removes the marks from the fields that a service gets unchanged, because the service may refuse them. The neutral
 * `cacheBreakpoint` stays, for vendors that have cache marks.
 */
export function withoutCacheMarks(prompt: Prompt): Prompt {
  const { tools, turns } = prompt;
  return {
    ...prompt,
    ...(tools !== undefined && { tools: tools.map(withoutMark) }),
    turns: turns.map((turn) => withoutMark({ ...turn, parts: turn.parts.map(partWithoutMarks) })),
  };
}

function partWithoutMarks(part: Part): Part {
  return withoutMark(
    part.kind === 'tool-result' ? { ...part, content: part.content.map(withoutMark) } : part,
  );
}

function withoutMark<T extends object>(value: T & { readonly formatSpecific?: FormatSpecific }): T {
  if (value.formatSpecific?.roundTrip?.['cache_control'] === undefined) return value;
  const { cache_control: _, ...roundTrip } = value.formatSpecific.roundTrip;
  return { ...value, formatSpecific: { ...value.formatSpecific, roundTrip } };
}
