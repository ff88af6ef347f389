/** A refusal, and what a repair needs to know of the request that met it. */

import type { FormatName } from '../../conversation/prompt.ts';
import { tryParseExact } from '../../conversation/rules/arguments.ts';
import { formats } from '../../formats/formats.ts';
import { findRequests } from '../../formats/generate-content/wire/counted-requests.ts';
import type { RecognizedRefusal } from '../../formats/outbound.ts';
import { type Fault, GatewayError } from '../../lib/errors.ts';
import { asObjects, isObject, type Json, type JsonObject } from '../../lib/json.ts';
import type { Prepared, RenderedReply, Routed } from '../exchange.ts';
import { findDialect } from '../model/collect-traits.ts';
import { isAboutContent } from './refused-words.ts';

/** A request that was sent, and the refusal that it met. */
export interface Refused {
  readonly routed: Routed;
  readonly error: GatewayError;
  /** The HTTP status that the vendor gave it: its own, or the one that an error inside a 200 amounts to. */
  readonly status: number;
  /** The names of the repairs that this request has had already. */
  readonly earlier: readonly string[];
  /** The value of the caller's body, which is parsed once for all repairs; undefined if it is no object. */
  body(): JsonObject | undefined;
  /** What the error is known to be about; undefined for any other. */
  readonly recognized: RecognizedRefusal | undefined;
  /**
   * Whether another form of the request differs from what was sent. It prepares that form, which costs as much as
   * preparing the request.
   */
  changes(other: Routed): boolean;
}

/** The statuses with which a vendor refuses a request's content. OpenAI answers 404 for reasoning that it does not know. */
const REFUSALS = new Set([400, 404, 422]);

/** What such a status may mean; not a key, an account or a prompt that is too long. */
const REPAIRABLE: ReadonlySet<Fault> = new Set<Fault>([
  'invalid-request',
  'unprocessable',
  'not-found',
  'model-not-found',
]);

/**
 * Describes a refusal to `repair`.
 * @param outcome what came of the request: an error, or the vendor's own answer with one.
 * @param earlier the names of the repairs that it has had.
 * @param prepare the stage that makes the vendor's request.
 * @returns undefined if no other form of the request can help: it was refused for a key, an account, its length or what it
 *   says, or it was never sent, since the gateway itself refuses it.
 */
export function describeRefusal(
  routed: Routed,
  outcome: Pick<GatewayError | RenderedReply, 'status'>,
  error: GatewayError,
  earlier: readonly string[],
  prepare: (routed: Routed) => Prepared,
): Refused | undefined {
  const status = outcome.status >= 400 ? outcome.status : error.status;
  if (!REFUSALS.has(status) || !REPAIRABLE.has(error.fault) || isAboutContent(error)) return undefined;
  const sent = tryPrepare(routed, prepare);
  if (sent === undefined) return undefined;
  let body: { readonly value: JsonObject | undefined } | undefined;
  return {
    routed,
    error,
    body() {
      body ??= { value: parseExactBody(routed) };
      return body.value;
    },
    earlier,
    status,
    recognized: formats[sent.upstreamFormat].outbound.recognizeRefusal?.(error),
    changes(other) {
      const made = tryPrepare(other, prepare);
      return made !== undefined && !made.payload.equals(sent.payload);
    },
  };
}

/** A form of the request that the gateway can make; undefined if the vendor's format has no way to say it. */
function tryPrepare(routed: Routed, prepare: (routed: Routed) => Prepared): Prepared | undefined {
  try {
    return prepare(routed);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

/** Whether a model has spoken in the request's dialogue. */
export function hasAnswers({ body }: Refused): boolean {
  return findRequests(body() ?? {}).some(({ messages, contents, input }) =>
    asObjects(messages ?? contents ?? input).some(isAnswer),
  );
}

const ANSWERING: ReadonlySet<Json | undefined> = new Set(['assistant', 'model', 'tool']);

/** Whether a turn is a model's, or follows one. Items of responses may have a type in place of a role. */
function isAnswer({ role, type }: JsonObject): boolean {
  if (role !== undefined) return ANSWERING.has(role);
  return type !== undefined && type !== 'message';
}

/** The value of a request's body, with its numbers as they were written; undefined if it is no object. */
export function parseExactBody({ body }: Routed): JsonObject | undefined {
  const request = tryParseExact(body.toString('utf8'));
  return isObject(request) ? request : undefined;
}

/** The dialects of the vendors whose formats these are. */
const OWN_DIALECTS: Readonly<Record<FormatName, readonly string[]>> = {
  'chat-completions': ['openai', 'azure'],
  responses: ['openai', 'azure'],
  messages: ['anthropic'],
  'generate-content': ['google', 'vertex'],
};

/** Whether a request goes to the vendor whose format it is in. */
export function isReference({ upstreamFormat, vendor, model }: Routed): boolean {
  return OWN_DIALECTS[upstreamFormat].includes(findDialect(vendor, model));
}
