/** The exchanges in flight: how many, whose they are, and a way to end each from outside. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import { bag } from '../bag.ts';
import { openCounts } from '../counts.ts';
import { GatewayError } from '../errors.ts';
import type { Gateway } from '../gateway.ts';
import { cutOff } from '../http/cut-off.ts';
import type { Load } from '../stages/exchange.ts';

export interface Live extends Pick<Load, 'inFlight' | 'claim'> {
  /** Follows an exchange to its end; whatever `run` starts is its course. */
  follow(response: ServerResponse, gateway: Gateway, run: () => void): void;
  /** The gateway that an exchange began with; undefined once it is over. */
  gatewayOf(response: ServerResponse): Gateway | undefined;
  /** Aborts when the exchange is over before its answer is; the reason is a GatewayError. */
  signalOf(response: ServerResponse): AbortSignal;
  /** Ends every exchange, and each that begins from now on. @returns how many were in flight. */
  endAll(error: GatewayError): number;
  /** Ends the exchanges that began last. */
  endNewest(count: number, error: GatewayError): void;
  /**
   * Ends the exchange in whose course an error came up that nobody caught.
   * @returns false where the error is nobody's: it came up outside of every exchange.
   */
  blame(): boolean;
  /** Whether an exchange still runs on `gateway`. */
  uses(gateway: Gateway): boolean;
}

interface Entry {
  readonly response: ServerResponse;
  /** The gateway it began with, which it keeps. */
  readonly gateway: Gateway;
  readonly controller: AbortController;
  /** Its number among all there have been. */
  readonly number: number;
  key?: string;
}

/** How long an answer that was ended may take to say so before its connection is cut, in milliseconds. */
export const LAST_WORDS = 2_000;

/** The exchanges of one server, before the first of them. */
export function followExchanges(): Live {
  const inFlight = bag<Entry>();
  const entries = new WeakMap<ServerResponse, Entry>();
  let begun = 0;
  const perKey = openCounts();
  // What a callback or a promise was started for is known to Node even where the error it throws says nothing.
  const course = new AsyncLocalStorage<Entry>();
  let ending: GatewayError | undefined;

  function over(entry: Entry): void {
    entries.delete(entry.response);
    if (entry.key !== undefined) perKey.remove(entry.key);
    if (!entry.response.writableFinished) {
      entry.controller.abort(new GatewayError('upstream-broken', 'The caller left.'));
    }
  }

  return {
    inFlight: () => inFlight.size,
    claim(response, key) {
      const entry = entries.get(response);
      if (entry === undefined || entry.key !== undefined) return perKey.of(key);
      entry.key = key;
      return perKey.add(key);
    },
    follow(response, gateway, run) {
      begun += 1;
      const entry: Entry = { response, gateway, controller: new AbortController(), number: begun };
      entries.set(response, entry);
      const leave = inFlight.add(entry);
      response.once('close', () => {
        leave();
        over(entry);
      });
      if (ending) entry.controller.abort(ending);
      course.run(entry, run);
    },
    gatewayOf: (response) => entries.get(response)?.gateway,
    signalOf(response) {
      const entry = entries.get(response);
      return (
        entry?.controller.signal ?? AbortSignal.abort(new GatewayError('upstream-broken', 'The caller left.'))
      );
    },
    endAll(error) {
      ending = error;
      const count = inFlight.size;
      for (const { controller } of inFlight) controller.abort(error);
      return count;
    },
    endNewest(count, error) {
      const newest = [...inFlight].sort((one, other) => other.number - one.number).slice(0, count);
      for (const { controller } of newest) controller.abort(error);
    },
    blame() {
      const entry = course.getStore();
      if (entry === undefined) return false;
      entry.controller.abort(new GatewayError('internal', 'The gateway failed to answer this request.'));
      setTimeout(() => cutOff(entry.response), LAST_WORDS).unref();
      return true;
    },
    uses(gateway) {
      for (const entry of inFlight) if (entry.gateway === gateway) return true;
      return false;
    },
  };
}
