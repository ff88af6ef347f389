/** A vendor's answer translated to the caller's format: a stream, one JSON body, or a count of tokens. */

import type { Ledger } from '../accounting/usage/ledger.ts';
import { tokensOfRequest } from '../accounting/usage/output-estimate.ts';
import { collector } from '../conversation/collect.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { ReplyEvent } from '../conversation/reply.ts';
import { uniqueCallIds } from '../conversation/rules/unique-call-ids.ts';
import { stopAt } from '../conversation/stop-at.ts';
import { unwrapMember } from '../conversation/unwrap-member.ts';
import type { EventRenderer, RequestContext } from '../formats/format.ts';
import { bytesOfText, textOfBytes } from '../lib/bytes.ts';
import { asGatewayError, isVendors } from '../lib/errors.ts';
import { asObject } from '../lib/json.ts';
import { tryParseBounded } from '../lib/json-bounds.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { validator } from '../protocol/validate.ts';
import { framedAsEvents, framedAsList } from '../streams/framing.ts';
import type { Sse } from '../streams/sse.ts';
import { fuse, run, type Sink, type Step } from '../streams/step.ts';
import { translateBody } from '../streams/translate-body.ts';
import { eventStreamHeaders, responseHeaders } from '../upstream/headers.ts';
import { hiddenInHeaders, tellable } from '../upstream/redact.ts';
import type { UpstreamAnswer } from '../upstream/send.ts';
import { decodeBody, MAX_WHOLE } from './decode-body.ts';
import type { Answered, Replied, Translation } from './exchange.ts';
import { boundedStream, countingHeld, holding } from './held-answer.ts';
import { endWithError } from './late-error.ts';
import { noAnswer } from './no-answer.ts';
import { readWhole } from './reply-body.ts';
import type { ReplyOptions } from './reply-options.ts';
import { asksList } from './translate-request.ts';

/**
 * Makes the reply from a translated answer.
 * @throws GatewayError, without the vendor's secrets, if the vendor fails before anything of its answer is ready.
 */
export async function translatedReply(
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

async function streamed(answered: Answered, translation: Translation, options: ReplyOptions) {
  const { route, answer, secret, ledger } = answered;
  const { inbound, outbound, asked, target } = translation;
  const renderer = inbound.renderEvents({ ...asked, estimatedInput: estimateInput(answered) });
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
  const named = fuse(parser, uniqueCallIds(asked.prompt, asked.id));
  const parsed = fuse(finished(named, translation), watch);
  const judging = options.validate && ledger.isRecorded;
  const framing = asksList(answered) ? framedAsList() : framedAsEvents(inbound.ping);
  const written = judging ? fuse(judge(route.format, asked, ledger), framing) : framing;
  const holds = holding(answered);
  const bounded = fuse(boundedStream(), decodeBody(answer, holds));
  const events = fuse(bounded, fuse(fuse(parsed, countingHeld(holds)), renderer));
  const { body, ready } = translateBody(toStream(answer), fuse(events, written), {
    fail(error, out) {
      const events: Sink<Sse> = { enqueue: (event) => framing.transform(event, out) };
      endWithError(ledger, error, secret, renderer.fail, events);
      framing.flush?.(out);
    },
    failed(error) {
      if (isVendors(error.fault)) answer.markBroken();
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

/** Tokens of the request. They are already known if the exchange is recorded. */
function estimateInput({ ledger, payload }: Answered): number {
  return ledger.asked > 0 ? ledger.asked : tokensOfRequest(payload);
}

/** The format's own keep-alive, which is part of its stream like any other event; '' if the format has none. */
function signOfLife(renderer: EventRenderer, written: Step<Sse, string>): string {
  const said: string[] = [];
  const out = { enqueue: (text: string) => void said.push(text) };
  renderer.ping?.({ enqueue: (event) => written.transform(event, out) });
  return said.join('');
}

/** Passes events on, and notes at the end how many rules of their format they have broken. */
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

async function whole(answered: Answered, translation: Translation) {
  const { inbound, outbound, asked, target } = translation;
  const { answer } = answered;
  const folded = collector();
  const fold: Step<ReplyEvent, never> = { transform: (event) => folded.add(event) };
  // The whole body is in memory by now, and was counted as it arrived.
  const parse = fuse(
    decodeBody(answer, () => {}),
    fuse(outbound.parseEvents(asked.prompt, target), uniqueCallIds(asked.prompt, asked.id)),
  );
  run(fuse(finished(parse, translation), fold), [await readWhole(answered, MAX_WHOLE)]);
  const reply = inbound.renderReply(folded.reply(), asked);
  return { headers: jsonHeaders(answered), body: bytesOfText(JSON.stringify(reply)) };
}

/** A parser's events, after what the gateway does to the answer itself in the vendor's place. */
function finished<In>(
  parser: Step<In, ReplyEvent>,
  { asked: { prompt }, stops }: Translation,
): Step<In, ReplyEvent> {
  const member = prompt.output?.kind === 'json-schema' ? prompt.output.unwrap : undefined;
  // A stop sequence is looked for in what the caller gets.
  const unwrapped = member === undefined ? parser : fuse(parser, unwrapMember(member));
  return stops ? fuse(unwrapped, stopAt(stops)) : unwrapped;
}

/** Translates a count of a prompt's tokens. */
async function counted(answered: Answered, { inbound, outbound }: NonNullable<Translation['counting']>) {
  const said = tryParseBounded(textOfBytes(await readWhole(answered, MAX_WHOLE)));
  const tokens = outbound.parseCount(asObject(said) ?? {});
  if (tokens === undefined) throw noAnswer(answered);
  return { headers: jsonHeaders(answered), body: bytesOfText(JSON.stringify(inbound.renderCount(tokens))) };
}

function jsonHeaders({ answer, secret }: Answered): Record<string, string> {
  const { 'content-length': _, ...headers } = hiddenInHeaders(responseHeaders(answer.headers), secret);
  return { ...headers, 'content-type': 'application/json' };
}

/**
 * A complete body as a stream of one chunk: some services stream although a non-streaming answer was requested, and the
 * other way round.
 */
function toStream({ body }: UpstreamAnswer): ReadableStream<Uint8Array> {
  return body instanceof Uint8Array ? ReadableStream.from([body]) : body;
}
