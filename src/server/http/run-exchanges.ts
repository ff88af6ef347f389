/**
 * Runs each request through the pipeline of its route, keeps its ledger, and answers early if the exchange is ended
 * from outside.
 */

import type { CallerResponse } from '../../access/caller.ts';
import { closeLedger, type RecordExchange } from '../../accounting/usage/closed-ledger.ts';
import { type Ledger, openLedger } from '../../accounting/usage/ledger.ts';
import { CLIENT_CLOSED, makeRecord } from '../../accounting/usage/make-record.ts';
import type { Route } from '../../conversation/route.ts';
import type { Answer, Incoming } from '../../pipeline/exchange.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import { type Pipeline, pipeline } from '../../pipeline/pipeline.ts';
import { renderFailure } from '../../pipeline/render-failure.ts';
import { cancelBody } from '../../streams/cancel-body.ts';

/** A request whose ledger is not open yet. */
export type UnrecordedRequest = Omit<Incoming, 'ledger'>;

/** Answers a request to a model. Never rejects: an error is an answer too. */
export type Exchange = (asked: UnrecordedRequest) => Promise<Answer>;

/** Answers the requests of a route, each by the gateway that it began with. */
export function runExchanges(route: Route, getGateway: (response: CallerResponse) => Gateway): Exchange {
  const getPipeline = builtOnce(route);
  return (asked) => {
    const gateway = getGateway(asked.response);
    const ledger =
      gateway.record === undefined ? openLedger(false) : openLedgerFor(gateway, gateway.record, route, asked);
    return raceWithSignal(getPipeline(gateway), route, { ...asked, ledger });
  };
}

/** The pipeline of a route through the present gateway. It is built again only after a reload. */
function builtOnce(route: Route): (gateway: Gateway) => Pipeline {
  let built: { readonly gateway: Gateway; readonly run: Pipeline } | undefined;
  return (gateway) => {
    if (built?.gateway !== gateway) built = { gateway, run: pipeline(gateway, route) };
    return built.run;
  };
}

/** Opens the ledger of a request, which is closed with the response. */
function openLedgerFor(
  { traces }: Gateway,
  note: RecordExchange,
  route: Route,
  asked: UnrecordedRequest,
): Ledger {
  const { id, message, response } = asked;
  const { format, operation } = route;
  const trace = traces?.begin(route, message.headers);
  const ledger = openLedger(true, trace);
  // It comes before the listener that aborts the exchange: what breaks off because of that is not recorded as broken.
  response.prependListener('close', () => {
    const closed = closeLedger(ledger, { id, format, operation }, response.writableFinished);
    note(closed, ledger.release);
    trace?.end(makeRecord(closed));
  });
  return ledger;
}

/**
 * The answer, or the error that ended the exchange from outside before it had one. So what the exchange is waiting for,
 * such as the rest of a body or another attempt, need not watch for that.
 */
function raceWithSignal(run: Pipeline, route: Route, incoming: Incoming): Promise<Answer> {
  const { signal, ledger } = incoming;
  return new Promise((resolve) => {
    let isGiven = false;
    const give = (answer: Answer): void => {
      if (isGiven) {
        // Nobody reads it, and it may have keep-alives.
        cancelBody(answer.body);
        return;
      }
      isGiven = true;
      signal.removeEventListener('abort', onAbort);
      ledger.status = answer.status;
      resolve(answer);
    };
    const onAbort = (): void =>
      // If the caller has left, there is no error to record: nobody would receive it.
      give(
        incoming.response.destroyed
          ? { status: CLIENT_CLOSED, headers: {}, body: Buffer.alloc(0) }
          : renderFailure(signal.reason, route.format, incoming),
      );
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort);
    void run(incoming).then(give);
  });
}
