/**
 * How the usage of native streams is requested. It is a table of its own because only a gateway in front of a vendor needs
 * it: the translation alone (`src/translate/index.ts`) does without.
 */

import type { FormatName } from '../conversation/prompt.ts';
import type { Edit } from '../lib/edit.ts';
import type { Span } from '../lib/json-bytes.ts';
import type { Step } from '../streams/step.ts';
import { injectUsage } from './chat-completions/outbound/inject-usage.ts';
import { stripInjectedUsage } from './chat-completions/outbound/strip-injected-usage.ts';

/** How to get the usage of a stream if the caller has not asked for it. */
export interface UsageOnRequest {
  /**
   * What makes the request ask for usage, and changes nothing else; undefined if the request asks by itself or is not
   * for a stream, and if the service does not know the question.
   * @param request a JSON object that `scanObject` accepts.
   * @param fields the places of its top-level values, from `scanObject`.
   * @throws GatewayError `invalid-request` if two readers may disagree on what the request asks.
   */
  inject(request: Uint8Array, fields: ReadonlyMap<string, Span>, dialect: string): Edit | undefined;
  /** A step that removes from the stream what is there only because of the question. It never throws. */
  strip(): Step<Uint8Array, Uint8Array>;
}

/** By format; absent if streams have usage without the question. */
export const usageOnRequest: Partial<Readonly<Record<FormatName, UsageOnRequest>>> = {
  'chat-completions': { inject: injectUsage, strip: stripInjectedUsage },
};
