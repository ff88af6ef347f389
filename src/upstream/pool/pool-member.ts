/** One of the upstreams of a vendor: how busy it is, its health, and the subjects for which it is skipped. */

import type { Vendor } from '../vendor.ts';
import type { Placed } from './affinity.ts';
import {
  computeHealth,
  type EjectionLimits,
  fail,
  type Health,
  isEjected,
  isUsable,
  readmit,
  succeed,
} from './ejection.ts';
import type { Sharing } from './pick.ts';

export interface MemberState {
  readonly well: boolean;
  readonly ejections: number;
}

export class PoolMember implements Placed, Sharing {
  readonly vendor: Vendor;
  readonly weight: number;
  /** Its address and its key or credentials, by which sessions are assigned. */
  readonly place: string;
  inFlight = 0;
  credit = 0;
  readonly #health: Health;
  /** How often it was ejected. */
  #ejections = 0;
  readonly #ejection: EjectionLimits;
  readonly #clock: () => number;
  /** The times until which each subject is skipped, if another upstream can serve it. */
  readonly #cooldowns = new Map<string, number>();

  /** @param clock milliseconds, monotonic. */
  constructor(vendor: Vendor, weight: number, ejection: EjectionLimits, clock: () => number) {
    const { origin, basePath, credentials, key } = vendor;
    this.vendor = vendor;
    this.weight = weight;
    this.place = `${origin}${basePath}\n${credentials ? JSON.stringify(credentials) : key}`;
    this.#health = computeHealth(clock());
    this.#ejection = ejection;
    this.#clock = clock;
  }

  /** Whether a caller's request may be sent there. */
  isUsable(caller: string): boolean {
    return isUsable(this.#health, this.#clock(), caller);
  }

  isEjected(): boolean {
    return isEjected(this.#health);
  }

  /** The time until which it is skipped; 0 if it is not ejected. */
  ejectedUntil(): number {
    return this.#health.until;
  }

  state(): MemberState {
    return { well: !this.isEjected(), ejections: this.#ejections };
  }

  isSkippedFor(subject: string): boolean {
    return (this.#cooldowns.get(subject) ?? 0) > this.#clock();
  }

  /** Skips it for a subject, for at least so many milliseconds. */
  coolDown(subject: string, milliseconds: number): void {
    const until = this.#clock() + milliseconds;
    this.#cooldowns.set(subject, Math.max(this.#cooldowns.get(subject) ?? 0, until));
  }

  /** Begins an exchange. @returns whether it is a probe, which is to be followed by `readmit`, `succeed` or `fail`. */
  begin(): boolean {
    this.inFlight += 1;
    const isProbe = this.isEjected();
    if (isProbe) this.#health.probing = true;
    return isProbe;
  }

  /** Ends an exchange. @param isProbe whether it was a probe that has shown nothing, so that the next one may probe. */
  end(isProbe: boolean): void {
    this.inFlight -= 1;
    if (isProbe) this.#health.probing = false;
  }

  /** A probe got an answer. */
  readmit(): void {
    readmit(this.#health);
  }

  succeed(): void {
    succeed(this.#health, this.#ejection, this.#clock());
  }

  /**
   * A caller's request failed.
   * @param spare whether enough other upstreams are well that its share of failures alone may eject it.
   * @param isSure whether it will fail for every request, which the vendor alone can say and a request may cause.
   */
  fail(caller: string, spare: boolean, isSure: boolean): void {
    const failure = { spare, caller, ...(isSure && { atLeast: this.#ejection.duration }) };
    if (fail(this.#health, this.#ejection, this.#clock(), failure)) this.#ejections += 1;
  }
}
