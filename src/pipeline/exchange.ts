/** The one value that travels the request path, and what each stage adds to it. */

import type { CallerRequest, CallerResponse } from '../access/caller.ts';
import type { LimitStates } from '../access/limits/limit-headers.ts';
import type { Principal } from '../access/principal.ts';
import type { Ledger } from '../accounting/usage/ledger.ts';
import type { FallbackReason } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { ReplyEvent } from '../conversation/reply.ts';
import type { Route } from '../conversation/route.ts';
import type { Avoidance } from '../conversation/rules/avoidance.ts';
import type { InboundCounting, OutboundCounting } from '../formats/format.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { Signal } from '../lib/light-signal.ts';
import type { Query } from '../lib/query.ts';
import type { Step } from '../streams/step.ts';
import type { AnswerTranslation } from '../translate/answer-events.ts';
import type { Payload } from '../upstream/payload.ts';
import type { Ending, UpstreamAnswer, UpstreamRequest } from '../upstream/upstream-answer.ts';
import type { Vendor } from '../upstream/vendor.ts';
import type { Arrival } from './body/arrivals.ts';
import type { Scanned } from './body/scanned.ts';
import type { Beginning } from './reply/early-failure.ts';
import type { StoredCall } from './request/stored-call.ts';

/** What a process can run short of. */
export type Shortage = 'event-loop' | 'memory' | 'file-descriptors';

/** How busy a process is. */
export interface Load {
  inFlight(): number;
  /**
   * What the process is short of; usually undefined.
   * @param isSpared whether a shortage of memory makes no difference: memory is then not read, which takes 40 µs of a
   *   request that comes alone.
   */
  shortage(isSpared?: boolean): Shortage | undefined;
  /** Counts an exchange as one of `key`'s until it is over. @returns how many of them are in flight. */
  claim(response: CallerResponse, key: string): number;
  /**
   * Starts to count what is held for an exchange until it is complete: its body, or an answer that is being collected.
   */
  arriving(response: CallerResponse): Arrival;
}

/** A request as it arrived. */
export interface Incoming {
  /** The id of this exchange in every answer, log line and error. */
  readonly id: string;
  readonly message: CallerRequest;
  /** Where the answer goes. The pipeline only watches it. */
  readonly response: CallerResponse;
  /**
   * Aborts when the caller leaves, or when the process ends the exchange. Its reason is a GatewayError that says which.
   */
  readonly signal: Signal;
  /** How busy the process is; absent if nothing counts that. */
  readonly load?: Load;
  /** What is known of this exchange, for its record. */
  readonly ledger: Ledger;
}

/** After `decode`: what is requested, and in which format. The body is still on its way. */
export interface Call extends Incoming {
  readonly route: Route;
  readonly query: Query;
  /** The model and the method, if the path names them (generate-content). */
  readonly named?: { readonly model: string; readonly method: string };
  /** Reads the body; may be called once. @throws GatewayError if it is too large or breaks off. */
  readBody(): Promise<Buffer>;
}

/** After `authenticate`: who sent the request. */
export interface Admitted extends Call {
  readonly principal: Principal;
  /** Headers for the answer with what is left of the key's limits; absent if it has none. */
  readonly limitHeaders?: Readonly<Record<string, string>>;
  /** The figures that those headers show. */
  readonly standings?: LimitStates;
}

/** A request whose vendor is settled. */
export interface Targeted extends Admitted {
  /** Absent if the request is about something stored, which names no model. */
  readonly model?: Model;
  readonly vendor: Vendor;
  /** The format of the request to the vendor; the caller's own on the native path. */
  readonly upstreamFormat: FormatName;
  /**
   * Records that what the answer stores at the vendor belongs to the key; absent if the key's stored objects are not
   * tracked.
   */
  readonly bind?: (ids: readonly string[]) => void;
  /** The attempt that this request is part of. Absent if nothing observes how it ends. */
  readonly attempt?: Attempt;
}

/** After `findStored`: which stored response, at which vendor. */
export interface Stored extends Targeted {
  readonly stored: StoredCall;
}

/** After `resolveModel`: which model, which vendor, native or translated. */
export interface Routed extends Targeted, Scanned {
  readonly model: Model;
  /**
   * The caller's body. On the native path the value of its top-level `model` is already the vendor's name of the model.
   */
  readonly body: Buffer;
  /** Makes the same request for the next fallback, by the reason why this model does not answer. */
  readonly nextFallback?: (reason: FallbackReason) => Routed | undefined | Promise<Routed | undefined>;
  /** The ids of other models that the body names; set only for callers who are limited by model or hold `longest`. */
  readonly otherModels?: readonly string[];
  /** Set for a fallback: the body was written for another model. */
  readonly isFallback?: true;
  /** Set if the vendor must not get the body unchanged: it is translated then, even to the same format. */
  readonly mustTranslate?: true;
  /** What the operator's hooks have decided; absent if there are none, or they leave the request as it is. */
  readonly hooked?: Hooked;
  /** Optional fields of a native request that the service has refused; the body is already without them. */
  readonly refusedFields?: ReadonlySet<string>;
  /** What the request leaves out or says otherwise, because the vendor refuses it. Absent: nothing. */
  readonly avoids?: ReadonlySet<Avoidance>;
  /**
   * Set if the vendor does not stream this model's answers to the gateway's account: the request asks for a
   * non-streaming answer.
   */
  readonly wantsWholeAnswer?: true;
}

/** What the hooks of a request have decided, which holds for all attempts to answer it. */
export interface Hooked {
  /** Set if a hook has changed the prompt. */
  readonly prompt?: Prompt;
  /** Makes the step for the events of one attempt; absent if no hook looks at them. */
  readonly replyStep?: () => Step<ReplyEvent, ReplyEvent>;
  /** Makes the step that keeps the answer of an attempt in the cache; absent if it is not to be kept. */
  readonly record?: (attempt: Routed) => Step<ReplyEvent, ReplyEvent> | undefined;
}

/** One of the attempts to get an answer. */
export interface Attempt {
  /** Milliseconds that are left for all attempts together. */
  readonly timeLeft: number;
  /** Called once, when the exchange with the vendor is over. */
  readonly ended?: (how: Ending) => void;
}

/** How a reply is translated back into the caller's format. */
export interface Translation extends AnswerTranslation {
  /** Set if the request is for a count of the prompt's tokens. */
  readonly counting?: { readonly inbound: InboundCounting; readonly outbound: OutboundCounting };
}

/** After `translateRequest` or `askStored`: what goes to the vendor. */
export interface Prepared extends Targeted {
  readonly method: UpstreamRequest['method'];
  readonly path: string;
  readonly headers: string[];
  /** The body that is sent; without bytes if there is none. */
  readonly payload: Payload;
  /** Makes the step that removes from a native stream the usage that the gateway requested and the caller did not. */
  readonly stripInjectedUsage?: () => Step<Uint8Array, Uint8Array>;
  /** Absent on the native path. */
  readonly translation?: Translation;
}

/** After `upstream`: the vendor's answer, as a head and a body that is still arriving. */
export interface VendorAnswer extends Prepared {
  readonly answer: UpstreamAnswer;
  /** The credential that was sent to the vendor. It must not appear in logs or answers. */
  readonly secret: string;
  /** How a native stream begins; absent for all other answers. */
  readonly beginning?: Beginning | undefined;
}

/** After `translateReply`: the answer in the caller's format. */
export interface RenderedReply {
  readonly id: string;
  readonly format: FormatName;
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Record<string, string>;
  readonly body: ReadableStream<Uint8Array> | Uint8Array;
  /** As after `authenticate`. These headers replace what a vendor says about its own limits. */
  readonly limitHeaders: Admitted['limitHeaders'] | undefined;
  readonly ledger: Ledger;
  /** The meaning of an error answer that is passed on unchanged; absent for all other answers. */
  readonly refusal?: GatewayError;
}

/** The status of an answer without a body: that something is deleted. It has no `content-length` (RFC 9110, 8.6). */
export const NO_CONTENT = 204;

/** What is written to the caller: after `encode`, or an error in the caller's format. */
export interface Answer {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: ReadableStream<Uint8Array> | Uint8Array;
}
