/**
 * The whole life of a request, in one expression: of a request to a model, and of one about a response that is stored.
 * Each stage takes what the one before it returns and adds to it; the types are in `exchange.ts`, so stages in a wrong
 * order do not compile.
 *
 * A stage that cannot continue throws a GatewayError. Until the head has been sent, `render-failure.ts` turns it into an
 * answer in the caller's format; after that, `late-error.ts` makes it the last event of the stream.
 */

import { isStored, type Route } from '../conversation/route.ts';
import { type Chain, chain } from '../streams/chain.ts';
import { askStored } from './ask-stored.ts';
import { authenticate } from './authenticate.ts';
import { cacheAnswers } from './cache/cache-answers.ts';
import { callHooks, refuseUnwatched } from './call-hooks.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import type { Admitted, Answer, Incoming, RenderedReply } from './exchange.ts';
import { findStored } from './find-stored.ts';
import type { Gateway } from './gateway.ts';
import { limit, limitModel, limitTag } from './limits.ts';
import { renderFailure } from './render-failure.ts';
import { reserve } from './reserve.ts';
import { resolveModel } from './resolve-model.ts';
import { retry } from './retry/retry.ts';
import { retryStored } from './retry/retry-stored.ts';
import { sendHeadEarly } from './send-head-early.ts';
import { limitConcurrency, recheckPressure, shedLoad } from './shed-load.ts';
import { translateReply } from './translate-reply.ts';
import { prepareRequest, translateRequest } from './translate-request.ts';
import { upstream } from './upstream.ts';

/**
 * Answers one request: streamed or not, native or translated. It returns when the head of the answer is known; the body
 * may still be arriving. It never rejects, because an error is an answer too.
 */
export type Pipeline = (incoming: Incoming) => Promise<Answer>;

/** Makes the path of a route's requests through a gateway: made once for each route, run for each request. */
export function pipeline(gateway: Gateway, route: Route): Pipeline {
  const { run } = isStored(route.operation) ? storedChain(gateway, route) : modelChain(gateway, route);
  return async (incoming) => {
    try {
      return await run(incoming);
    } catch (error) {
      return renderFailure(error, route.format, incoming);
    }
  };
}

/** How every request begins. */
function admittedChain(gateway: Gateway, route: Route): Chain<Incoming, Admitted> {
  const { limits, options, mode } = gateway;
  return (
    chain<Incoming>(mode)
      // Refuses the request at once if the process has no room for it. Nothing of the body has been read.
      .to(shedLoad(options))
      // Reads the head: the format, the operation and the query. The body is still on its way.
      .to(decode(route, options))
      // Finds the key or the token, and the group that it belongs to.
      .to(authenticate(gateway))
      // Keeps the key to its share of the exchanges in flight, then to its limits and those of its group.
      .to(limitConcurrency(options))
      .to(limit(limits))
  );
}

function modelChain(gateway: Gateway, route: Route): Chain<Incoming, Answer> {
  const { limits, catalog, vendors, agent, upstreams, cloudTokens, options, hooks, cache } = gateway;
  const prepare = prepareRequest(options);
  return (
    admittedChain(gateway, route)
      // Reads the whole body, as bytes, and finds the model, its vendor and the vendor's format. If that is the
      // caller's own, the request is native and its bytes pass as they are, except for the name of the model; otherwise
      // it is translated.
      .to(resolveModel(gateway, options))
      // Keeps each tag or end user of the key to the limits for them.
      .to(limitTag(limits))
      // Lets the operator's own hook look at the request, change it, route it to another model, or refuse it. Without
      // hooks it passes as it is.
      .to(callHooks(hooks, { catalog, vendors, reach: options }))
      // Keeps the key and its group to their limits for that model.
      .to(limitModel(limits, catalog))
      // Checks the load once more: to process the body takes many times its size.
      .to(recheckPressure())
      // Holds what the request may cost of the budgets of the key and its group.
      .to(reserve(limits, catalog))
      // `retry` runs the inner stages once as a rule. After a failure it runs them again: at another upstream of the
      // vendor, at the same one after a wait, with a repaired request, or for a fallback model. It stops as soon as
      // anything of an answer has been sent to the caller. Meanwhile `sendHeadEarly` sends the head of a translated
      // stream and keep-alives to a caller who has waited too long; those are no part of an answer. For keys and
      // requests that want it, `cacheAnswers` gives the answer that the same request has had before.
      .wrap<RenderedReply>(
        (attempt) => cacheAnswers(cache, sendHeadEarly(options, retry(upstreams, attempt, prepare))),
        (attempt) =>
          attempt
            // Native: the caller's bytes, with the vendor's name of the model. Translated: parsed into a Prompt and
            // rendered in the vendor's format.
            .to(translateRequest(options))
            // Sends it and returns with the head. The vendor's socket pushes the body: a read resumes the socket, a
            // full queue pauses it, a cancellation aborts the exchange. (A short body that came with its head stays
            // bytes.) Steps in front of the queue watch the bytes: for usage; and on the native path also for an early
            // error, a truncation and secrets in a failure (`observe-native.ts`).
            .to(upstream(agent, upstreams, cloudTokens))
            // Native: a ReadableStream of these bytes. Translated: a ReadableStream that takes them and runs the fused
            // steps (decode, parse events, render events, frame); or one JSON body, if the caller asked for no stream.
            .to(translateReply(options)),
      )
      // The status, the headers and the body. The server reads the body and writes each chunk once.
      .to(encode())
  );
}

/**
 * The path of a request about a stored response. It names no model and has no prompt, so no hook is called, no budget
 * holds anything for it, and it is never cached; the way to the vendor and back is that of a native request.
 */
function storedChain(gateway: Gateway, route: Route): Chain<Incoming, Answer> {
  const { agent, upstreams, cloudTokens, options, hooks } = gateway;
  return (
    admittedChain(gateway, route)
      // Finds the id and the vendor, and checks that the response is one that the key may use.
      .to(findStored(gateway))
      // Refuses it if a hook watches answers, which it cannot do here.
      .to(refuseUnwatched(hooks))
      // Asks each account of the vendor until one knows the response, and again after a failure.
      .wrap<RenderedReply>(
        (attempt) => retryStored(upstreams, attempt),
        (attempt) =>
          attempt
            .to(askStored())
            .to(upstream(agent, upstreams, cloudTokens))
            .to(translateReply(options)),
      )
      .to(encode())
  );
}
