/** The exchanges in flight: their number, their keys, the bytes they hold, and a way to end each from outside. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { ServerResponse } from 'node:http';
import type { CallerResponse } from '../../access/caller.ts';
import { openCounters } from '../../lib/counters.ts';
import { callerLeft, GatewayError } from '../../lib/errors.ts';
import { LightSignal, type Signal } from '../../lib/light-signal.ts';
import { NO_SLOT, type SlotItem, SlotSet } from '../../lib/slot-set.ts';
import {
  type Arrival,
  type Arrivals,
  openArrivals,
  type PendingLimits,
} from '../../pipeline/body/arrivals.ts';
import type { Load } from '../../pipeline/exchange.ts';
import type { Gateway } from '../../pipeline/gateway.ts';
import type { InFlightLimits } from '../../pipeline/shed-load.ts';

/** A connection that may hold bytes outside exchanges: a WebSocket. */
export interface TrackedConnection {
  /** Bytes. */
  held(): number;
  end(error: GatewayError): void;
}

interface Entry<R> extends SlotItem {
  readonly response: R;
  /** The gateway it began with, which it keeps through reloads. */
  readonly gateway: Gateway;
  readonly signal: LightSignal<GatewayError>;
  readonly number: number;
  key?: string;
  /** Bytes of its request, and of an answer that is collected. */
  held: number;
}

/**
 * What a callback belongs to. Node hands it on to all that an exchange starts, and some of that lives longer: a connection
 * to a vendor, which serves many exchanges, belongs to the one that opened it. So it lets go of an exchange that is over.
 * What comes over the connection runs in the scope of the exchange that it is for (`scoped-handler.ts`).
 */
interface AsyncScope<R> {
  exchange: Entry<R> | undefined;
}

/** How long an ended answer may take to write its error before its connection is cut, in milliseconds. */
export const ERROR_WRITE_TIME = 2_000;

/** Differences below this say nothing about who holds most, in bytes. */
const SIZE_CLASS = 64 * 1024;

/**
 * The exchanges of one server.
 * @typeParam R where answers go.
 */
export class LiveExchanges<R extends CallerResponse = ServerResponse> {
  readonly #cut: (response: R) => void;
  readonly #arrivals: Arrivals;
  readonly #connections = new Set<TrackedConnection>();
  readonly #inFlight = new SlotSet<Entry<R>>();
  /** The exchanges in flight, by their responses. */
  readonly #entries = new WeakMap<CallerResponse, Entry<R>>();
  /** The number of incomplete messages. */
  #messages = 0;
  #begun = 0;
  #claimed = 0;
  /** How many exchanges and messages of each key are in flight. */
  readonly #perKey = openCounters();
  /** Node knows which exchange started a callback or a promise, even if the error it throws does not say. */
  readonly #scope = new AsyncLocalStorage<AsyncScope<R>>();
  /** What exchanges that begin from now on end with. */
  #ending: GatewayError | undefined;

  /**
   * @param cut ends an answer at once, so that nobody takes the part that was sent for all of it.
   * @param limits on request bodies that are arriving.
   */
  constructor(cut: (response: R) => void, limits: () => PendingLimits) {
    this.#cut = cut;
    this.#arrivals = openArrivals(limits);
  }

  inFlight(): number {
    return this.#inFlight.size + this.#messages;
  }

  /** How many exchanges have been counted as some key's. Whoever asks for the health of the process has no key. */
  claimed(): number {
    return this.#claimed;
  }

  load(shortage: Load['shortage']): Load {
    return {
      inFlight: () => this.inFlight(),
      claim: (response, key) => this.claim(response, key),
      arriving: (response) => this.#arriving(response),
      shortage,
    };
  }

  /** Counts an exchange as one of `key`'s until it is over. @returns how many of them are in flight. */
  claim(response: CallerResponse, key: string): number {
    const entry = this.#entries.get(response);
    if (entry === undefined || entry.key !== undefined) return this.#perKey.get(key);
    entry.key = key;
    this.#claimed += 1;
    return this.#perKey.add(key);
  }

  #arriving(response: CallerResponse): Arrival {
    const entry = this.#entries.get(response);
    if (entry === undefined) return NO_ARRIVAL;
    const arrival = this.#arrivals.begin(entry.key ?? '', (error) => entry.signal.abort(error));
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
  }

  /** Follows a connection until `leave` is called. @returns the account of bytes that belong to no exchange yet. */
  trackConnection(key: string, connection: TrackedConnection): { readonly arrival: Arrival; leave(): void } {
    const arrival = this.#arrivals.begin(key, connection.end);
    this.#connections.add(connection);
    return {
      arrival,
      leave: () => {
        arrival.end();
        this.#connections.delete(connection);
      },
    };
  }

  /**
   * Counts an incomplete message as an exchange in flight for `key`.
   * @returns a function to call once when the message is complete or abandoned; undefined if no more may be in flight.
   */
  beginMessage(key: string, { inFlight, inFlightPerKey }: InFlightLimits): (() => void) | undefined {
    if (this.inFlight() >= inFlight || this.#perKey.get(key) >= inFlightPerKey) return undefined;
    this.#messages += 1;
    this.#perKey.add(key);
    let isOver = false;
    return () => {
      if (isOver) return;
      isOver = true;
      this.#messages -= 1;
      this.#perKey.remove(key);
    };
  }

  /** Follows an exchange to its end. Everything that `run` starts belongs to it. */
  track(response: R, gateway: Gateway, run: () => void): void {
    this.#begun += 1;
    const entry: Entry<R> = {
      response,
      gateway,
      signal: new LightSignal(),
      number: this.#begun,
      held: 0,
      slot: NO_SLOT,
    };
    this.#entries.set(response, entry);
    const own: AsyncScope<R> = { exchange: entry };
    this.#inFlight.add(entry);
    response.on('close', () => {
      this.#inFlight.remove(entry);
      this.#leave(entry);
      own.exchange = undefined;
    });
    if (this.#ending) entry.signal.abort(this.#ending);
    this.#scope.run(own, run);
  }

  #leave({ response, key, signal }: Entry<R>): void {
    this.#entries.delete(response);
    if (key !== undefined) this.#perKey.remove(key);
    if (!response.writableFinished) signal.abort(callerLeft());
  }

  /** The gateway that an exchange began with; undefined once it is over. */
  getGateway(response: CallerResponse): Gateway | undefined {
    return this.#entries.get(response)?.gateway;
  }

  /** Aborts if the exchange ends before its answer does; the reason is a GatewayError. */
  getSignal(response: CallerResponse): Signal {
    const entry = this.#entries.get(response);
    if (entry !== undefined) return entry.signal;
    const over = new LightSignal<GatewayError>();
    over.abort(callerLeft());
    return over;
  }

  /** The answers whose heads have not been written. */
  withoutHead(): R[] {
    return [...this.#inFlight].map(({ response }) => response).filter(({ headersSent }) => !headersSent);
  }

  end(response: CallerResponse, error: GatewayError): void {
    this.#entries.get(response)?.signal.abort(error);
  }

  /** Ends every exchange, and those that begin from now on. @returns how many were in flight. */
  endAll(error: GatewayError): number {
    this.#ending = error;
    const count = this.#inFlight.size;
    for (const { signal } of this.#inFlight) signal.abort(error);
    return count;
  }

  /** Ends the exchanges that hold most; among those that hold about the same, the ones that began last. */
  endLargest(count: number, error: GatewayError): void {
    const exchanges = [...this.#inFlight].map(({ response, signal, held, number }) => ({
      held: sizeClass(held + response.writableLength),
      number,
      end: () => signal.abort(error),
    }));
    const others = [...this.#connections].map((connection) => ({
      held: sizeClass(connection.held()),
      number: 0,
      end: () => connection.end(error),
    }));
    const largest = [...exchanges, ...others.filter(({ held }) => held > 0)]
      .sort((one, other) => other.held - one.held || other.number - one.number)
      .slice(0, count);
    for (const { end } of largest) end();
  }

  /**
   * Ends the exchange that raised an uncaught error.
   * @returns false if the error came up outside every exchange.
   */
  abortCurrent(): boolean {
    const own = this.#scope.getStore();
    if (own === undefined) return false;
    const { exchange: entry } = own;
    // It is over, and nothing of it is left to end.
    if (entry === undefined) return true;
    entry.signal.abort(new GatewayError('internal', 'The gateway failed to answer this request.'));
    setTimeout(() => this.#cut(entry.response), ERROR_WRITE_TIME).unref();
    return true;
  }

  /** Whether an exchange still runs on `gateway`. */
  isUsing(gateway: Gateway): boolean {
    for (const entry of this.#inFlight) if (entry.gateway === gateway) return true;
    return false;
  }
}

/** The account of an exchange that is over. */
const NO_ARRIVAL: Arrival = { holds() {}, end() {} };

function sizeClass(bytes: number): number {
  return Math.floor(bytes / SIZE_CLASS);
}
