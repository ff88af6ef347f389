/** The contract of a format's outbound half, which faces vendors. */

import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { PromptOutline } from '../conversation/prompt-outline.ts';
import type { ReplyEvent } from '../conversation/reply.ts';
import type { Avoidance } from '../conversation/rules/avoidance.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Pieces } from '../streams/repeated-events.ts';
import type { Sse } from '../streams/sse.ts';
import type { Step } from '../streams/step.ts';
import type { ModelTraits } from './model-traits.ts';
import type { Report } from './notes.ts';
import type { ServiceAddress, ServiceTraits } from './service-traits.ts';

/** How a vendor counts the tokens of a prompt. */
export interface OutboundCounting {
  /** The body of the request for a count. @param request as `Outbound.renderRequest` makes it for `target`. */
  countedRequest(request: JsonObject, target: ModelTraits): JsonObject;
  /** The tokens in the vendor's answer; undefined if it has none. */
  parseCount(answer: JsonObject): number | undefined;
}

/** Patterns that tell the state of a stream by its bytes, read as latin1. */
export interface StreamMarks {
  /** The stream has begun, and is one of this format. */
  readonly opening: RegExp;
  /** The stream may end after this: the answer is finished, or an error has come. */
  readonly ending: RegExp;
  /** Nothing comes after this, and no text that a model writes looks like it. Absent if the format has no such mark. */
  readonly closing?: RegExp;
  /**
   * Stands in every event that says that the answer has failed. Every byte of a native stream is searched for it. An
   * expression whose match begins with a quote costs three times as much as one that looks back at the quote.
   */
  readonly failing: RegExp;
  /** An event that does not tell yet whether there will be an answer. Absent if the format has none. */
  readonly preamble?: RegExp;
}

/** Reads a vendor's events. */
export interface EventParser extends Step<Sse, ReplyEvent> {
  /**
   * Whether the answer is complete, although more may come. Absent if the last event always says that it is the last.
   */
  mayEnd?(): boolean;
  /**
   * Called before `flush` if nothing has come for a while where the answer may end. Absent if the answer may as well end
   * there at once.
   */
  endHere?(): void;
  /** Present if the parser takes an event as the `piece` by which it differs from the one before. */
  readonly pieces?: Pieces;
}

/**
 * Fields that change how an answer is made, not what it says, or that have a newer name. Services with the vendor's models
 * may refuse them.
 */
export interface OptionalFields {
  /** The names of all of them. */
  readonly names: readonly string[];
  /**
   * The optional fields that a refusal is about: names of fields, and those values of the caller's beta header
   * (`betas`).
   */
  refusedIn(refusal: GatewayError, betas: readonly string[]): readonly string[];
  /**
   * Leaves out the fields of these names, or writes those with a newer name under it.
   * @returns the request itself if nothing in it changes.
   */
  without(request: JsonObject, names: ReadonlySet<string>): JsonObject;
}

/** What a vendor wants changed in a request that it has refused. */
export type RecognizedRefusal =
  | { readonly kind: 'avoid'; readonly avoidance: Avoidance }
  /** It wants the request written for it in this format; because of this field, if there is one. */
  | { readonly kind: 'format'; readonly format: FormatName; readonly field?: string }
  /** It does not stream this answer, and would give it whole. */
  | { readonly kind: 'whole' };

/** The half that faces vendors. */
export interface Outbound {
  /** Finds how the service at an address differs. Absent if this format's services do not differ by address. */
  serviceTraits?(address: ServiceAddress): ServiceTraits;
  /**
   * The body of the vendor's request.
   * @throws GatewayError `invalid-request` if the vendor has no way to do what was asked. Its `param` is a field of the
   *   prompt, since only the caller's side knows the caller's name of it.
   */
  renderRequest(prompt: Prompt, target: ModelTraits, report: Report): JsonObject;
  /** What is in headers instead of the body, with names in lower case. Absent if nothing does. */
  renderHeaders?(prompt: Prompt, target: ModelTraits): Readonly<Record<string, string>>;
  /**
   * Whether a service that offers this format besides its own supports every field of a request. Absent if none offers
   * it.
   * @param request the body, or at least its tools, the choice among them, the form of the answer and the dialogue.
   */
  isKnownElsewhere?(request: JsonObject, dialect: string): boolean;
  /** The only format in which a service returns reasoning, by its dialect; undefined if this one does. */
  thinkingFormat?(dialect: string): FormatName | undefined;
  /** What a refusal is about, if it is one of the sentences that are known; undefined for any other. Absent if none is. */
  recognizeRefusal?(refusal: GatewayError): RecognizedRefusal | undefined;
  /**
   * A parser of one answer: it reads a stream's events, and a whole answer as the one event `{ data: body }`.
   * Its steps throw a GatewayError for an error event, for broken JSON, and at `flush` for a missing terminal event.
   */
  parseEvents(prompt: PromptOutline, target: ModelTraits): EventParser;
  /** The error, if an event of a stream says that the answer has failed; undefined for any other event. */
  parseFailure(event: Sse): GatewayError | undefined;
  /** The patterns in a stream's bytes. */
  readonly marks: StreamMarks;
  /** Absent if the vendors of this format do not count. */
  readonly counting?: OutboundCounting;
  /**
   * What the vendor's error answer means.
   * @param status 400 and above, or 200 for an error body.
   * @param body as it came.
   */
  parseError(status: number, body: string): GatewayError;
}
