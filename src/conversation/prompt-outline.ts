/** What is known of a prompt while it is answered. */

import type { Prompt, ToolCallPart } from './prompt.ts';

/** A call of the dialogue, without its arguments. */
export type KnownCall = Pick<ToolCallPart, 'id' | 'name'>;

/** A prompt without its dialogue, of which only the calls are known. */
export interface PromptOutline extends Omit<Prompt, 'turns'> {
  /** The calls of the dialogue, in order. */
  readonly calls: readonly KnownCall[];
}

/**
 * Makes the outline, which holds nothing of the dialogue: an answer takes minutes to arrive, and a dialogue may have
 * megabytes.
 */
export function outlinePrompt(prompt: Prompt): PromptOutline {
  // The turns are overwritten because V8 makes a dictionary of an object's rest.
  const outline = { ...prompt, turns: undefined, calls: findCalls(prompt) };
  return outline;
}

/** The calls of a prompt's dialogue, in order. */
export function findCalls({ turns }: Pick<Prompt, 'turns'>): readonly KnownCall[] {
  let calls: KnownCall[] | undefined;
  for (const { parts } of turns) {
    for (const part of parts) {
      if (part.kind !== 'tool-call') continue;
      calls ??= [];
      calls.push({ id: part.id, name: part.name });
    }
  }
  return calls ?? NONE;
}

const NONE: readonly KnownCall[] = [];
