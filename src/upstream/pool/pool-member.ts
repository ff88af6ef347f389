/** One of the upstreams of a vendor: how busy it is, its health, and the subjects for which it is skipped. */

import type { Vendor } from '../vendor.ts';
import type { Placed } from './affinity.ts';
import { type EjectionLimits, Health } from './ejection.ts';
import type { Sharing } from './pick.ts';

export class PoolMember implements Placed, Sharing {
  readonly vendor: Vendor;
  readonly weight: number;
  /** Its address and its key or credentials, by which sessions are assigned. */
  readonly place: string;
  readonly health: Health;
  inFlight = 0;
  credit = 0;
  /** The times until which each subject is skipped, if another upstream can serve it. */
  readonly #cooldowns = new Map<string, number>();

  /** @param now milliseconds, here and below. */
  constructor(vendor: Vendor, weight: number, ejection: EjectionLimits, now: number) {
    const { origin, basePath, credentials, key } = vendor;
    this.vendor = vendor;
    this.weight = weight;
    this.place = `${origin}${basePath}\n${credentials ? JSON.stringify(credentials) : key}`;
    this.health = new Health(ejection, now);
  }

  isSkippedFor(subject: string, now: number): boolean {
    return (this.#cooldowns.get(subject) ?? 0) > now;
  }

  /** Skips it for a subject until a time, or longer. */
  coolDown(subject: string, until: number): void {
    this.#cooldowns.set(subject, Math.max(this.#cooldowns.get(subject) ?? 0, until));
  }
}
