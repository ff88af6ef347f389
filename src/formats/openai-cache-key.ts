/** The key by which OpenAI's models find their cache, for callers who have none. */

import { createHash } from 'node:crypto';
import type { Prompt } from '../conversation/prompt.ts';
import type { JsonObject } from '../json.ts';

/** OpenAI takes no longer one. */
const LONGEST = 64;

/**
 * From GPT-5.6 on the cache is found reliably by a key alone ("Prompt caching", OpenAI documentation). Anthropic's callers
 * have none, but agents among them name the session in the user's id (as BerriAI/litellm#37623 takes it).
 * @returns `{ prompt_cache_key }`, or nothing: to be spread.
 */
export function cacheKeyOf({ user, own }: Prompt): JsonObject {
  if (own?.format !== 'messages' || user === undefined) return {};
  const key = user.length <= LONGEST ? user : createHash('sha256').update(user).digest('hex');
  return { prompt_cache_key: key };
}
