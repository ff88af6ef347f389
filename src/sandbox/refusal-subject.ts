/** What a refusal is about, before anybody puts it into words. */

import type { Flaw, FlawPath } from './flaws.ts';

export type RefusedThing =
  /** A field that the vendor does not know. */
  | 'unknown field'
  /** A field that it knows, but that this model does not take, or not with this value. */
  | 'setting'
  /** A thought, or a signature of one, that the vendor has not made. */
  | 'thoughts'
  | 'missing thought'
  | 'missing signature'
  | 'missing reasoning_content'
  | 'repeated ids'
  | 'foreign ids'
  | 'input no object'
  /** A call without its result, or a result without its call. */
  | 'unpaired call'
  | 'user after tool'
  | 'late system'
  | 'empty text'
  | 'order'
  | 'too many'
  | 'tool names';

/** What is refused, its place in the request, and the id that the refusal is about, if it is about one. */
export interface RefusalSubject {
  readonly thing: RefusedThing;
  readonly path: FlawPath;
  readonly id?: string;
}

/** @returns what a refusal without an id is about, by the place in the request */
export function about(thing: RefusedThing, ...path: FlawPath): RefusalSubject {
  return { thing, path };
}

/** @returns what a flaw is about; undefined for those that no vendor words in many ways */
export function findSubject(flaw: Flaw): RefusalSubject | undefined {
  const thing = findThing(flaw);
  if (thing === undefined) return undefined;
  const { path, got } = flaw;
  return { thing, path, ...(thing === 'foreign ids' && typeof got === 'string' && { id: got }) };
}

function findThing({ kind, path, got }: Flaw): RefusalSubject['thing'] | undefined {
  const name = String(path.at(-1));
  const isId = /(?:^|_)id$/.test(name);
  if (kind === 'unknown') return 'unknown field';
  if (kind === 'pattern') return isId ? 'foreign ids' : undefined;
  if (kind === 'type' || kind === 'missing')
    return /^(?:input|args)$/.test(name) ? 'input no object' : undefined;
  if (kind !== 'size') return undefined;
  if (name === 'text' || got === '') return 'empty text';
  if (isId) return 'foreign ids';
  return /^stop/.test(name) ? 'too many' : undefined;
}
