/** Notes on what of a caller's request does not reach the vendor as it was. `explain` shows them. */

import type { Prompt } from '../conversation/prompt.ts';

/** Something in the caller's request that does not reach the vendor as it was. */
export interface Note {
  /** The field: in the caller's words if a parser reports it, in the prompt's if a renderer does. */
  readonly field: string;
  readonly outcome: 'approximated' | 'dropped' | 'passed-on';
  /** Why it was left out, or what it became. */
  readonly detail: string;
}

/**
 * A place in a prompt: one of its fields, a place in its turns or tools, or a field that only the caller's format has.
 */
export type PromptPath = keyof Prompt | `${'turns[]' | 'tools[]' | `tools[${string}]` | 'own'}.${string}`;

/** Receives each note of a renderer. On the request path nothing listens. */
export type Report = (path: PromptPath, outcome: Note['outcome'], detail: Note['detail']) => void;

/** Receives each note of a parser, with the caller's path. */
export type ParseReport = (path: string, outcome: Note['outcome'], detail: Note['detail']) => void;

/**
 * Whether a field of a prompt asks for something. A top_k of 0 or -1 asks for none, and only services with a top_k
 * take it.
 */
export function asksFor(prompt: Prompt, field: keyof Prompt): boolean {
  if (field === 'topK') return (prompt.topK ?? 0) >= 1;
  return prompt[field] !== undefined && prompt[field] !== false;
}

/** Reports as dropped those of a prompt's fields that ask for something. */
export function reportDropped(
  prompt: Prompt,
  fields: readonly (keyof Prompt)[],
  detail: string,
  report: Report,
): void {
  for (const field of fields) {
    if (asksFor(prompt, field)) report(field, 'dropped', detail);
  }
}

/**
 * The note about stop sequences that the vendor does not take. The gateway looks for them itself
 * (`conversation/stop-at.ts`).
 */
export const CUT_HERE = 'the vendor does not take them; the gateway ends the answer there';

/**
 * The stop sequences that a vendor with a limit on their number is sent: the first ones, each of them once. The gateway
 * looks for all of them itself if there are more. Empty ones are left out: a server refuses them (vLLM: "stop cannot
 * contain an empty string"), or ends every answer at its beginning.
 * @returns nothing if none is left.
 */
export function limitStops(
  stop: readonly string[] | undefined,
  max: number,
  report: Report,
): readonly string[] | undefined {
  if (stop === undefined) return;
  if (stop.includes('')) report('stop', 'dropped', 'an empty stop sequence');
  const sequences = [...new Set(stop)].filter((sequence) => sequence !== '');
  if (sequences.length === 0) return;
  if (sequences.length <= max) return sequences;
  report('stop', 'approximated', `the vendor takes ${max}; the gateway ends the answer at the others, too`);
  return sequences.slice(0, max);
}

/** A report that ignores all notes. */
export const unreported: ParseReport = () => {};

/** A report that appends to `notes`. */
export function reportInto(notes: Note[]): ParseReport {
  return (field, outcome, detail) => void notes.push({ field, outcome, detail });
}
