/**
 * The request to the vendor: with the caller's body on the native path, otherwise parsed and rendered in the vendor's
 * format.
 */

import type { IncomingHttpHeaders } from 'node:http';
import { isMetered } from '../access/limits/limited.ts';
import { isConfined } from '../access/principal.ts';
import { vendorName } from '../catalog/catalog.ts';
import type { Model } from '../catalog/model.ts';
import type { FormatName, Prompt } from '../conversation/prompt.ts';
import type { Route } from '../conversation/route.ts';
import { avoiding } from '../conversation/rules/avoidance.ts';
import { type Inbound, type ModelInPath, type ModelTraits, unreported } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { parseAlt } from '../formats/generate-content/wire/alt.ts';
import type { JsonObject } from '../lib/json.ts';
import type { Edit } from '../lib/json-scan.ts';
import type { Query } from '../lib/query.ts';
import { wellFormed } from '../lib/well-formed.ts';
import { fuse } from '../streams/step.ts';
import { inboundFor } from '../translate/caller-format.ts';
import { formatForPrompt } from '../translate/format-for-prompt.ts';
import { offeredTraits } from '../translate/model-traits.ts';
import { refuseUnknown } from '../translate/refuse-unknown.ts';
import { requestContext, writeRequest } from '../translate/write-request.ts';
import { requestHeaders } from '../upstream/headers.ts';
import { edited, Payload } from '../upstream/payload.ts';
import { answerPath, countingPath, isVertex, pathAt, upstreamName, type Vendor } from '../upstream/vendor.ts';
import type { Hooked, Prepared, Routed, Translation } from './exchange.ts';
import { atOnce, inTurns, type Work } from './in-turns.ts';
import { restore } from './large-strings.ts';
import { valueWithoutModel, withoutModel } from './model-in-path.ts';
import { fieldsWithOddNumbers, parseBody, parsesDialogueAgain, withWrittenNumbers } from './parse-body.ts';
import { askingAll, refuseBackground, withoutParameters } from './restrictions/metered.ts';
import { LONG_BODY, namingModel, withLargeStrings } from './scanned.ts';
import { sessionHeader, sessionInHeaders } from './session.ts';

export interface RequestOptions {
  /**
   * For which keys the gateway requests usage in native streams if the caller did not: only those whose usage is
   * limited, or all.
   */
  readonly askUsage: 'limited' | 'always';
}

/**
 * Makes the stage that prepares the request to the vendor. Other work has its turn while it translates a long body.
 * @throws as `prepareRequest` does.
 */
export function translateRequest(options: RequestOptions): (routed: Routed) => Prepared | Promise<Prepared> {
  const prepare = prepareRequest(options);
  return (routed) =>
    isNative(routed) || routed.body.length < LONG_BODY
      ? prepare(routed)
      : inTurns(translated(routed, modelInPath(routed)));
}

/**
 * Makes the function that prepares the request to the vendor.
 * @throws GatewayError `invalid-request` for what is not valid in the caller's format, or cannot be expressed in the
 *   vendor's.
 */
export function prepareRequest({ askUsage }: RequestOptions): (routed: Routed) => Prepared {
  return (routed) =>
    isNative(routed)
      ? native(routed, askUsage, modelInPath(routed))
      : atOnce(translated(routed, modelInPath(routed)));
}

/** How the service names the model in its paths; undefined if it does not. */
function modelInPath({ upstreamFormat, vendor }: Routed): ModelInPath | undefined {
  return formats[upstreamFormat].outbound.serviceTraits?.(vendor).modelInPath;
}

/** Whether the vendor gets the caller's body, and the caller the vendor's answer, without translation. */
export function isNative({ upstreamFormat, route, mustTranslate }: Routed): boolean {
  return upstreamFormat === route.format && mustTranslate === undefined;
}

/** Whether a request asks for a stream. In generate-content the method in the path says so. */
export function asksStream({ named, body, scan }: Routed): boolean {
  if (named !== undefined) return named.method === 'streamGenerateContent';
  const span = scan.fields.get('stream');
  return span !== undefined && body.toString('latin1', span.start, span.end) === 'true';
}

/** Whether a stream is one JSON list, as Gemini's is without `alt=sse`. */
export function asksList({ named, query }: Routed): boolean {
  return named?.method === 'streamGenerateContent' && !parseAlt(query).isSse;
}

function native(
  routed: Routed,
  askUsage: RequestOptions['askUsage'],
  service: ModelInPath | undefined,
): Prepared {
  const { vendor, upstreamFormat, route, message, named, body, model, refusedFields: without } = routed;
  const counts = isMetered(routed.principal);
  const asks = (counts || askUsage === 'always') && !routed.avoids?.has('stream-options');
  if (counts && upstreamFormat === 'responses') refuseBackground(routed);
  // No service whose path names the model has such an option.
  const asking = asks && service === undefined ? withUsage(routed) : undefined;
  const { query, headers } =
    asks && upstreamFormat === 'generate-content'
      ? askingAll(routed.query, message.headers)
      : {
          query: routed.query,
          headers: isConfined(routed.principal) ? withoutParameters(message.headers) : message.headers,
        };
  const stream = message.headers.accept?.includes('text/event-stream') ?? false;
  const name = upstreamName(vendor, model);
  const path =
    service === undefined
      ? nativePath(upstreamFormat, route.operation, name, named?.method)
      : service.path({ model: name, operation: route.operation, stream: asksStream(routed) });
  const edits = service === undefined ? namingModel(routed) : withoutModel(routed, service);
  return {
    ...routed,
    path: pathAt(vendor, path) + (service === undefined ? passedOn(query) : ''),
    headers: requestHeaders(
      vendor,
      upstreamFormat,
      headers,
      stream,
      sessionHeader(routed, findDialect(vendor, model)),
      without,
    ),
    payload: edited(body, asking === undefined ? edits : [...edits, asking.edit], asksStream(routed)),
    ...(asking !== undefined && { stripInjectedUsage: asking.stripInjectedUsage }),
  };
}

/**
 * What adds the option that requests usage to the body, and the step that removes that usage again; undefined if the caller
 * requested it, or the format needs no such option.
 */
function withUsage({
  upstreamFormat,
  body,
  scan: { fields },
  vendor,
  model,
}: Routed):
  | { readonly edit: Edit; readonly stripInjectedUsage: NonNullable<Prepared['stripInjectedUsage']> }
  | undefined {
  const { usageOnRequest } = formats[upstreamFormat].outbound;
  if (usageOnRequest === undefined) return undefined;
  const edit = usageOnRequest.inject(body, fields, findDialect(vendor, model));
  return edit && { edit, stripInjectedUsage: usageOnRequest.strip };
}

/** A request's body, the half of the format that has read it, and what it asks for. */
interface ParsedRequest {
  readonly body: JsonObject;
  readonly inbound: Inbound;
  readonly prompt: Prompt;
}

/** Parses a request. @throws GatewayError `invalid-request` for what is not valid in the caller's format. */
export function parsePrompt(routed: Routed): ParsedRequest {
  const { route, query } = routed;
  const odd = fieldsWithOddNumbers(routed);
  const body = parseBody(routed, odd);
  const inbound = inboundFor(route.format, body, query);
  const parser =
    route.operation === 'count-tokens' ? (formats[route.format].inbound.counting ?? inbound) : inbound;
  return { body, inbound, prompt: withWrittenNumbers(parser.parseRequest(body, unreported), routed, odd) };
}

function* translated(routed: Routed, service: ModelInPath | undefined): Work<Prepared> {
  const { vendor, route, model, id } = routed;
  const counting = findCounting(route, routed.upstreamFormat);
  const hasLarge = routed.scan.largeStrings.length > 0;
  if (hasLarge && parsesDialogueAgain(fieldsWithOddNumbers(routed)))
    return yield* translated({ ...routed, ...withLargeStrings(routed) }, service);
  yield* routed.parsing();
  yield;
  const { body, inbound, prompt: parsed } = parsePrompt(routed);
  const given = routed.hooked?.prompt ?? parsed;
  const usual = collectTraits(vendor, model, routed.upstreamFormat);
  const upstreamFormat =
    route.operation === 'generate'
      ? formatForPrompt(routed.upstreamFormat, vendor, given, usual)
      : routed.upstreamFormat;
  if (upstreamFormat !== route.format) refuseUnknown(inbound, route.format, body, given);
  yield;
  const { outbound } = formats[upstreamFormat];
  const traits =
    upstreamFormat === routed.upstreamFormat ? usual : collectTraits(vendor, model, upstreamFormat);
  const target = corrected(traits, routed.avoids);
  const stream = given.stream || asksStream(routed);
  const cacheKey = given.cacheKey ?? sessionInHeaders(routed);
  const wanted = { ...given, model: target.model, stream, ...(cacheKey !== undefined && { cacheKey }) };
  const prompt = routed.avoids === undefined ? wanted : avoiding(wanted, routed.avoids);
  const streams = stream && !routed.wantsWholeAnswer;
  const { request, stops } = writeRequest(
    outbound,
    stream === streams ? prompt : unstreamed(prompt),
    target,
    route.format,
    body,
  );
  yield;
  const counted = counting?.outbound.countedRequest(request, target) ?? request;
  const written = wellFormed(
    JSON.stringify(service === undefined ? counted : valueWithoutModel(counted, routed, service)),
  );
  const large = routed.large();
  const payload =
    large === undefined ? new Payload([Buffer.from(written)], streams) : restore(written, large, streams);
  // A string was left out, or its vendor gets it in another form.
  if (payload === undefined) return yield* translated({ ...routed, ...withLargeStrings(routed) }, service);
  const asked = requestContext(id, wanted, body);
  const path =
    service?.path({
      model: target.model,
      operation: route.operation,
      stream: streams && counting === undefined,
    }) ?? choosePath(upstreamFormat, route.operation, target.model, streams);
  return {
    ...routed,
    upstreamFormat,
    path: pathAt(vendor, path),
    headers: requestHeaders(vendor, upstreamFormat, callersOwn(routed), streams && counting === undefined, {
      ...sessionHeader(routed, target.dialect),
      ...outbound.renderHeaders?.(prompt, target),
    }),
    payload,
    translation: {
      inbound,
      outbound,
      asked,
      target,
      ...(stops && { stops }),
      ...(routed.hooked && route.operation === 'generate' && makeHook(routed.hooked, routed)),
      ...(counting && { counting }),
    },
  };
}

/**
 * The caller's headers for a translated fallback in the caller's own format: the body may depend on one of them
 * (`anthropic-beta`).
 */
function callersOwn({ isFallback, upstreamFormat, route, message }: Routed): IncomingHttpHeaders | undefined {
  if (isFallback === undefined || upstreamFormat !== route.format) return undefined;
  // These two describe the request as the caller wrote it.
  const { accept: _, 'idempotency-key': __, ...headers } = message.headers;
  return headers;
}

/** The step for what sees the events of this attempt's answer. */
function makeHook({ record, replyStep }: Hooked, attempt: Routed): Pick<Translation, 'hook'> {
  const [kept, hooked] = [record?.(attempt), replyStep?.()];
  const hook = kept && hooked ? fuse(kept, hooked) : (kept ?? hooked);
  return hook === undefined ? {} : { hook };
}

/** The halves that translate a token count; undefined if the request is not for a count. */
function findCounting({ format, operation }: Route, upstreamFormat: FormatName): Translation['counting'] {
  if (operation !== 'count-tokens') return undefined;
  const inbound = formats[format].inbound.counting;
  const outbound = formats[upstreamFormat].outbound.counting;
  if (inbound === undefined || outbound === undefined)
    throw new TypeError(`${format} counts no ${upstreamFormat}.`);
  return { inbound, outbound };
}

/** The traits of a model, corrected by what its vendor has refused. */
function corrected(target: ModelTraits, avoids: Routed['avoids']): ModelTraits {
  if (avoids === undefined) return target;
  const structuredOutput = target.structuredOutput && !avoids.has('output-schema');
  if (!avoids.has('thinking-off')) return { ...target, avoids, structuredOutput };
  const { kinds = [], efforts = [], ...traits } = target.thinking ?? {};
  const thinking = {
    ...traits,
    kinds,
    efforts: efforts.filter((word) => word !== 'none'),
    canDisable: false,
  };
  return { ...target, avoids, structuredOutput, thinking };
}

/** The prompt for a non-streaming answer, from which the gateway makes the stream. */
function unstreamed(prompt: Prompt): Prompt {
  const { formatSpecific: own, ...rest } = prompt;
  const { stream_options: _, ...fields } = own?.fields ?? {};
  return { ...rest, stream: false, ...(own && { formatSpecific: { ...own, fields } }) };
}

/**
 * Collects what a renderer needs to know about a model at a vendor.
 * @param format the format of the request to the vendor.
 */
export function collectTraits(vendor: Vendor, model: Model, format: FormatName): ModelTraits {
  return offeredTraits(model, {
    name: upstreamName(vendor, model),
    dialect: findDialect(vendor, model),
    service: formats[format].outbound.serviceTraits?.(vendor),
    caches: vendor.caches,
  });
}

/**
 * The name of the service's deviations in its format. A service in front of many vendors is `compatible`, and does not
 * get those of the model's vendor.
 */
export function findDialect(vendor: Vendor, model: Model): string {
  if (vendor.dialect === undefined && isVertex(vendor)) return 'vertex';
  return vendor.dialect ?? (vendor.fullIds ? 'compatible' : (model.dialect ?? vendorName(model.id)));
}

function choosePath(
  format: FormatName,
  operation: Route['operation'],
  model: string,
  stream: boolean,
): string {
  if (operation === 'compact') return '/responses/compact';
  return operation === 'count-tokens' ? countingPath(format, model) : answerPath(format, model, stream);
}

/** The path of a native request. @param method the method of generate-content, which is part of its path. */
function nativePath(
  format: FormatName,
  operation: Route['operation'],
  model: string,
  method: string | undefined,
): string {
  if (format === 'generate-content') return `/v1beta/models/${encodeURIComponent(model)}:${method}`;
  return choosePath(format, operation, model, false);
}

/**
 * The caller's query without the gateway's key and without a model. The model is in the body or the path, which decided
 * on access and price; some services would take the query's instead (BerriAI/litellm#41810).
 */
function passedOn(query: Query): string {
  if (query.size === 0) return '';
  const kept = [...query].filter(([name]) => name !== 'key' && name.toLowerCase() !== 'model');
  const text = new URLSearchParams(kept).toString();
  return text === '' ? '' : `?${text}`;
}
