/** The exchanges in flight: their number, their keys, the bytes they hold, and a way to end each from outside. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { CallerResponse } from '../../access/caller.ts';
import { openCounters } from '../../lib/counters.ts';
import { callerLeft, GatewayError } from '../../lib/errors.ts';
import { LightSignal, type Signal } from '../../lib/light-signal.ts';
import { NO_SLOT, type SlotItem, SlotSet } from '../../lib/slot-set.ts';
import { type Arrival, openArrivals, type PendingLimits } from '../../pipeline/body/arrivals.ts';
import type { Load } from '../../pipeline/exchange.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import type { InFlightLimits } from '../../pipeline/shed-load.ts';

/** A connection that may hold bytes outside exchanges: a WebSocket. */
export interface TrackedConnection {
  /** Bytes. */
  held(): number;
  end(error: GatewayError): void;
}

/** @typeParam R where answers go. */
export interface LiveExchanges<R extends CallerResponse = ServerResponse>
  extends Pick<Load, 'inFlight' | 'claim' | 'arriving'> {
  /** How many exchanges have been counted as some key's. Whoever asks for the health of the process has none. */
  claimed(): number;
  /** Follows an exchange to its end. Everything that `run` starts belongs to it. */
  track(response: R, gateway: Gateway, run: () => void): void;
  /** The gateway that an exchange began with; undefined once it is over. */
  getGateway(response: CallerResponse): Gateway | undefined;
  /** Aborts if the exchange ends before its answer does; the reason is a GatewayError. */
  getSignal(response: CallerResponse): Signal;
  /** The answers whose heads have not been written. */
  withoutHead(): R[];
  /** Ends an exchange. */
  end(response: CallerResponse, error: GatewayError): void;
  /** Ends every exchange, and those that begin from now on. @returns how many were in flight. */
  endAll(error: GatewayError): number;
  /** Ends the exchanges that hold most; among those that hold about the same, the ones that began last. */
  endLargest(count: number, error: GatewayError): void;
  /** Follows a connection until `leave` is called. @returns the account of bytes that belong to no exchange yet. */
  trackConnection(key: string, connection: TrackedConnection): { readonly arrival: Arrival; leave(): void };
  /**
   * Counts an incomplete message as an exchange in flight for `key`.
   * @returns a function to call once when the message is complete or abandoned; undefined if no more may be in flight.
   */
  beginMessage(key: string, limits: InFlightLimits): (() => void) | undefined;
  /**
   * Ends the exchange that raised an uncaught error.
   * @returns false if the error came up outside every exchange.
   */
  abortCurrent(): boolean;
  /** Whether an exchange still runs on `gateway`. */
  isUsing(gateway: Gateway): boolean;
}

interface Entry<R> extends SlotItem {
  readonly response: R;
  /** The gateway it began with, which it keeps through reloads. */
  readonly gateway: Gateway;
  readonly signal: LightSignal<GatewayError>;
  /** Its sequence number. */
  readonly number: number;
  key?: string;
  /** Bytes of its request, and of an answer that is collected. */
  held: number;
}

/**
 * What a callback belongs to. Node hands it on to all that an exchange starts, and some of that lives longer: a connection
 * to a vendor, which serves many exchanges, belongs to the one that opened it. So it lets go of an exchange that is over.
 */
interface AsyncScope<R> {
  exchange: Entry<R> | undefined;
}

/** How long an ended answer may take to write its error before its connection is cut, in milliseconds. */
export const ERROR_WRITE_TIME = 2_000;

/** Differences below this say nothing about who holds most, in bytes. */
const SIZE_CLASS = 64 * 1024;

/** No bounds. */
const UNBOUNDED: PendingLimits = {
  pendingBytes: Number.POSITIVE_INFINITY,
  pendingBytesPerKey: Number.POSITIVE_INFINITY,
};

/**
 * Follows the exchanges of one server.
 * @param cut ends an answer at once, so that nobody takes the part that was sent for all of it.
 * @param limits on request bodies that are arriving.
 */
export function trackExchanges<R extends CallerResponse>(
  cut: (response: R) => void,
  limits: () => PendingLimits = () => UNBOUNDED,
): LiveExchanges<R> {
  const arrivals = openArrivals(limits);
  const connections = new Set<TrackedConnection>();
  /** The number of incomplete messages. */
  let messages = 0;
  const inFlight = new SlotSet<Entry<R>>();
  const entries = new WeakMap<CallerResponse, Entry<R>>();
  let begun = 0;
  let claimed = 0;
  const perKey = openCounters();
  // Node knows which exchange started a callback or a promise, even if the error it throws does not say.
  const scope = new AsyncLocalStorage<AsyncScope<R>>();
  let ending: GatewayError | undefined;

  function endEntry(entry: Entry<R>): void {
    entries.delete(entry.response);
    if (entry.key !== undefined) perKey.remove(entry.key);
    if (!entry.response.writableFinished) {
      entry.signal.abort(callerLeft());
    }
  }

  return {
    inFlight: () => inFlight.size + messages,
    claimed: () => claimed,
    claim(response, key) {
      const entry = entries.get(response);
      if (entry === undefined || entry.key !== undefined) return perKey.get(key);
      entry.key = key;
      claimed += 1;
      return perKey.add(key);
    },
    arriving(response) {
      const entry = entries.get(response);
      if (entry === undefined) return NO_ARRIVAL;
      const arrival = arrivals.begin(entry.key ?? '', (error) => entry.signal.abort(error));
      const before = entry.held;
      response.on('close', arrival.end);
      return {
        holds(bytes) {
          entry.held = before + bytes;
          arrival.holds(bytes);
        },
        end() {
          response.off('close', arrival.end);
          arrival.end();
        },
      };
    },
    trackConnection(key, connection) {
      const arrival = arrivals.begin(key, connection.end);
      connections.add(connection);
      return {
        arrival,
        leave() {
          arrival.end();
          connections.delete(connection);
        },
      };
    },
    beginMessage(key, { inFlight: most, inFlightPerKey }) {
      if (inFlight.size + messages >= most || perKey.get(key) >= inFlightPerKey) return undefined;
      messages += 1;
      perKey.add(key);
      let isOver = false;
      return () => {
        if (isOver) return;
        isOver = true;
        messages -= 1;
        perKey.remove(key);
      };
    },
    track(response, gateway, run) {
      begun += 1;
      const entry: Entry<R> = {
        response,
        gateway,
        signal: new LightSignal(),
        number: begun,
        held: 0,
        slot: NO_SLOT,
      };
      entries.set(response, entry);
      const own: AsyncScope<R> = { exchange: entry };
      inFlight.add(entry);
      response.on('close', () => {
        inFlight.remove(entry);
        endEntry(entry);
        own.exchange = undefined;
      });
      if (ending) entry.signal.abort(ending);
      scope.run(own, run);
    },
    getGateway: (response) => entries.get(response)?.gateway,
    getSignal(response) {
      const entry = entries.get(response);
      if (entry !== undefined) return entry.signal;
      const over = new LightSignal<GatewayError>();
      over.abort(callerLeft());
      return over;
    },
    withoutHead: () =>
      [...inFlight].map(({ response }) => response).filter(({ headersSent }) => !headersSent),
    end: (response, error) => entries.get(response)?.signal.abort(error),
    endAll(error) {
      ending = error;
      const count = inFlight.size;
      for (const { signal } of inFlight) signal.abort(error);
      return count;
    },
    endLargest(count, error) {
      const exchanges = [...inFlight].map(({ response, signal, held, number }) => ({
        held: sizeClass(held + response.writableLength),
        number,
        end: () => signal.abort(error),
      }));
      const others = [...connections].map((connection) => ({
        held: sizeClass(connection.held()),
        number: 0,
        end: () => connection.end(error),
      }));
      const largest = [...exchanges, ...others.filter(({ held }) => held > 0)]
        .sort((one, other) => other.held - one.held || other.number - one.number)
        .slice(0, count);
      for (const { end } of largest) end();
    },
    abortCurrent() {
      const own = scope.getStore();
      if (own === undefined) return false;
      const { exchange: entry } = own;
      // It is over, and nothing of it is left to end.
      if (entry === undefined) return true;
      entry.signal.abort(new GatewayError('internal', 'The gateway failed to answer this request.'));
      setTimeout(() => cut(entry.response), ERROR_WRITE_TIME).unref();
      return true;
    },
    isUsing(gateway) {
      for (const entry of inFlight) if (entry.gateway === gateway) return true;
      return false;
    },
  };
}

/** The account of an exchange that is over. */
const NO_ARRIVAL: Arrival = { holds() {}, end() {} };

function sizeClass(bytes: number): number {
  return Math.floor(bytes / SIZE_CLASS);
}
