/** The key by which a cache is found, for callers who have none. */

import type { Prompt } from '../../conversation/prompt.ts';
import type { JsonObject } from '../../lib/json.ts';
import { sha256 } from '../../lib/sha256.ts';

/**
 * From GPT-5.6 on the cache is found reliably by a key alone ("Prompt caching", OpenAI documentation). Anthropic's callers
 * have none, but agents among them name the session in the user's id (as BerriAI/litellm#37623 takes it). It goes as a
 * hash: OpenAI takes 64 characters at most, and Mistral asks for nothing that tells of a user.
 * @returns `{ prompt_cache_key }`, or nothing: to be spread.
 */
export function cacheKeyOf({ cacheKey, user, formatSpecific: own }: Prompt): JsonObject {
  const key = cacheKey ?? (own?.format === 'messages' && user !== undefined ? sha256(user) : undefined);
  return key === undefined ? {} : { prompt_cache_key: key };
}
