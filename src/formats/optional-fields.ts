/** What services may refuse of a native request, and can do without. Only repairs need this, and no translation. */

import type { FormatName } from '../conversation/prompt.ts';
import { limitName } from './chat-completions/outbound/limit-name.ts';
import { callIds } from './generate-content/outbound/refused-ids.ts';
import { betaFeatures } from './messages/outbound/beta-features.ts';
import { cachingFields } from './openai/caching-fields.ts';
import type { OptionalFields } from './outbound.ts';

/** The optional fields of each format. */
export const optionalFields: Readonly<Record<FormatName, OptionalFields>> = {
  'chat-completions': joined(limitName, cachingFields),
  responses: cachingFields,
  messages: betaFeatures,
  'generate-content': callIds,
};

function joined(...kinds: readonly OptionalFields[]): OptionalFields {
  return {
    names: kinds.flatMap(({ names }) => names),
    refusedIn: (refusal, betas) => kinds.flatMap((kind) => kind.refusedIn(refusal, betas)),
    without: (request, names) => kinds.reduce((left, kind) => kind.without(left, names), request),
  };
}
