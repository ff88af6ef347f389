/** Parts of turns as rules and renderers see them: most rules change nothing, and most parts have nothing but content. */

import type { Part, Turn } from './prompt.ts';

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
