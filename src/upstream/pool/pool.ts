/** The upstreams of one vendor: which is asked, how busy each is, and which are left alone for a while. */

import { GatewayError } from '../../lib/errors.ts';
import type { Vendor } from '../vendor.ts';
import { homeOf } from './affinity.ts';
import {
  type EjectionLimits,
  fail,
  type Health,
  healthOf,
  isEjected,
  isUsable,
  readmit,
  succeed,
} from './ejection.ts';
import { pick } from './pick.ts';

export interface PoolLimits {
  /** Exchanges at a time with one upstream. */
  readonly connections: number;
  /** Milliseconds to wait for a place. */
  readonly wait: number;
  readonly ejection: EjectionLimits;
  /** Whether the only upstream is ever left alone. */
  readonly ejectsLone: boolean;
}

/** A place at an upstream, for one exchange. */
export interface Lease {
  /** The vendor at that upstream's address, with its key. */
  readonly vendor: Vendor;
  /** It has begun to answer, or refused what was asked: where it was left alone, it need not be any longer. */
  answer(): void;
  /** All of its answer came. */
  succeed(): void;
  fail(how: Failing): void;
  /** For so many milliseconds at least it is better not asked for the same: vendors' limits are those of a model each. */
  rest(milliseconds: number): void;
  /** The place is free again. Calling it twice is calling it once. */
  release(): void;
}

/**
 * How an upstream failed: `surely`, as it will whatever it is asked (its key is wrong), or `overloaded`, which may be of
 * the model that was asked: the last that is well goes on being asked for all others.
 */
export type Failing = 'surely' | 'overloaded' | 'somehow';

export interface Pool {
  /**
   * A place at an upstream that is well: where the session is at home, or else at the least busy one.
   * @param asked what is to be asked there, and has a limit of its own: a model by its id, or the count of its tokens.
   * @param avoid not there, where there is any other.
   * @param session of which the request is one; absent where nobody says so.
   * @throws GatewayError `upstream-overloaded` where all are left alone, `overloaded` where no place comes free.
   */
  take(asked: string, avoid?: Vendor, session?: string): Lease | Promise<Lease>;
  /** Whether another than `vendor` would be asked for it now. */
  hasOther(asked: string, vendor: Vendor): boolean;
  /** Of each upstream, in the order of the configuration, whether it is asked, and how often it came to be left alone. */
  state(): readonly MemberState[];
}

export interface MemberState {
  readonly well: boolean;
  readonly ejections: number;
}

interface Member {
  readonly vendor: Vendor;
  readonly weight: number;
  /** Its address, and its key or credentials, by which sessions know it. */
  readonly place: string;
  readonly health: Health;
  inFlight: number;
  ejections: number;
  /** What it is not asked for before a time, where another can be. */
  readonly rests: Map<string, number>;
}

/** @param clock milliseconds, monotonic. */
export function poolOf(
  upstreams: readonly { readonly vendor: Vendor; readonly weight: number }[],
  limits: PoolLimits,
  clock: () => number,
): Pool {
  const members: Member[] = upstreams.map(({ vendor, weight }) => ({
    vendor,
    weight,
    place: `${vendor.origin}${vendor.basePath}\n${vendor.credentials ? JSON.stringify(vendor.credentials) : vendor.key}`,
    health: healthOf(clock()),
    inFlight: 0,
    ejections: 0,
    rests: new Map(),
  }));
  const { ejection } = limits;
  const ejects = members.length > 1 || limits.ejectsLone;
  /** Who waits for a place, the longest first: each takes one if it can. */
  const waiting = new Set<() => boolean>();
  let turn = 0;

  const isWell = ({ health }: Member): boolean => isUsable(health, clock());
  const hasRoom = ({ inFlight }: Member): boolean => inFlight < limits.connections;
  const isRested = ({ rests }: Member, asked: string): boolean => (rests.get(asked) ?? 0) <= clock();
  /** Whether it would be the last to be left alone, which the configuration may not want. */
  const isLast = (member: Member): boolean =>
    !limits.ejectsLone && members.every((each) => each === member || isEjected(each.health));

  /** By what matters less and less: well with room; rested; not the one to avoid. */
  function choose(asked: string, avoid: Vendor | undefined, session: string | undefined): Member | undefined {
    const fits = (member: Member): boolean => isWell(member) && hasRoom(member);
    const tries = [
      (member: Member) => fits(member) && isRested(member, asked) && member.vendor !== avoid,
      (member: Member) => fits(member) && member.vendor !== avoid,
      fits,
    ];
    for (const allowed of tries) {
      const home = session === undefined ? undefined : homeOf(members, session, allowed);
      if (home !== undefined) return home;
      const index = pick(members, turn, allowed);
      if (index < 0) continue;
      turn = index + 1;
      return members[index];
    }
    return undefined;
  }

  function lease(member: Member, asked: string): Lease {
    const { health } = member;
    let held = true;
    let probes = isEjected(health);
    member.inFlight += 1;
    if (probes) health.probing = true;
    const answer = (): void => {
      if (!probes) return;
      probes = false;
      readmit(health);
      serveWaiting();
    };
    return {
      vendor: member.vendor,
      answer,
      succeed() {
        succeed(health, ejection, clock());
      },
      fail(how) {
        if (how === 'overloaded' && isLast(member)) return answer();
        probes = false;
        if (!ejects) return;
        const ejected = members.filter((each) => isEjected(each.health)).length;
        const spare = (ejected + 1) * 2 <= members.length;
        const { until } = health;
        const atLeast = how === 'surely' ? ejection.duration : 0;
        fail(health, ejection, clock(), { spare, atLeast });
        if (health.until !== until) member.ejections += 1;
      },
      rest(milliseconds) {
        const { rests } = member;
        rests.set(asked, Math.max(rests.get(asked) ?? 0, clock() + milliseconds));
      },
      release() {
        if (!held) return;
        held = false;
        member.inFlight -= 1;
        // It has shown nothing: the next one may try.
        if (probes) health.probing = false;
        serveWaiting();
      },
    };
  }

  /** Whom there is no place for, there is none for those behind him. */
  function serveWaiting(): void {
    for (const serve of waiting) if (!serve()) return;
  }

  /** Waits for a place that somebody leaves, or at one that is well again. */
  function wait(asked: string, avoid: Vendor | undefined, session: string | undefined): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const serve = (): boolean => {
        const member = choose(asked, avoid, session);
        if (member === undefined) return false;
        stop();
        resolve(lease(member, asked));
        return true;
      };
      const stop = (): void => {
        waiting.delete(serve);
        clearTimeout(timer);
      };
      const timer = setTimeout(() => {
        if (serve()) return;
        stop();
        reject(full());
      }, limits.wait);
      waiting.add(serve);
    });
  }

  return {
    take(asked, avoid, session) {
      // An upstream whose time is over is well without a word of it.
      serveWaiting();
      const member = choose(asked, avoid, session);
      if (member !== undefined) return lease(member, asked);
      if (members.some(isWell)) return wait(asked, avoid, session);
      const soonest = Math.min(...members.map(({ health }) => health.until));
      throw leftAlone(Math.max(1, Math.ceil((soonest - clock()) / 1000)));
    },
    hasOther: (asked, vendor) =>
      members.some(
        (member) => member.vendor !== vendor && isWell(member) && hasRoom(member) && isRested(member, asked),
      ),
    state: () => members.map(({ health, ejections }) => ({ well: !isEjected(health), ejections })),
  };
}

function full(): GatewayError {
  return new GatewayError(
    'overloaded',
    'Too many requests to this upstream are in flight. Try again shortly.',
    { retryAfter: 1, loss: 'rejected' },
  );
}

function leftAlone(retryAfter: number): GatewayError {
  return new GatewayError(
    'upstream-overloaded',
    'The upstream has been failing, so the gateway sends it nothing for a while.',
    { retryAfter, loss: 'rejected' },
  );
}
