/** Calls by the names that the caller's tools have. */

import type { Part } from '../../../conversation/prompt.ts';
import type { OpenPart } from '../../../conversation/reply.ts';

/** A part of an answer; a call in it has the caller's name. @param names the caller's names by those of the prompt */
export function withGivenName<P extends Part | OpenPart>(part: P, names: ReadonlyMap<string, string>): P {
  return part.kind === 'tool-call' ? { ...part, name: names.get(part.name) ?? part.name } : part;
}
