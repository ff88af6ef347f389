/** A vendor's answer translated to the caller's format: a stream, one JSON body, or a count of tokens. */

import type { Ledger } from '../accounting/usage/ledger.ts';
import { tokensOfRequest } from '../accounting/usage/output-estimate.ts';
import type { FormatName } from '../conversation/prompt.ts';
import type { RequestContext } from '../formats/format.ts';
import { bytesOfText, textOfBytes } from '../lib/bytes.ts';
import { asGatewayError, isVendors } from '../lib/errors.ts';
import { asObject } from '../lib/json.ts';
import { tryParseBounded } from '../lib/json-bounds.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { validator } from '../protocol/validate.ts';
import { framedAsEvents, framedAsList } from '../streams/framing.ts';
import type { Sse } from '../streams/sse.ts';
import { fuse, type Step } from '../streams/step.ts';
import { boundedStream, MAX_WHOLE } from '../translate/decode-answer.ts';
import { translatedBody } from '../translate/translated-body.ts';
import { wholeReply } from '../translate/whole-reply.ts';
import { eventStreamHeaders, responseHeaders } from '../upstream/headers.ts';
import { hiding, tellable } from '../upstream/redact.ts';
import type { UpstreamAnswer } from '../upstream/send.ts';
import { decodeBody } from './decode-body.ts';
import type { Answered, Replied, Translation } from './exchange.ts';
import { countingHeld, holding } from './held-answer.ts';
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
  const { inbound } = translation;
  const judging = options.validate && ledger.isRecorded;
  const framing = asksList(answered) ? framedAsList() : framedAsEvents(inbound.ping);
  const holds = holding(answered);
  const asked = { ...translation.asked, estimatedInput: estimateInput(answered) };
  const { body, ready } = translatedBody(
    toStream(answer),
    { ...translation, asked },
    {
      decode: fuse(boundedStream(), decodeBody(answer, holds)),
      between: countingHeld(holds),
      framing,
      watch: judging ? judge(route.format, asked, ledger) : undefined,
      fail: (error, render, out) => endWithError(ledger, error, secret, render, out),
      failed(error) {
        if (isVendors(error.fault)) answer.markBroken();
      },
      keepAlive: options.keepAlive,
    },
  );
  await withTimeout(ready, options.hold);
  const headers = eventStreamHeaders(responseHeaders(answer.headers, hiding(secret)));
  return { headers: { ...headers, 'content-type': framing.contentType }, body };
}

/** Tokens of the request. They are already known if the exchange is recorded. */
function estimateInput({ ledger, payload }: Answered): number {
  return ledger.asked > 0 ? ledger.asked : tokensOfRequest(...payload.pieces);
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
  // The whole body is in memory by now, and was counted as it arrived.
  const decode = decodeBody(answered.answer, () => {});
  const reply = wholeReply(translation, decode, [await readWhole(answered, MAX_WHOLE)]);
  return { headers: jsonHeaders(answered), body: bytesOfText(JSON.stringify(reply)) };
}

/** Translates a count of a prompt's tokens. */
async function counted(answered: Answered, { inbound, outbound }: NonNullable<Translation['counting']>) {
  const said = tryParseBounded(textOfBytes(await readWhole(answered, MAX_WHOLE)));
  const tokens = outbound.parseCount(asObject(said) ?? {});
  if (tokens === undefined) throw noAnswer(answered);
  return { headers: jsonHeaders(answered), body: bytesOfText(JSON.stringify(inbound.renderCount(tokens))) };
}

function jsonHeaders({ answer, secret }: Answered): Record<string, string> {
  const { 'content-length': _, ...headers } = responseHeaders(answer.headers, hiding(secret));
  return { ...headers, 'content-type': 'application/json' };
}

/**
 * A complete body as a stream of one chunk: some services stream although a non-streaming answer was requested, and the
 * other way round.
 */
function toStream({ body }: UpstreamAnswer): ReadableStream<Uint8Array> {
  return body instanceof Uint8Array ? ReadableStream.from([body]) : body;
}
