/** The upstreams of one vendor: which one gets a request, how busy each is, and which are skipped for a while. */

import { GatewayError } from '../../lib/errors.ts';
import type { Signal } from '../../lib/light-signal.ts';
import type { Vendor } from '../vendor.ts';
import { chooseHome } from './affinity.ts';
import type { EjectionLimits } from './ejection.ts';
import { pick } from './pick.ts';
import { PlaceQueue } from './place-queue.ts';
import { PoolMember } from './pool-member.ts';

export interface PoolLimits {
  /** The most exchanges at a time with one upstream. */
  readonly connections: number;
  /** Milliseconds to wait for a free place. */
  readonly wait: number;
  readonly ejection: EjectionLimits;
  /** Whether even the last healthy upstream may be ejected. */
  readonly ejectsLone: boolean;
}

/** A request that takes a place at an upstream. */
export interface PlaceRequest {
  /** What a vendor's rate limit is for: a model's id, or the counting of its tokens. */
  readonly subject: string;
  /** Whose request it is. Failures of one caller alone eject no upstream for the others. */
  readonly caller: string;
  /** The id of its session; absent if it is unknown. */
  readonly session?: string | undefined;
}

/** A place at an upstream, for one exchange. */
export interface Lease {
  /** The vendor with that upstream's address and key. */
  readonly vendor: Vendor;
  /** The upstream has begun to answer, or refused the request. If it was ejected, it may be asked again. */
  markAnswered(): void;
  /** The whole answer has come. */
  succeed(): void;
  fail(how: Failing): void;
  /** Skips the upstream for this subject, for at least so many milliseconds: vendors' rate limits are per model. */
  coolDown(milliseconds: number): void;
  /** Frees the place. A second call has no effect. */
  release(): void;
}

/**
 * How an upstream failed: `surely`, as it will for every request (its key is wrong); `overloaded`, which may concern
 * only the requested model, so that the last healthy upstream goes on serving the others; or `somehow`.
 */
export type Failing = 'surely' | 'overloaded' | 'somehow';

const NONE: ReadonlySet<Vendor> = new Set();

/** The pool of a vendor's upstreams. */
export class Pool {
  readonly #members: readonly PoolMember[];
  readonly #limits: PoolLimits;
  readonly #clock: () => number;
  readonly #queue = new PlaceQueue<Lease>();

  /** @param clock milliseconds, monotonic. */
  constructor(
    upstreams: readonly { readonly vendor: Vendor; readonly weight: number }[],
    limits: PoolLimits,
    clock: () => number,
  ) {
    this.#members = upstreams.map(
      ({ vendor, weight }) => new PoolMember(vendor, weight, limits.ejection, clock()),
    );
    this.#limits = limits;
    this.#clock = clock;
  }

  /**
   * Takes a place at a healthy upstream: the session's own, or else the least busy one.
   * @param avoid upstreams that are used only if there is no other.
   * @param signal ends a wait for a place.
   * @throws GatewayError, or rejects with it: `upstream-overloaded` if all are ejected, `overloaded` if no place
   *   becomes free, and the reason of the signal.
   */
  take(request: PlaceRequest, avoid: ReadonlySet<Vendor> = NONE, signal?: Signal): Lease | Promise<Lease> {
    // An upstream whose ejection has ended becomes usable without any event.
    this.#queue.serve();
    const taken = this.#takeNow(request, avoid);
    if (taken !== undefined) return taken;
    if (this.#members.some(({ health }) => health.isUsable(this.#clock(), request.caller)))
      return this.#queue.wait(() => this.#takeNow(request, avoid), this.#limits.wait, signal);
    throw allEjected(this.#secondsUntil(this.#members));
  }

  /**
   * Whether another upstream than these would serve a caller's request now.
   * @param subject of the request; absent if it is to be sent there even if the vendor's rate limit is reached.
   */
  hasOther(these: ReadonlySet<Vendor>, caller: string, subject?: string): boolean {
    const now = this.#clock();
    return this.#members.some(
      (member) =>
        !these.has(member.vendor) &&
        this.#isFree(member, now, caller) &&
        !(subject !== undefined && member.isSkippedFor(subject, now)),
    );
  }

  /** Seconds until an upstream other than these may be asked, at least 1; undefined if there is no other. */
  secondsUntilOther(these: ReadonlySet<Vendor>): number | undefined {
    const others = this.#members.filter(({ vendor }) => !these.has(vendor));
    return others.length === 0 ? undefined : this.#secondsUntil(others);
  }

  /** The health of each upstream, in the order of the configuration, and how often it was ejected. */
  state(): readonly { readonly well: boolean; readonly ejections: number }[] {
    return this.#members.map(({ health }) => ({ well: !health.isEjected(), ejections: health.ejections }));
  }

  #takeNow(request: PlaceRequest, avoid: ReadonlySet<Vendor>): Lease | undefined {
    const member = this.#choose(request, avoid);
    return member && this.#lease(member, request);
  }

  /** Chooses by criteria of falling importance: healthy with a free place; not skipped; none to avoid. */
  #choose({ subject, caller, session }: PlaceRequest, avoid: ReadonlySet<Vendor>): PoolMember | undefined {
    const now = this.#clock();
    const isFree = (member: PoolMember): boolean => this.#isFree(member, now, caller);
    const isOther = (member: PoolMember): boolean => isFree(member) && !avoid.has(member.vendor);
    const tries = [
      (member: PoolMember) => isOther(member) && !member.isSkippedFor(subject, now),
      isOther,
      isFree,
    ];
    for (const allowed of tries) {
      const home = session === undefined ? undefined : chooseHome(this.#members, session, allowed);
      if (home !== undefined) return home;
      const next = pick(this.#members, allowed);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  #isFree({ health, inFlight }: PoolMember, now: number, caller: string): boolean {
    return health.isUsable(now, caller) && inFlight < this.#limits.connections;
  }

  #lease(member: PoolMember, { subject, caller }: PlaceRequest): Lease {
    const { health } = member;
    let isHeld = true;
    let isProbe = health.begin();
    member.inFlight += 1;
    const markAnswered = (): void => {
      if (!isProbe) return;
      isProbe = false;
      health.readmit();
      this.#queue.serve();
    };
    return {
      vendor: member.vendor,
      markAnswered,
      succeed: () => health.succeed(this.#clock()),
      fail: (how) => {
        if (how === 'overloaded' && this.#isLast(member)) return markAnswered();
        if (this.#members.length > 1 || this.#limits.ejectsLone)
          health.fail(this.#clock(), { caller, spare: this.#hasSpare(), isSure: how === 'surely' });
      },
      coolDown: (milliseconds) => member.coolDown(subject, this.#clock() + milliseconds),
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        member.inFlight -= 1;
        if (isProbe) health.endProbe();
        this.#queue.serve();
      },
    };
  }

  /** Seconds until the ejection of one of these is over, at least 1. */
  #secondsUntil(members: readonly PoolMember[]): number {
    const soonest = Math.min(...members.map(({ health }) => health.until));
    return Math.max(1, Math.ceil((soonest - this.#clock()) / 1000));
  }

  /** Whether it is the last upstream that is not ejected, if the configuration protects that one. */
  #isLast(member: PoolMember): boolean {
    return (
      !this.#limits.ejectsLone && this.#members.every((each) => each === member || each.health.isEjected())
    );
  }

  /** Whether at most half of the upstreams are ejected if another one is. */
  #hasSpare(): boolean {
    const ejected = this.#members.filter(({ health }) => health.isEjected()).length;
    return (ejected + 1) * 2 <= this.#members.length;
  }
}

function allEjected(retryAfter: number): GatewayError {
  return new GatewayError(
    'upstream-overloaded',
    'The upstream has been failing, so the gateway sends it nothing for a while.',
    { retryAfter, loss: 'rejected' },
  );
}
