/** A translated request: parsed from the caller's format, and rendered in the vendor's. */

import type { IncomingHttpHeaders } from 'node:http';
import type { FormatName, Prompt } from '../../conversation/prompt.ts';
import type { Route } from '../../conversation/route.ts';
import { avoiding } from '../../conversation/rules/avoidance.ts';
import type { ModelTraits } from '../../formats/format.ts';
import { formats } from '../../formats/formats.ts';
import { wellFormed } from '../../lib/well-formed.ts';
import { fuse } from '../../streams/step.ts';
import { refuseUnknown } from '../../translate/refuse-unknown.ts';
import { formatForPrompt } from '../../translate/vendor-format.ts';
import { requestContext, writeRequest } from '../../translate/write-request.ts';
import { requestHeaders } from '../../upstream/headers.ts';
import { pathAt, requestPath } from '../../upstream/vendor.ts';
import type { Work } from '../body/in-turns.ts';
import { restore } from '../body/large-strings.ts';
import { fieldsWithInexactNumbers, parsesDialogueAgain } from '../body/parse-body.ts';
import { withLargeStrings } from '../body/scanned.ts';
import type { Prepared, Routed, Translation } from '../exchange.ts';
import { collectTraits } from '../model/collect-traits.ts';
import { findModelInPath, valueWithoutModel } from './model-in-path.ts';
import { parsePrompt } from './parse-prompt.ts';
import { asksStream } from './request-kind.ts';
import { sessionHeader, sessionInHeaders } from './session.ts';

/**
 * Prepares a translated request, in pieces of work between which others may have their turn.
 * @throws GatewayError `invalid-request` for what is not valid in the caller's format, or cannot be expressed in the
 *   vendor's.
 */
export function* translatedRequest(routed: Routed): Work<Prepared> {
  const service = findModelInPath(routed);
  const { vendor, route, model, id } = routed;
  const counting = findCounting(route, routed.upstreamFormat);
  if (readsLargeStrings(routed)) return yield* translatedRequest(withLargeStrings(routed));
  yield* routed.parsing();
  yield;
  const { body, inbound, prompt: parsed } = parsePrompt(routed);
  const given = routed.hooked?.prompt ?? parsed;
  const usual = collectTraits(vendor, model, routed.upstreamFormat);
  const upstreamFormat = findFormat(routed, given, usual);
  if (upstreamFormat !== route.format) refuseUnknown(inbound, route.format, body, given);
  yield;
  const { outbound } = formats[upstreamFormat];
  const traits =
    upstreamFormat === routed.upstreamFormat ? usual : collectTraits(vendor, model, upstreamFormat);
  const target = corrected(traits, routed.avoids);
  const wanted = wantedPrompt(given, routed, target.model);
  const prompt = routed.avoids === undefined ? wanted : avoiding(wanted, routed.avoids);
  const streams = wanted.stream && !routed.wantsWholeAnswer;
  const { request, stops } = writeRequest(
    outbound,
    wanted.stream === streams ? prompt : unstreamed(prompt),
    target,
    route.format,
    body,
  );
  yield;
  const counted = counting?.outbound.countedRequest(request, target) ?? request;
  const written = wellFormed(
    JSON.stringify(service === undefined ? counted : valueWithoutModel(counted, routed, service)),
  );
  const payload = restore(written, routed.large(), streams);
  // A string was left out, or its vendor gets it in another form.
  if (payload === undefined) return yield* translatedRequest(withLargeStrings(routed));
  const asked = requestContext(id, wanted, body);
  const stream = streams && counting === undefined;
  const path =
    service?.path({ model: target.model, operation: route.operation, stream }) ??
    requestPath(upstreamFormat, route.operation, target.model, streams);
  return {
    ...routed,
    upstreamFormat,
    method: 'POST',
    path: pathAt(vendor, path),
    headers: requestHeaders(vendor, upstreamFormat, {
      caller: callersOwn(routed),
      stream,
      more: { ...sessionHeader(routed, target.dialect), ...outbound.renderHeaders?.(prompt, target) },
    }),
    payload,
    translation: {
      inbound,
      outbound,
      asked,
      target,
      ...(stops && { stops }),
      ...makeHook(routed),
      ...(counting && { counting }),
    },
  };
}

/** Whether a body with large strings has to be parsed with them: numbers of its dialogue would not be exact otherwise. */
function readsLargeStrings(routed: Routed): boolean {
  return routed.scan.largeStrings.length > 0 && parsesDialogueAgain(fieldsWithInexactNumbers(routed));
}

/** The format in which the vendor gets a request. Only a prompt for an answer may decide it. */
function findFormat(
  { route, upstreamFormat, vendor }: Routed,
  prompt: Prompt,
  usual: ModelTraits,
): FormatName {
  if (route.operation !== 'generate') return upstreamFormat;
  return formatForPrompt(upstreamFormat, vendor, prompt, usual);
}

/** A prompt with what its request says outside of it: the model, whether to stream, and the session. */
function wantedPrompt(given: Prompt, routed: Routed, model: string): Prompt {
  const stream = given.stream || asksStream(routed);
  const cacheKey = given.cacheKey ?? sessionInHeaders(routed);
  return { ...given, model, stream, ...(cacheKey !== undefined && { cacheKey }) };
}

/**
 * The caller's headers for a translated fallback in the caller's own format: the body may depend on one of them
 * (`anthropic-beta`).
 */
function callersOwn({ isFallback, upstreamFormat, route, message }: Routed): IncomingHttpHeaders | undefined {
  if (isFallback === undefined || upstreamFormat !== route.format) return undefined;
  // What the caller accepts depends on the request as it was written.
  const { accept: _, ...headers } = message.headers;
  return headers;
}

/** The step for what sees the events of this attempt's answer; undefined if nothing does. */
function makeHook(attempt: Routed): Pick<Translation, 'hook'> | undefined {
  const { hooked, route } = attempt;
  if (hooked === undefined || route.operation !== 'generate') return undefined;
  const [kept, changing] = [hooked.record?.(attempt), hooked.replyStep?.()];
  const hook = kept && changing ? fuse(kept, changing) : (kept ?? changing);
  return hook && { hook };
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
