/**
 * The contract of a wire format: two halves around the neutral prompt and reply, which know nothing of each other. This
 * file is the entrance to all of it.
 */

import type { FormatName } from '../conversation/prompt.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Inbound } from './inbound.ts';
import type { Outbound } from './outbound.ts';

export type { EventRenderer, Inbound, InboundCounting, RequestContext } from './inbound.ts';
export type { ModelTraits, ThinkingTraits } from './model-traits.ts';
export {
  asksFor,
  CUT_HERE,
  limitStops,
  type Note,
  type ParseReport,
  type PromptPath,
  type Report,
  reportDropped,
  reportInto,
  unreported,
} from './notes.ts';
export type {
  EventParser,
  OptionalFields,
  Outbound,
  OutboundCounting,
  RecognizedRefusal,
  StreamMarks,
} from './outbound.ts';

export type { ModelInPath, ServiceAddress, ServiceTraits } from './service-traits.ts';

/** One wire format. */
export interface Format {
  readonly name: FormatName;
  readonly inbound: Inbound;
  readonly outbound: Outbound;
  /** The body of an error response, for an error before the answer has begun. */
  renderError(error: GatewayError, requestId: string): JsonObject;
}
