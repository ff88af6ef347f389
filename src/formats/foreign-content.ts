/**
 * What other vendors' models leave in the dialogues of each format. Only repairs need this, and no translation.
 *
 * A translation within the format would remove it as well, but it changes more of the request: it adapts the settings to the
 * model, drops the breakpoints that routers take on calls, and reorders the dialogue. It also refuses what the vendor has
 * stored.
 */

import type { FormatName } from '../conversation/prompt.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { stripForeignContent as chatCompletions } from './chat-completions/outbound/strip-foreign-content.ts';
import { stripForeignContent as generateContent } from './generate-content/outbound/strip-foreign-content.ts';
import { stripForeignContent as messages } from './messages/outbound/strip-foreign-content.ts';
import { stripForeignContent as responses } from './responses/outbound/strip-foreign-content.ts';

/**
 * A native request that was refused, without what other vendors' models have left in its dialogue and what the gateway
 * has put there for them; undefined if it holds nothing of the kind.
 * @param refusal what the vendor said; undefined if it could not be read.
 */
export type ForeignContentStripper = (
  request: JsonObject,
  dialect: string,
  refusal: GatewayError | undefined,
) => JsonObject | undefined;

/** The stripper of each format. */
export const foreignContentStrippers: Readonly<Record<FormatName, ForeignContentStripper>> = {
  'chat-completions': chatCompletions,
  responses,
  messages,
  'generate-content': generateContent,
};
