/** The upstreams of one vendor: which one gets a request, how busy each is, and which are skipped for a while. */

import { GatewayError } from '../../lib/errors.ts';
import type { Signal } from '../../lib/light-signal.ts';
import type { Vendor } from '../vendor.ts';
import { chooseHome } from './affinity.ts';
import { type EjectionLimits, fail, readmit, succeed } from './ejection.ts';
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

export interface Pool {
  /**
   * Takes a place at a healthy upstream: the session's own, or else the least busy one.
   * @param subject what a vendor's rate limit is for: a model's id, or the counting of its tokens.
   * @param avoid an upstream that is used only if there is no other.
   * @param session the id of the request's session; absent if it is unknown.
   * @param signal ends a wait for a place.
   * @throws GatewayError, or rejects with it: `upstream-overloaded` if all are ejected, `overloaded` if no place
   *   becomes free, and the reason of the signal.
   */
  take(subject: string, avoid?: Vendor, session?: string, signal?: Signal): Lease | Promise<Lease>;
  /** Whether another upstream than `vendor` would serve that subject now. */
  hasOther(subject: string, vendor: Vendor): boolean;
  /** The health of each upstream, in the order of the configuration, and how often it was ejected. */
  state(): readonly MemberState[];
}

export interface MemberState {
  readonly well: boolean;
  readonly ejections: number;
}

/** Makes the pool of a vendor's upstreams. @param clock milliseconds, monotonic. */
export function makePool(
  upstreams: readonly { readonly vendor: Vendor; readonly weight: number }[],
  limits: PoolLimits,
  clock: () => number,
): Pool {
  const members = upstreams.map(({ vendor, weight }) => new PoolMember(vendor, weight, clock));
  const { ejection } = limits;
  const ejects = members.length > 1 || limits.ejectsLone;
  const queue = new PlaceQueue<Lease>();

  const isFree = (member: PoolMember): boolean => member.isUsable() && member.inFlight < limits.connections;
  /** Whether it is the last upstream that is not ejected, if the configuration protects that one. */
  const isLast = (member: PoolMember): boolean =>
    !limits.ejectsLone && members.every((each) => each === member || each.isEjected());

  /** Chooses by criteria of falling importance: healthy with a free place; not skipped; not the one to avoid. */
  function choose(
    subject: string,
    avoid: Vendor | undefined,
    session: string | undefined,
  ): PoolMember | undefined {
    const tries = [
      (member: PoolMember) => isFree(member) && !member.isSkippedFor(subject) && member.vendor !== avoid,
      (member: PoolMember) => isFree(member) && member.vendor !== avoid,
      isFree,
    ];
    for (const allowed of tries) {
      const home = session === undefined ? undefined : chooseHome(members, session, allowed);
      if (home !== undefined) return home;
      const next = pick(members, allowed);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  function lease(member: PoolMember, subject: string): Lease {
    const { health } = member;
    let held = true;
    let probes = member.isEjected();
    member.inFlight += 1;
    if (probes) health.probing = true;
    const markAnswered = (): void => {
      if (!probes) return;
      probes = false;
      readmit(health);
      queue.serve();
    };
    return {
      vendor: member.vendor,
      markAnswered,
      succeed() {
        succeed(health, ejection, clock());
      },
      fail(how) {
        if (how === 'overloaded' && isLast(member)) return markAnswered();
        probes = false;
        if (!ejects) return;
        const ejected = members.filter((each) => each.isEjected()).length;
        const spare = (ejected + 1) * 2 <= members.length;
        const { until } = health;
        const atLeast = how === 'surely' ? ejection.duration : 0;
        fail(health, ejection, clock(), { spare, atLeast });
        if (health.until !== until) member.ejections += 1;
      },
      coolDown: (milliseconds) => member.coolDown(subject, milliseconds),
      release() {
        if (!held) return;
        held = false;
        member.inFlight -= 1;
        // The probe has shown nothing, so the next request may probe.
        if (probes) health.probing = false;
        queue.serve();
      },
    };
  }

  function takeNow(subject: string, avoid: Vendor | undefined, session: string | undefined) {
    const member = choose(subject, avoid, session);
    return member && lease(member, subject);
  }

  return {
    take(subject, avoid, session, signal) {
      // An upstream whose ejection has ended becomes usable without any event.
      queue.serve();
      const taken = takeNow(subject, avoid, session);
      if (taken !== undefined) return taken;
      if (members.some((member) => member.isUsable()))
        return queue.wait(() => takeNow(subject, avoid, session), limits.wait, signal);
      const soonest = Math.min(...members.map(({ health }) => health.until));
      throw allEjected(Math.max(1, Math.ceil((soonest - clock()) / 1000)));
    },
    hasOther: (subject, vendor) =>
      members.some((member) => member.vendor !== vendor && isFree(member) && !member.isSkippedFor(subject)),
    state: () => members.map((member) => ({ well: !member.isEjected(), ejections: member.ejections })),
  };
}

function allEjected(retryAfter: number): GatewayError {
  return new GatewayError(
    'upstream-overloaded',
    'The upstream has been failing, so the gateway sends it nothing for a while.',
    { retryAfter, loss: 'rejected' },
  );
}
