/** What makes two requests the same: all that they mean, and whose they are. */

import { createHash } from 'node:crypto';
import type { Prompt } from '../../conversation/prompt.ts';
import { wordSet } from '../../lib/words.ts';
import type { Routed } from '../exchange.ts';

/** Fields that have no effect on what an answer says: they tell how it is sent, or who asks. */
const WITHOUT_EFFECT = wordSet('model stream includeUsage user metadata cacheKey cacheBreakpoint');

/**
 * The name of a request's answer: a hash, so that no part of a prompt is kept.
 * @param shared whether all keys may get each other's answers.
 */
export function cacheKey({ principal, model }: Routed, prompt: Prompt, shared: boolean): string {
  const owner = shared ? null : principal.name;
  const asked = Object.fromEntries(Object.entries(prompt).filter(([name]) => !WITHOUT_EFFECT.has(name)));
  return createHash('sha256')
    .update(sortedJson([owner, model.id, asked]))
    .digest('base64url');
}

/** JSON with the members of each object in a fixed order, without a `formatSpecific` that says nothing. */
function sortedJson(value: unknown): string {
  return JSON.stringify(value, (name, member: unknown) => {
    if (typeof member !== 'object' || member === null || Array.isArray(member)) return member;
    if (name === 'formatSpecific' && isBlank(member)) return undefined;
    return Object.fromEntries(Object.entries(member).toSorted(([a], [b]) => (a < b ? -1 : 1)));
  });
}

/** Whether there are no fields of only one format, so that the request means the same as one of another format. */
function isBlank(specific: object): boolean {
  return 'fields' in specific && Object.keys(Object(specific.fields)).length === 0;
}
