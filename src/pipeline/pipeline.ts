/** The whole life of a request, in one expression. */

import type { Route } from '../conversation/route.ts';
import { chain } from '../streams/chain.ts';
import { authenticate } from './authenticate.ts';
import { decode } from './decode.ts';
import { encode } from './encode.ts';
import type { Answer, Incoming, Replied } from './exchange.ts';
import type { Gateway } from './gateway.ts';
import { limit } from './limit.ts';
import { limitModel } from './limit-model.ts';
import { renderFailure } from './render-failure.ts';
import { resolveModel } from './resolve-model.ts';
import { retry } from './retry/retry.ts';
import { sendHeadEarly } from './send-head-early.ts';
import { limitConcurrency, recheckPressure, shedLoad } from './shed-load.ts';
import { translateReply } from './translate-reply.ts';
import { translateRequest } from './translate-request.ts';
import { upstream } from './upstream.ts';

/** Answers a request, streamed or whole, native or translated. Never rejects: an error is an answer too. */
export type Pipeline = (incoming: Incoming) => Promise<Answer>;

/** The path of a route's requests through a gateway: made once, run for each. */
export function pipeline(gateway: Gateway, route: Route): Pipeline {
  const { limits, storedIds, catalog, vendors, agent, upstreams, passes, options, mode } = gateway;
  const { run } = chain<Incoming>(mode)
    .to(shedLoad(options)) // unless there is more to do than can be done
    .to(decode(route, options)) // what is asked, and in which format
    .to(authenticate(gateway)) // by whom
    .to(limitConcurrency(options)) // of what can be done, no more than the key's share
    .to(limit(limits)) // and no more than its limits
    .to(resolveModel(catalog, vendors, options, storedIds)) // of which model; native or translated is settled here
    .to(limitModel(limits, catalog)) // and no more than may be used of it
    .to(recheckPressure()) // the body is here: is there still room for what is made of it
    // Once, as a rule; again or elsewhere, while nothing of an answer is out. A caller who waits long hears of it.
    .wrap<Replied>(
      (attempt) => sendHeadEarly(options, retry(upstreams, attempt)),
      (attempt) =>
        attempt
          .to(translateRequest(options)) // in the words of the vendor
          .to(upstream(agent, upstreams, passes)) // the vendor's answer: a head, and a body still coming
          .to(translateReply(options)), // the same answer in the words of the caller
    )
    .to(encode());

  return async (incoming) => {
    try {
      return await run(incoming);
    } catch (error) {
      return renderFailure(error, route.format, incoming);
    }
  };
}
