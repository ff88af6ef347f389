/** One of the upstreams of a vendor: how busy it is, its health, and the subjects for which it is skipped. */

import type { Vendor } from '../vendor.ts';
import type { Placed } from './affinity.ts';
import { computeHealth, type Health, isEjected, isUsable } from './ejection.ts';
import type { Sharing } from './pick.ts';

export class PoolMember implements Placed, Sharing {
  readonly vendor: Vendor;
  readonly weight: number;
  /** Its address and its key or credentials, by which sessions are assigned. */
  readonly place: string;
  readonly health: Health;
  inFlight = 0;
  credit = 0;
  /** How often it was ejected. */
  ejections = 0;
  readonly #clock: () => number;
  /** The times until which each subject is skipped, if another upstream can serve it. */
  readonly #cooldowns = new Map<string, number>();

  /** @param clock milliseconds, monotonic. */
  constructor(vendor: Vendor, weight: number, clock: () => number) {
    const { origin, basePath, credentials, key } = vendor;
    this.vendor = vendor;
    this.weight = weight;
    this.place = `${origin}${basePath}\n${credentials ? JSON.stringify(credentials) : key}`;
    this.health = computeHealth(clock());
    this.#clock = clock;
  }

  isUsable(): boolean {
    return isUsable(this.health, this.#clock());
  }

  isEjected(): boolean {
    return isEjected(this.health);
  }

  isSkippedFor(subject: string): boolean {
    return (this.#cooldowns.get(subject) ?? 0) > this.#clock();
  }

  /** Skips it for a subject, for at least so many milliseconds. */
  coolDown(subject: string, milliseconds: number): void {
    const until = this.#clock() + milliseconds;
    this.#cooldowns.set(subject, Math.max(this.#cooldowns.get(subject) ?? 0, until));
  }
}
