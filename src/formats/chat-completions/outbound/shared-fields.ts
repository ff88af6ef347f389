/** Fields of OpenAI's responses format that this format has too: settings of the cache, and `verbosity`. */

import type { FormatSpecific } from '../../../conversation/prompt.ts';
import { asObject, compact, isEmpty, type JsonObject, splitFields } from '../../../lib/json.ts';
import type { ModelTraits } from '../../format.ts';
import { SHARED_FIELDS } from '../../openai/fields.ts';
import { findSessionHeader } from '../../session-header.ts';
import type { Dialect } from '../dialect.ts';

/** The only shared field of services that lack OpenAI's newest ones. */
const CACHE_KEY_ONLY: ReadonlySet<string> = new Set(['prompt_cache_key']);

/**
 * Splits the fields of a responses request.
 * @returns `shared`, the fields to write in this format, and `remaining`, the fields that it lacks. The fields of any
 *   other format remain as they are.
 */
export function splitSharedFields(
  formatSpecific: FormatSpecific | undefined,
  { openaiFields, cacheKey }: Dialect,
  target: ModelTraits,
): { shared: JsonObject; remaining?: FormatSpecific } {
  if (
    formatSpecific?.format !== 'responses' ||
    !(openaiFields || cacheKey || findSessionHeader(target.dialect))
  )
    return { shared: {}, ...(formatSpecific && { remaining: formatSpecific }) };
  const [given, remaining] = splitFields(
    formatSpecific.fields,
    openaiFields ? SHARED_FIELDS : CACHE_KEY_ONLY,
  );
  if (!openaiFields)
    return { shared: cacheKey ? given : {}, remaining: { ...formatSpecific, fields: remaining } };
  const { prompt_cache_options: caching, ...shared } = given;
  const options = cacheOptions(asObject(caching));
  const { text: settings, ...others } = remaining;
  const { verbosity, ...text } = asObject(settings) ?? {};
  return {
    shared: {
      ...shared,
      ...(!isEmpty(options) && { prompt_cache_options: options }),
      ...(verbosity !== undefined && { verbosity }),
    },
    remaining: { format: formatSpecific.format, fields: { ...others, ...(!isEmpty(text) && { text }) } },
  };
}

/** The cache options that this format has: no time to live but half an hour, and no response to compare with. */
function cacheOptions({ mode, ttl }: JsonObject = {}): JsonObject {
  return compact({ mode, ttl: ttl === '30m' ? ttl : undefined });
}
