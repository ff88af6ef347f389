/** A vendor's answer translated to the caller's format: a stream, one JSON body, or a count of tokens. */

import type { Ledger } from '../../accounting/usage/ledger.ts';
import { tokensOfRequest } from '../../accounting/usage/output-estimate.ts';
import type { Config } from '../../config/schema.ts';
import type { FormatName } from '../../conversation/prompt.ts';
import type { RequestContext } from '../../formats/format.ts';
import { textOfBytes } from '../../lib/bytes.ts';
import { asGatewayError, type GatewayError, isVendorError } from '../../lib/errors.ts';
import { asObject, type JsonObject } from '../../lib/json.ts';
import { tryParseBounded } from '../../lib/json-bounds.ts';
import { withTimeout } from '../../lib/with-timeout.ts';
import { validator } from '../../protocol/validate.ts';
import { framedAsEvents, framedAsList } from '../../streams/framing.ts';
import { pushedWhole } from '../../streams/push-body.ts';
import type { Sse } from '../../streams/sse.ts';
import { fuse, type Sink, type Step } from '../../streams/step.ts';
import { BoundedStream, MAX_WHOLE } from '../../translate/decode-answer.ts';
import { type Failures, translatedBody } from '../../translate/translated-body.ts';
import { wholeReply, wholeReplyOfStream } from '../../translate/whole-reply.ts';
import { eventStreamHeaders, responseHeaders } from '../../upstream/headers.ts';
import { hiding, withoutSecretsIn } from '../../upstream/redact.ts';
import type { Breakable } from '../../upstream/upstream-answer.ts';
import type { RenderedReply, Translation, VendorAnswer } from '../exchange.ts';
import { endWithError, type RenderLateError } from '../late-error.ts';
import { asksList } from '../request/request-kind.ts';
import { decodeBody, requireAnswer, textUnlessEvents } from './decode-body.ts';
import { HeldAnswer } from './held-answer.ts';
import { noAnswer } from './no-answer.ts';
import { readWhole } from './reply-body.ts';

/** How replies are sent to callers, as the configuration says. */
export type ReplyOptions = Pick<Config['timeouts'], 'keepAlive' | 'hold'> & Pick<Config, 'validate'>;

/** What only the reply of a translated answer has. */
type Translated = Pick<RenderedReply, 'headers' | 'body'>;

/**
 * Makes the reply from a translated answer: at once if all of it is here and is to be written at once.
 * @throws GatewayError, without the vendor's secrets, if the vendor fails before anything of its answer is ready.
 */
export function translatedReply(
  answered: VendorAnswer,
  translation: Translation,
  options: ReplyOptions,
): RenderedReply | Promise<RenderedReply> {
  const { counting, asked } = translation;
  try {
    const made =
      counting === undefined && asked.prompt.stream
        ? streamed(answered, translation, options)
        : whole(answered, translation);
    if (!(made instanceof Promise)) return toReplied(answered, made);
    return made.then(
      (translated) => toReplied(answered, translated),
      (error) => {
        throw withoutSecrets(error, answered);
      },
    );
  } catch (error) {
    throw withoutSecrets(error, answered);
  }
}

function toReplied(
  { id, route, answer, limitHeaders, ledger }: VendorAnswer,
  { headers, body }: Translated,
): RenderedReply {
  return { id, format: route.format, status: answer.status, headers, body, limitHeaders, ledger };
}

function withoutSecrets(error: unknown, { secret }: VendorAnswer): GatewayError {
  return withoutSecretsIn(asGatewayError(error), secret);
}

async function streamed(
  answered: VendorAnswer,
  translation: Translation,
  options: ReplyOptions,
): Promise<Translated> {
  const { route, answer, secret, ledger } = answered;
  const { inbound } = translation;
  const judging = options.validate && ledger.isRecorded;
  const framing = asksList(answered) ? framedAsList() : framedAsEvents(inbound.ping);
  const held = new HeldAnswer(answered);
  const asked = { ...translation.asked, estimatedInput: estimateInput(answered) };
  const { body, ready } = translatedBody(
    // Some services do not stream although a stream was requested.
    answer.body instanceof Uint8Array ? pushedWhole([answer.body]) : answer.body,
    { ...translation, asked },
    {
      decode: (pieces) =>
        fuse(
          new BoundedStream(),
          decodeBody(answer, (bytes) => held.report(bytes), pieces),
        ),
      between: held,
      framing,
      watch: judging ? judge(route.format, asked, ledger) : undefined,
      failures: new StreamFailures(answered),
      encode,
      keepAlive: options.keepAlive,
    },
  );
  await withTimeout(ready, options.hold);
  const headers = eventStreamHeaders(responseHeaders(answer.headers, hiding(secret)));
  return { headers: { ...headers, 'content-type': framing.contentType }, body };
}

/**
 * Node cuts the bytes of a short text from a block that it has, in 0.1 µs: of a stream that comes word by word, a
 * TextEncoder's memory for each word takes 1.4 of some 20 µs.
 */
const encode = (text: string): Uint8Array => Buffer.from(text);

/** What becomes of the failures of a stream. */
class StreamFailures implements Failures {
  readonly #ledger: Ledger;
  readonly #secret: string;
  readonly #exchange: Breakable;

  /** It keeps only three of the things that it is given, so that the stream does not hold the request while it runs. */
  constructor({ ledger, secret, answer }: VendorAnswer) {
    this.#ledger = ledger;
    this.#secret = secret;
    this.#exchange = answer.exchange;
  }

  report(error: GatewayError, render: RenderLateError, out: Sink<Sse>): void {
    endWithError(this.#ledger, error, this.#secret, render, out);
  }

  onUpstreamError({ fault }: GatewayError): void {
    if (isVendorError(fault)) this.#exchange.markBroken();
  }
}

/** Tokens of the request. They are already known if the exchange is recorded. */
function estimateInput({ ledger, payload }: VendorAnswer): number {
  return ledger.asked > 0 ? ledger.asked : tokensOfRequest(...payload.pieces);
}

/** Passes events on, and notes at the end how many rules of their format they have broken. */
function judge(format: FormatName, { prompt }: RequestContext, ledger: Ledger): Step<Sse, Sse> {
  const judged = validator(format, { usageAsked: prompt.includeUsage === true });
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

/** Makes the one JSON body, at once if the vendor's answer is here. */
function whole(answered: VendorAnswer, translation: Translation): Translated | Promise<Translated> {
  if (translation.counting === undefined) requireAnswer(answered.answer);
  const bytes = readWhole(answered, MAX_WHOLE);
  return bytes instanceof Promise
    ? bytes.then((read) => inOne(answered, translation, read))
    : inOne(answered, translation, bytes);
}

function inOne(answered: VendorAnswer, translation: Translation, bytes: Uint8Array): Translated {
  const { answer, secret } = answered;
  const { counting } = translation;
  const value =
    counting === undefined ? reply(answered, translation, bytes) : count(answered, counting, bytes);
  const body = encode(JSON.stringify(value));
  const headers = responseHeaders(answer.headers, hiding(secret));
  headers['content-type'] = 'application/json';
  headers['content-length'] = String(body.byteLength);
  return { headers, body };
}

function reply({ answer }: VendorAnswer, translation: Translation, bytes: Uint8Array): JsonObject {
  const text = textUnlessEvents(answer, bytes);
  return text === undefined ? wholeReplyOfStream(translation, bytes) : wholeReply(translation, text);
}

/** Translates a count of a prompt's tokens. */
function count(
  answered: VendorAnswer,
  { inbound, outbound }: NonNullable<Translation['counting']>,
  bytes: Uint8Array,
): JsonObject {
  const said = tryParseBounded(textOfBytes(bytes));
  const tokens = outbound.parseCount(asObject(said) ?? {});
  if (tokens === undefined) throw noAnswer(answered);
  return inbound.renderCount(tokens);
}
