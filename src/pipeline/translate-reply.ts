/** The same answer in the words of the caller; byte for byte as it is on the native path. */

import { type Ledger, noteFault } from '../accounting/usage/ledger.ts';
import { collector } from '../conversation/collect.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { ReplyEvent } from '../conversation/reply.ts';
import { stopAt } from '../conversation/stop-at.ts';
import type { EventRenderer, RequestContext } from '../formats/format.ts';
import { formats } from '../formats/formats.ts';
import { amended, asGatewayError, type GatewayError } from '../lib/errors.ts';
import { asObject } from '../lib/json.ts';
import { MAX_ERROR_TOKENS, tryParseBounded } from '../lib/json-bounds.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { validator } from '../protocol/validate.ts';
import { type Body, bodyOfBytes, wholeOf } from '../streams/body.ts';
import type { Stage } from '../streams/chain.ts';
import { framedAsEvents, framedAsList } from '../streams/framing.ts';
import type { Sse } from '../streams/sse.ts';
import { fuse, run, type Step } from '../streams/step.ts';
import { changed } from '../streams/transform-body.ts';
import { through } from '../streams/translate-body.ts';
import { eventStreamHeaders, refusalHeaders, responseHeaders } from '../upstream/headers.ts';
import { joined, toBuffer } from '../upstream/net/to-buffer.ts';
import { hidden, hiddenInHeaders, hiddenInJson, tellable } from '../upstream/redact.ts';
import { leftFor, type UpstreamAnswer } from '../upstream/send.ts';
import { decodeBody, MAX_WHOLE, notJson, tooLong } from './decode-body.ts';
import { type EarlyFailure, failureInBody, failureInStream } from './early-failure.ts';
import type { Answered, Replied, Translation } from './exchange.ts';
import { boundedStream, countingHeld, holding } from './held-answer.ts';
import { hideInFailures } from './hide-failures.ts';
import { notServed } from './resolve-model.ts';
import { noteStored } from './restrictions/note-stored.ts';
import { asksList } from './translate-request.ts';
import { withWait, withWaitTold } from './vendor-wait.ts';

export interface ReplyOptions {
  /** Milliseconds of silence after which a translated stream says that it is alive. */
  readonly keepAlive: number;
  /** Milliseconds that the head of a translated stream waits for the first event, so that a failure has its status. */
  readonly hold: number;
  /** Whether streams are judged by the protocol validator as they go out. */
  readonly validate: boolean;
}

/** Largest error body that is read, in bytes. */
const MAX_ERROR = 1024 * 1024;

/**
 * The reply as soon as its status is known. What goes wrong after that is the last event of its stream.
 * @throws GatewayError where the vendor refused, and its words are not the caller's format; and where what it sent is
 *   no answer.
 */
export function translateReply(options: ReplyOptions): Stage<Answered, Replied> {
  return (answered) => {
    const { answer, translation } = answered;
    if (answer.status >= 400) return refused(answered);
    return translation === undefined
      ? noted(native(answered, options.hold), answered)
      : translated(answered, translation, options);
  };
}

function native(answered: Answered, hold: number): Replied | Promise<Replied> {
  const { id, route, answer, secret, allowance, ledger } = answered;
  const { status, body } = answer;
  const type = String(answer.headers['content-type']);
  if (type.startsWith('text/html')) throw noAnswer(answered);
  const own = hiddenInHeaders(responseHeaders(answer.headers), secret);
  const reply = { id, format: route.format, status, allowance, ledger };
  if (!type.startsWith('text/event-stream')) return wholly({ ...reply, headers: own, body }, answered);
  const headers = { ...eventStreamHeaders(own), 'content-type': type };
  return passing({ ...reply, headers, body }, answered, hold);
}

/** The reply, of which it is noted whose that is which it has stored at the vendor. */
function noted(
  reply: Replied | Promise<Replied>,
  { bind, upstreamFormat: spoken, answer }: Answered,
): Replied | Promise<Replied> {
  if (bind === undefined) return reply;
  const streamed = String(answer.headers['content-type']).startsWith('text/event-stream');
  const note = (given: Replied): Replied =>
    given.refusal === undefined ? { ...given, body: noteStored(spoken, given.body, streamed, bind) } : given;
  return reply instanceof Promise ? reply.then(note) : note(reply);
}

/** A native body as it is. One that is an error all the same is a refusal, as routers tell of a vendor's that came late. */
function wholly(reply: Replied, answered: Answered): Replied {
  const { upstreamFormat: spoken, route } = answered;
  const { body, status } = reply;
  if (status !== 200 || route.operation !== 'generate' || !(body instanceof Uint8Array)) return reply;
  const error = failureInBody(body, formats[spoken].outbound);
  if (error === undefined) return reply;
  const text = toBuffer(body).toString('utf8');
  return asRefusal(withBody(reply, text, hiddenInJson(text, answered.secret)), error, answered);
}

/** A reply with another text as its body, where that is another one. */
function withBody(reply: Replied, text: string, shown: string): Replied {
  if (shown === text) return reply;
  const { 'content-length': _, ...headers } = reply.headers;
  return { ...reply, headers, body: Buffer.from(shown) };
}

/** A native stream as it is, but for what its failures hide, unless its first word is that there will be none. */
function passing(reply: Replied, answered: Answered, hold: number): Replied | Promise<Replied> {
  const { answer, upstreamFormat: spoken, stripInjectedUsage: hide, secret } = answered;
  const failures = hideInFailures(formats[spoken].outbound, secret);
  const step = hide === undefined ? failures : fuse(hide(), failures);
  const shown = { ...reply, body: changed(bodyOf(answer), step) };
  if (answer.body instanceof Uint8Array) return shown;
  const given = (failure: EarlyFailure | undefined): Replied => {
    if (failure === undefined) return shown;
    const body = joined(run(hideInFailures(formats[spoken].outbound, secret), [failure.bytes]));
    return asRefusal({ ...reply, body }, failure.error, answered);
  };
  const waited = failureInStream(answer.body, formats[spoken].outbound, hold);
  return waited === undefined ? shown : waited.then(given);
}

/** @throws GatewayError where it is of the gateway's own key. */
function asRefusal(reply: Replied, error: GatewayError, { answer, secret, ledger }: Answered): Replied {
  if (ledger !== undefined) {
    // Nothing of an answer has come.
    ledger.output = undefined;
    // Noted where the caller is told: another may still answer, or the caller leave before that.
    ledger.fault = undefined;
    ledger.cause = undefined;
  }
  if (error.fault === 'upstream-auth') throw error;
  return { ...reply, refusal: withWait(tellable(error, secret), answer) };
}

async function translated(
  answered: Answered,
  translation: Translation,
  options: ReplyOptions,
): Promise<Replied> {
  const { id, route, answer, allowance, ledger } = answered;
  try {
    const { headers, body } = await inCallersWords(answered, translation, options);
    return { id, format: route.format, status: answer.status, headers, body, allowance, ledger };
  } catch (error) {
    throw tellable(asGatewayError(error), answered.secret);
  }
}

function inCallersWords(answered: Answered, translation: Translation, options: ReplyOptions) {
  const { counting, asked } = translation;
  if (counting !== undefined) return counted(answered, counting);
  return asked.prompt.stream ? streamed(answered, translation, options) : whole(answered, translation);
}

/**
 * An answer of status 400 and above. The caller of a native path has it as the vendor wrote it, but for keys in it; but
 * that the vendor refused the gateway's own key is not the caller's doing.
 */
async function refused(answered: Answered): Promise<Replied> {
  const {
    id,
    route,
    upstreamFormat: spoken,
    model,
    answer,
    translation,
    secret,
    allowance,
    ledger,
  } = answered;
  const body = await readWhole(answered, MAX_ERROR);
  const text = body.toString('utf8');
  const isJson = tryParseBounded(text, MAX_ERROR_TOKENS) !== undefined;
  const shown = isJson ? hiddenInJson(text, secret) : hidden(text, secret);
  const parsed = formats[spoken].outbound.parseError(answer.status, shown);
  const said = withWord(withWait(tellable(parsed, secret), answer), answer.status, shown);
  const { operation } = route;
  const error = operation !== 'generate' && isNoPlace(answer, said) ? notServed(operation, model) : said;
  const isOurs = error.fault === 'upstream-auth' || error.loss === 'elsewhere';
  // A page of some proxy on the way is not what the vendor wrote.
  if (translation === undefined && !isOurs && isJson) {
    const reply = { id, format: route.format, status: answer.status, refusal: error, allowance, ledger };
    const headers = withWaitTold(hiddenInHeaders(responseHeaders(answer.headers), secret), error);
    return withBody({ ...reply, headers, body }, text, shown);
  }
  const told = error.fault === 'upstream-auth' ? {} : hiddenInHeaders(refusalHeaders(answer.headers), secret);
  throw amended(error, { headers: { ...told, ...allowance } });
}

async function streamed(answered: Answered, translation: Translation, options: ReplyOptions) {
  const { route, answer, secret, ledger } = answered;
  const { inbound, outbound, asked, target, stops } = translation;
  const renderer = inbound.renderEvents(asked);
  let said = false;
  let over = false;
  const watch: Step<ReplyEvent, ReplyEvent> = {
    transform(event, out) {
      out.enqueue(event);
      said ||= event.type !== 'reply-start' && event.type !== 'usage';
      if (event.type === 'reply-end') over = true;
    },
  };
  const parser = outbound.parseEvents(asked.prompt, target);
  const parsed = fuse(stops ? fuse(parser, stopAt(stops)) : parser, watch);
  const judging = options.validate && ledger !== undefined;
  const framing = asksList(answered) ? framedAsList() : framedAsEvents(inbound.ping);
  const written = judging ? fuse(judge(route.format, asked, ledger), framing) : framing;
  const holds = holding(answered);
  const bounded = fuse(boundedStream(), decodeBody(answer, holds));
  const events = fuse(bounded, fuse(fuse(parsed, countingHeld(holds)), renderer));
  const { body, ready } = through(bodyOf(answer), fuse(events, written), {
    fail(error, out) {
      if (ledger !== undefined) noteFault(ledger, error);
      renderer.fail(tellable(error, secret), { enqueue: (event) => framing.transform(event, out) });
      framing.flush?.(out);
    },
    over: () => over,
    mayBeOver: parser.mayBeOver,
    holds: () => !said,
    keepAlive: {
      text: () => signOfLife(renderer, written) || framing.ping(),
      milliseconds: options.keepAlive,
    },
  });
  await withTimeout(ready, options.hold);
  const headers = eventStreamHeaders(hiddenInHeaders(responseHeaders(answer.headers), secret));
  return { headers: { ...headers, 'content-type': framing.contentType }, body };
}

/** What the renderer has to say of it, which is as much of the stream as all else is; '' where that is nothing. */
function signOfLife(renderer: EventRenderer, written: Step<Sse, string>): string {
  const said: string[] = [];
  const out = { enqueue: (text: string) => void said.push(text) };
  renderer.ping?.({ enqueue: (event) => written.transform(event, out) });
  return said.join('');
}

/** Passes events on, and notes how many rules of their format they have broken once all are said. */
function judge(format: FormatName, { prompt }: RequestContext, ledger: Ledger): Step<Sse, Sse> {
  const judged = validator(
    format,
    prompt.includeUsage === undefined ? {} : { usageAsked: prompt.includeUsage },
  );
  return {
    transform(event, out) {
      judged.add(event);
      out.enqueue(event);
    },
    flush() {
      ledger.violations = judged.end().length;
    },
  };
}

async function whole(answered: Answered, { inbound, outbound, asked, target, stops }: Translation) {
  const { answer } = answered;
  const folded = collector();
  const fold: Step<ReplyEvent, never> = { transform: (event) => folded.add(event) };
  // All of it is here when it is decoded, and was counted as it came.
  const parse = fuse(
    decodeBody(answer, () => {}),
    outbound.parseEvents(asked.prompt, target),
  );
  run(fuse(stops ? fuse(parse, stopAt(stops)) : parse, fold), [await readWhole(answered, MAX_WHOLE)]);
  const reply = inbound.renderReply(folded.reply(), asked);
  return { headers: jsonHeaders(answered), body: Buffer.from(JSON.stringify(reply)) };
}

/** How many tokens a prompt has. */
async function counted(answered: Answered, { inbound, outbound }: NonNullable<Translation['counting']>) {
  const { answer } = answered;
  const said = tryParseBounded((await readWhole(answered, MAX_WHOLE)).toString('utf8'));
  const tokens = outbound.parseCount(asObject(said) ?? {});
  if (tokens === undefined) throw noAnswer(answered);
  return { headers: jsonHeaders(answered), body: Buffer.from(JSON.stringify(inbound.renderCount(tokens))) };
}

/** Statuses of a service that has nothing at a path, beside 404: vLLM takes what stands there for the id of a response. */
const NO_PLACE = new Set([405, 501]);

/** Whether a service refuses what not all have for want of it, which is no failure of the service. */
function isNoPlace({ status }: UpstreamAnswer, { fault }: GatewayError): boolean {
  return fault === 'not-found' || NO_PLACE.has(status);
}

/** Of an answer that is none. Some services answer so at paths that they do not have (LM Studio: "Returning 200 anyway"). */
function noAnswer({ answer, route: { operation }, model }: Answered): GatewayError {
  return operation === 'generate' ? notJson(answer) : leftFor(answer, notServed(operation, model));
}

function jsonHeaders({ answer, secret }: Answered): Record<string, string> {
  const { 'content-length': _, ...headers } = hiddenInHeaders(responseHeaders(answer.headers), secret);
  return { ...headers, 'content-type': 'application/json' };
}

function bodyOf({ body }: UpstreamAnswer): Body {
  return body instanceof Uint8Array ? bodyOfBytes(body) : body;
}

async function readWhole(answered: Answered, limit: number): Promise<Buffer> {
  const { body } = answered.answer;
  if (!(body instanceof Uint8Array)) return wholeOf(body, limit, tooLong, holding(answered));
  if (body.byteLength > limit) throw tooLong();
  return toBuffer(body);
}

/**
 * The gateway's own trouble at a vendor, of which the caller is told nothing more, with what the log tells of it: a key
 * that is wrong, an account without money and a place that is not served are mended in different ways.
 */
function withWord(error: GatewayError, status: number, body: string): GatewayError {
  if (error.fault !== 'upstream-auth') return error;
  const value = tryParseBounded(body, MAX_ERROR_TOKENS);
  const told = asObject(asObject(Array.isArray(value) ? value[0] : value)?.['error']) ?? {};
  const word = [told['code'], told['status'], told['type']].find(
    (each) => typeof each === 'string' && /^[A-Za-z_]{1,48}$/.test(each),
  );
  const code = [`HTTP_${status}`, word].join('_').replace(/_$/, '').toUpperCase();
  return amended(error, { cause: Object.assign(new Error('The vendor said so.'), { code }) });
}
