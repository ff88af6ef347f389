/** Parts of turns as rules and renderers see them: most rules change nothing, and most parts have nothing but content. */

import type { Part, ToolResultPart, Turn } from './prompt.ts';

/** The turn with these parts; the turn itself if it has the same list. */
export function withParts(turn: Turn, parts: readonly Part[]): Turn {
  return parts === turn.parts ? turn : { ...turn, parts };
}

/** Whether a part has nothing besides its content: no breakpoint, no signature and no fields of a format, as nearly all. */
export function isPlain({ cacheBreakpoint, signature, formatSpecific, unknownFields }: Part): boolean {
  return (
    cacheBreakpoint === undefined &&
    signature === undefined &&
    formatSpecific === undefined &&
    unknownFields === undefined
  );
}

/** The content of a result with the result's breakpoint on its last part, for formats that take breakpoints only there. */
export function contentWithBreakpoint(
  content: ToolResultPart['content'],
  { cacheBreakpoint }: ToolResultPart,
): ToolResultPart['content'] {
  const last = content.at(-1);
  if (cacheBreakpoint === undefined || last === undefined) return content;
  return [...content.slice(0, -1), { ...last, cacheBreakpoint }];
}
