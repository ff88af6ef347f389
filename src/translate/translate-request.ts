/** Translates a request to a vendor's format. */

import type { FormatName } from '../conversation/prompt.ts';
import { type ModelTraits, type Note, reportInto } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import type { JsonObject } from '../lib/json.ts';
import type { AnswerTranslation } from './answer-events.ts';
import type { RequestBodies } from './bodies.ts';
import { inboundFor } from './caller-format.ts';
import { asBody, checkFormats } from './check-input.ts';
import { chooseTraits } from './choose-traits.ts';
import { isResponsesBody } from './cursor/index.ts';
import { type ExplainedFields, explainedFields } from './explained-fields.ts';
import type { ModelDescription } from './model-description.ts';
import { randomId } from './random-id.ts';
import { refuseUnknown } from './refuse-unknown.ts';
import { requestContext, writeRequest } from './write-request.ts';

/** What `translateRequest` takes. */
export interface RequestToTranslate<From extends FormatName, To extends FormatName> {
  /** The format of `body`: the caller's. */
  readonly from: From;
  /** The format of the vendor. */
  readonly to: To;
  /**
   * The model to ask: an id of the gateway's catalog (`anthropic/claude-sonnet-5-5`, or without the vendor whose format
   * `to` is), the vendor's name of any other model, or a description of one.
   */
  readonly model: string | ModelDescription;
  /** The request as parsed JSON. */
  readonly body: RequestBodies[From];
  /** Whether the answer is to be a stream. Absent: as the body says. In generate-content the path says it instead. */
  readonly stream?: boolean;
}

interface Made extends ExplainedFields {
  readonly body: JsonObject;
  readonly headers: Readonly<Record<string, string>>;
  readonly model: string;
  readonly stream: boolean;
}

/** How the answer is translated back. */
export interface WayBack {
  /** The format of the answer. */
  readonly from: FormatName;
  readonly to: FormatName;
  /** Absent for an answer that stays as it is. */
  readonly translation?: AnswerTranslation;
}

/** A request as the vendor gets it, and what the translation of its answer needs to know of it. */
export class TranslatedRequest {
  /** The body of the vendor's request. */
  readonly body: JsonObject;
  /** Headers of the vendor's request besides those of every request, such as `anthropic-beta`. Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** The vendor's name of the model. In generate-content it belongs in the path. */
  readonly model: string;
  /** Whether the answer is to be a stream. In generate-content the path asks for that. */
  readonly stream: boolean;
  /** What of the caller's request does not reach the vendor as it was. */
  readonly notes: readonly Note[];
  /** The caller's fields that do, at least in meaning. */
  readonly mapped: readonly string[];
  readonly #wayBack: WayBack;

  /** @internal */
  constructor({ body, headers, model, stream, notes, mapped }: Made, wayBack: WayBack) {
    this.body = body;
    this.headers = headers;
    this.model = model;
    this.stream = stream;
    this.notes = notes;
    this.mapped = mapped;
    this.#wayBack = wayBack;
  }

  /** @internal */
  static wayBack(request: TranslatedRequest): WayBack {
    return request.#wayBack;
  }
}

/** A translated request whose body has the type of its format. */
export type RequestIn<To extends FormatName> = TranslatedRequest & { readonly body: RequestBodies[To] };

/**
 * Translates a request. In the vendor's own format only the name of the model changes.
 * @returns the vendor's body, and the notes that `gateway explain` shows.
 * @throws GatewayError `invalid-request` for what is not valid in the caller's format, or cannot be said in the
 *   vendor's; its `param` is the field of `body`.
 * @throws TypeError if `from` or `to` is no format.
 */
export function translateRequest<From extends FormatName, To extends FormatName>(
  request: RequestToTranslate<From, To>,
): RequestIn<To>;
export function translateRequest({
  from,
  to,
  model,
  body: given,
  stream: asked,
}: Omit<RequestToTranslate<FormatName, FormatName>, 'body'> & { readonly body: object }): TranslatedRequest {
  checkFormats(from, to);
  const body = asBody(given);
  const target = chooseTraits(model, to);
  const inbound = inboundFor(from, body);
  inbound.requireFields?.((name) => (body[name] ?? null) !== null);
  // A Responses body that Cursor sends to chat-completions is translated whatever the vendor speaks.
  const isResponses = from === 'chat-completions' && isResponsesBody(body);
  if (from === to && !isResponses) return renamed(from, body, target, asked);
  const { outbound } = formats[to];
  const read: Note[] = [];
  const parsed = inbound.parseRequest(body, reportInto(read));
  if (from !== to) refuseUnknown(inbound, from, body, parsed);
  const stream = asked ?? parsed.stream;
  const prompt = { ...parsed, model: target.model, stream };
  const written: Note[] = [];
  const { request, stops } = writeRequest(outbound, prompt, target, from, body, reportInto(written));
  return new TranslatedRequest(
    {
      body: request,
      headers: outbound.renderHeaders?.(prompt, target) ?? {},
      model: target.model,
      stream,
      ...explainedFields(from, body, read, written),
    },
    {
      from: to,
      to: from,
      translation: {
        inbound,
        outbound,
        asked: requestContext(randomId(), prompt, body),
        target,
        ...(stops && { stops }),
      },
    },
  );
}

/** A request in the vendor's own format, of which only the model's name is read. */
function renamed(
  format: FormatName,
  body: JsonObject,
  { model }: ModelTraits,
  stream = body['stream'] === true,
): TranslatedRequest {
  const sent = 'model' in body ? { ...body, model } : body;
  return new TranslatedRequest(
    { body: sent, headers: {}, model, stream, notes: [], mapped: Object.keys(body) },
    { from: format, to: format },
  );
}
