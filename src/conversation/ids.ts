/** Ids in a format's own style, made from the vendor's: the same answer has the same id, streamed or whole. */

import type { Prompt } from './prompt.ts';

/** A vendor's own prefix: `chatcmpl-`, `msg_`, `gen-`. */
const PREFIX = /^[a-z]+[_-]/i;

/** `id` as it is where it already has the prefix; else the prefix and the letters and digits of the id's own part. */
export function prefixedId(prefix: string, id: string): string {
  if (id.startsWith(prefix)) return id;
  return prefix + id.replace(PREFIX, '').replaceAll(/[^A-Za-z0-9]/g, '');
}

/** How many tools a conversation has called so far: with the number in it, an id that is made up is none of those. */
export function countCalls({ turns }: Pick<Prompt, 'turns'>): number {
  return turns.reduce((sum, { parts }) => sum + parts.filter(({ kind }) => kind === 'tool-call').length, 0);
}
