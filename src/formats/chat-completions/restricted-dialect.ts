/** The dialect of a service, without what it has refused. */

import type { Avoidance } from '../../conversation/rules/avoidance.ts';
import type { ModelTraits } from '../model-traits.ts';
import type { Dialect } from './dialect.ts';
import { findDialect } from './dialects.ts';

/** What a service of any dialect no longer gets once it has refused it. */
const RESTRICTIONS: Partial<Record<Avoidance, (dialect: Dialect) => Partial<Dialect>>> = {
  'calls-without-thoughts': () => ({ reasoningHistory: 'reasoning_content-with-calls' }),
  'user-after-tool': () => ({ userAfterTool: false }),
  'late-system': () => ({ systemFirst: true, developerRole: 'never' }),
  // Every service takes nine letters and digits.
  'unusual-call-ids': () => ({ callIds: 'nine' }),
  strict: () => ({ openaiFields: false }),
  'stream-options': () => ({ streamOptions: false }),
  'service-fields': ({ needsReasoningSplit }) => ({
    ...(needsReasoningSplit && { reasoningHistory: 'tags' }),
    cacheKey: false,
    cacheControl: false,
    serviceTier: false,
    needsToolStream: false,
    needsReasoningSplit: false,
  }),
  'limit-name': ({ maxTokensField }) => ({
    maxTokensField: maxTokensField === 'max_tokens' ? 'max_completion_tokens' : 'max_tokens',
  }),
};

/** DeepSeek's and Moonshot's models, whatever service has them. */
const CALLS_NEED_THOUGHTS = /deepseek|kimi/i;

/** The dialect of the service that a request goes to, without what it has refused. */
export function dialectFor({ dialect: name, model, thinkTags, avoids }: ModelTraits): Dialect {
  let dialect = findDialect(name);
  if (thinkTags) dialect = { ...dialect, thinkTags, reasoningHistory: 'tags' };
  if (avoids === undefined) return dialect;
  for (const avoidance of avoids) dialect = { ...dialect, ...RESTRICTIONS[avoidance]?.(dialect) };
  // The strictest form of a request has no thoughts, but the models of these families need one before each call.
  const needsThoughts = avoids.has('format-details') && CALLS_NEED_THOUGHTS.test(model);
  return needsThoughts ? { ...dialect, ...RESTRICTIONS['calls-without-thoughts']?.(dialect) } : dialect;
}
