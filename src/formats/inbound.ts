/** The contract of a format's inbound half, which faces callers. */

import type { Prompt } from '../conversation/prompt.ts';
import type { PromptOutline } from '../conversation/prompt-outline.ts';
import type { Reply, ReplyEvent } from '../conversation/reply.ts';
import type { GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Query } from '../lib/query.ts';
import type { Sse } from '../streams/sse.ts';
import type { Step } from '../streams/step.ts';
import type { ParseReport } from './notes.ts';

/** What a caller asked, for the renderers of the answer. */
export interface RequestContext {
  readonly prompt: PromptOutline;
  /** The caller's parsed body, without its dialogue. Some formats repeat parts of it in the answer. */
  readonly body: JsonObject;
  /** Unique to this exchange, only letters and digits: the stem of every id that the gateway makes. */
  readonly id: string;
  /** Unix seconds. */
  readonly created: number;
  /** Tokens of the request as limits estimate them, for a stream that begins before the vendor has reported its usage. */
  readonly estimatedInput?: number;
}

/** Renders the events of one answer for a caller. */
export interface EventRenderer extends Step<ReplyEvent, Sse> {
  /** Writes a late error in the caller's format, as the last event of the stream. */
  fail(error: GatewayError, out: { enqueue(event: Sse): void }): void;
  /**
   * Writes an empty piece of what is open, which is a better sign of life than `Inbound.ping`. Writes nothing if the
   * format has no such event at this point.
   */
  ping?(out: { enqueue(event: Sse): void }): void;
}

/** The half that faces callers. */
export interface Inbound {
  /** The caller's body as a prompt. @throws GatewayError `invalid-request` that names the missing or wrong field. */
  parseRequest(body: JsonObject, report: ParseReport): Prompt;
  /**
   * The body without what only its own vendor can answer, since it points to something stored there; the same body if it
   * has no such field. Absent: the format has none.
   */
  withoutState?(body: JsonObject): JsonObject;
  /**
   * Refuses a body without a field that the format requires, also where its service would take it. Absent: there is no
   * such field.
   * @param has whether the body has a field, with any value but null.
   * @throws GatewayError `invalid-request` in the own vendor's words.
   */
  requireFields?(has: (name: string) => boolean): void;
  /**
   * Refuses kinds and values that the format's own vendor would refuse, and that a vendor of another format would never
   * see. It is asked only if that other vendor is to answer: the own one judges by itself.
   * @throws GatewayError `invalid-request` in the own vendor's words.
   */
  refuseUnknown(body: JsonObject, prompt: Prompt): void;
  /** The own vendor's 400 for a field that it does not know. @param path the field, as `reasoning.effort`. */
  unknownField(path: string): GatewayError;
  /**
   * The same for a tool of a type that it does not know. Absent: such a type is refused when the request is parsed, or is
   * the name of a field.
   * @param at the place in `tools`.
   */
  unknownTool?(at: number, type: string): GatewayError;
  /** A renderer of one streamed answer. */
  renderEvents(asked: RequestContext): EventRenderer;
  /** A whole answer as the body of the response. */
  renderReply(reply: Reply, asked: RequestContext): JsonObject;
  /**
   * A late error as the last event of a stream that the vendor itself has rendered (native path).
   * @param said the last bytes of that stream, as text.
   */
  renderLateError(error: GatewayError, said: string): Sse;
  /** Bytes that keep a silent stream open. The SDKs of every language skip them. */
  readonly ping: string;
  /** This half, with its answers written as a query asks. Absent if no query changes how they are written. */
  forQuery?(query: Query): Inbound;
  /** Absent if the format has no way to count the tokens of a prompt, or not for other vendors' models. */
  readonly counting?: InboundCounting;
}

/** How callers have the tokens of a prompt counted. */
export interface InboundCounting {
  /** The prompt to count. @throws GatewayError `invalid-request`, as `Inbound.parseRequest` does. */
  parseRequest(body: JsonObject, report: ParseReport): Prompt;
  /** The body of the response. */
  renderCount(tokens: number): JsonObject;
}
