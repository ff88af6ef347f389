/** The upstreams of one vendor: which one gets a request, how busy each is, and which are skipped for a while. */

import { callerLeft, GatewayError } from '../../lib/errors.ts';
import type { Signal } from '../../lib/light-signal.ts';
import type { Vendor } from '../vendor.ts';
import { chooseHome } from './affinity.ts';
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
import { pick } from './pick.ts';

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

interface Member {
  readonly vendor: Vendor;
  readonly weight: number;
  /** Its address and its key or credentials, by which sessions are assigned. */
  readonly place: string;
  readonly health: Health;
  inFlight: number;
  credit: number;
  ejections: number;
  /** The times until which each subject is skipped, if another upstream can serve it. */
  readonly cooldowns: Map<string, number>;
}

/** Makes the pool of a vendor's upstreams. @param clock milliseconds, monotonic. */
export function makePool(
  upstreams: readonly { readonly vendor: Vendor; readonly weight: number }[],
  limits: PoolLimits,
  clock: () => number,
): Pool {
  const members: Member[] = upstreams.map(({ vendor, weight }) => ({
    vendor,
    weight,
    place: `${vendor.origin}${vendor.basePath}\n${vendor.credentials ? JSON.stringify(vendor.credentials) : vendor.key}`,
    health: computeHealth(clock()),
    inFlight: 0,
    credit: 0,
    ejections: 0,
    cooldowns: new Map(),
  }));
  const { ejection } = limits;
  const ejects = members.length > 1 || limits.ejectsLone;
  /** Requests that wait for a place, the oldest first; each takes one if it can. */
  const waiting = new Set<() => boolean>();

  const isWell = ({ health }: Member): boolean => isUsable(health, clock());
  const hasRoom = ({ inFlight }: Member): boolean => inFlight < limits.connections;
  const isRested = ({ cooldowns }: Member, subject: string): boolean =>
    (cooldowns.get(subject) ?? 0) <= clock();
  /** Whether it is the last upstream that is not ejected, if the configuration protects that one. */
  const isLast = (member: Member): boolean =>
    !limits.ejectsLone && members.every((each) => each === member || isEjected(each.health));

  /** Chooses by criteria of falling importance: healthy with a free place; not resting; not the one to avoid. */
  function choose(
    subject: string,
    avoid: Vendor | undefined,
    session: string | undefined,
  ): Member | undefined {
    const fits = (member: Member): boolean => isWell(member) && hasRoom(member);
    const tries = [
      (member: Member) => fits(member) && isRested(member, subject) && member.vendor !== avoid,
      (member: Member) => fits(member) && member.vendor !== avoid,
      fits,
    ];
    for (const allowed of tries) {
      const home = session === undefined ? undefined : chooseHome(members, session, allowed);
      if (home !== undefined) return home;
      const next = pick(members, allowed);
      if (next !== undefined) return next;
    }
    return undefined;
  }

  function lease(member: Member, subject: string): Lease {
    const { health } = member;
    let held = true;
    let probes = isEjected(health);
    member.inFlight += 1;
    if (probes) health.probing = true;
    const markAnswered = (): void => {
      if (!probes) return;
      probes = false;
      readmit(health);
      serveWaiting();
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
        const ejected = members.filter((each) => isEjected(each.health)).length;
        const spare = (ejected + 1) * 2 <= members.length;
        const { until } = health;
        const atLeast = how === 'surely' ? ejection.duration : 0;
        fail(health, ejection, clock(), { spare, atLeast });
        if (health.until !== until) member.ejections += 1;
      },
      coolDown(milliseconds) {
        const { cooldowns } = member;
        cooldowns.set(subject, Math.max(cooldowns.get(subject) ?? 0, clock() + milliseconds));
      },
      release() {
        if (!held) return;
        held = false;
        member.inFlight -= 1;
        // The probe has shown nothing, so the next request may probe.
        if (probes) health.probing = false;
        serveWaiting();
      },
    };
  }

  /** If there is no place for the oldest, there is none for the others. */
  function serveWaiting(): void {
    for (const serve of waiting) if (!serve()) return;
  }

  /** Waits for a place that becomes free, or for an upstream that becomes healthy again. */
  function wait(
    subject: string,
    avoid: Vendor | undefined,
    session: string | undefined,
    signal: Signal | undefined,
  ): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const serve = (): boolean => {
        const member = choose(subject, avoid, session);
        if (member === undefined) return false;
        stop();
        resolve(lease(member, subject));
        return true;
      };
      const stop = (): void => {
        waiting.delete(serve);
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const leave = (): void => {
        stop();
        reject(signal?.reason instanceof GatewayError ? signal.reason : callerLeft());
      };
      const timer = setTimeout(() => {
        if (serve()) return;
        stop();
        reject(poolFull());
      }, limits.wait);
      waiting.add(serve);
      if (signal?.aborted) leave();
      else signal?.addEventListener('abort', leave);
    });
  }

  return {
    take(subject, avoid, session, signal) {
      // An upstream whose ejection has ended becomes usable without any event.
      serveWaiting();
      const member = choose(subject, avoid, session);
      if (member !== undefined) return lease(member, subject);
      if (members.some(isWell)) return wait(subject, avoid, session, signal);
      const soonest = Math.min(...members.map(({ health }) => health.until));
      throw allEjected(Math.max(1, Math.ceil((soonest - clock()) / 1000)));
    },
    hasOther: (subject, vendor) =>
      members.some(
        (member) =>
          member.vendor !== vendor && isWell(member) && hasRoom(member) && isRested(member, subject),
      ),
    state: () => members.map(({ health, ejections }) => ({ well: !isEjected(health), ejections })),
  };
}

function poolFull(): GatewayError {
  return new GatewayError(
    'overloaded',
    'Too many requests to this upstream are in flight. Try again shortly.',
    { retryAfter: 1, loss: 'rejected' },
  );
}

function allEjected(retryAfter: number): GatewayError {
  return new GatewayError(
    'upstream-overloaded',
    'The upstream has been failing, so the gateway sends it nothing for a while.',
    { retryAfter, loss: 'rejected' },
  );
}
