/** The key of the prompt cache, also for callers that send none. */

import type { Prompt } from '../../conversation/prompt.ts';
import { type JsonObject, withoutFields } from '../../lib/json.ts';
import { sha256 } from '../../lib/sha256.ts';
import type { ModelTraits } from '../model-traits.ts';

/**
 * The caller's key, or one made of the user. Since GPT-5.6 OpenAI finds its cache reliably only by a key ("Prompt
 * caching", OpenAI documentation). Anthropic's format has no such key, but agents name the session in the user's id
 * (BerriAI/litellm#37623 uses it too). The id is sent as a hash, because OpenAI takes at most 64 characters and Mistral
 * asks for keys that do not identify a user.
 * @returns `{ prompt_cache_key }`, to be spread; `{}` without a key.
 */
export function renderCacheKey({ cacheKey, user, formatSpecific }: Prompt): JsonObject {
  const key =
    cacheKey ?? (formatSpecific?.format === 'messages' && user !== undefined ? sha256(user) : undefined);
  return key === undefined ? {} : { prompt_cache_key: key };
}

/** The prompt without the key that its caller wrote in a format of OpenAI's, if the service has refused such fields. */
export function withoutRefusedKey(prompt: Prompt, { avoids }: ModelTraits): Prompt {
  const { formatSpecific } = prompt;
  if (formatSpecific === undefined || !avoids?.has('service-fields')) return prompt;
  const fields = withoutFields(formatSpecific.fields, ['prompt_cache_key']);
  return fields === formatSpecific.fields
    ? prompt
    : { ...prompt, formatSpecific: { ...formatSpecific, fields } };
}
