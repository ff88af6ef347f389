/**
 * Bridges the wait for a vendor that holds back even the head of its answer, as some do until the model has finished
 * reasoning. Load balancers cut a connection that is silent for a minute. So after `hold` a translated stream begins,
 * and sends keep-alives until the answer or its failure arrives.
 */

import type { Config } from '../config/schema.ts';
import { formats } from '../formats/formats.ts';
import { bytesOfText } from '../lib/bytes.ts';
import { GatewayError } from '../lib/errors.ts';
import type { JsonObject } from '../lib/json.ts';
import { withTimeout } from '../lib/with-timeout.ts';
import { cancelBody } from '../streams/cancel-body.ts';
import type { Stage } from '../streams/chain.ts';
import { ON_DEMAND } from '../streams/source-stream.ts';
import { type Sse, sseText } from '../streams/sse.ts';
import { requestContext } from '../translate/write-request.ts';
import { eventStreamHeaders, isEventStream } from '../upstream/headers.ts';
import { upstreamName } from '../upstream/vendor.ts';
import type { RenderedReply, Routed } from './exchange.ts';
import { endWithError } from './late-error.ts';
import { asksList, asksStream, isNative } from './request/request-kind.ts';

type EarlyHeadOptions = Pick<Config['timeouts'], 'hold' | 'keepAlive'>;

/**
 * Wraps the stage `answer`: a stream begins without it if it takes longer than `hold`. Native answers are not wrapped,
 * because they have the vendor's own head; nor are token counts and whole answers, which are not streams, and JSON lists,
 * whose later part could not continue what was sent.
 */
export function sendHeadEarly(
  options: EarlyHeadOptions,
  answer: Stage<Routed, RenderedReply>,
): Stage<Routed, RenderedReply> {
  return (routed) => {
    const { operation } = routed.route;
    const waits = isNative(routed) || operation !== 'generate' || !asksStream(routed) || asksList(routed);
    return waits ? answer(routed) : bridged(routed, answer(routed), options);
  };
}

async function bridged(
  routed: Routed,
  answer: RenderedReply | Promise<RenderedReply>,
  options: EarlyHeadOptions,
): Promise<RenderedReply> {
  const replied = Promise.resolve(answer);
  const early = await withTimeout(replied, options.hold);
  return early ?? begun(routed, routed.tree(), replied, options);
}

function begun(
  routed: Routed,
  asked: JsonObject,
  replied: Promise<RenderedReply>,
  { keepAlive }: EarlyHeadOptions,
): RenderedReply {
  const { id, route, limitHeaders, ledger } = routed;
  const ping = bytesOfText(formats[route.format].inbound.ping);
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined;
  let timer: ReturnType<typeof setInterval> | undefined;

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        controller.enqueue(ping);
        timer = setInterval(() => {
          // A caller who reads nothing needs no keep-alive.
          if ((controller.desiredSize ?? 0) >= 0) controller.enqueue(ping);
        }, keepAlive);
      },
      async pull(controller) {
        try {
          reader ??= getEvents(await replied).getReader();
          clearInterval(timer);
          const { done, value } = await reader.read();
          if (done) controller.close();
          else controller.enqueue(value);
        } catch (thrown) {
          clearInterval(timer);
          controller.enqueue(bytesOfText(failure(routed, asked, thrown)));
          controller.close();
        }
      },
      async cancel(reason) {
        clearInterval(timer);
        // Until there is an answer, the exchange's own signal ends all work for it.
        await reader?.cancel(reason);
      },
    },
    ON_DEMAND,
  );
  // If the caller leaves before it reads more, this must not become an unhandled rejection.
  replied.catch(() => undefined);
  const headers = eventStreamHeaders({});
  return { id, format: route.format, status: 200, headers, body, limitHeaders, ledger };
}

/** The stream of a reply. @throws GatewayError `upstream-broken` if the reply is not an event stream. */
function getEvents({ body, headers }: RenderedReply): ReadableStream<Uint8Array> {
  if (!(body instanceof Uint8Array)) {
    if (isEventStream(headers)) return body;
    cancelBody(body);
  }
  throw new GatewayError('upstream-broken', 'The upstream answered with something that is not a stream.');
}

/** Renders a failure in the caller's format, as the whole rest of the stream. */
function failure({ id, route, model, vendor, ledger }: Routed, body: JsonObject, thrown: unknown): string {
  const prompt = { model: upstreamName(vendor, model), turns: [], stream: true };
  const renderer = formats[route.format].inbound.renderEvents(requestContext(id, prompt, body));
  const events: Sse[] = [];
  endWithError(ledger, thrown, vendor.key, (late, out) => renderer.fail(late, out), {
    enqueue: (event) => void events.push(event),
  });
  return events.map(sseText).join('');
}
