/** The upstreams of one vendor: which is asked, how busy each is, and which are left alone for a while. */

import { GatewayError } from '../errors.ts';
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
import type { Vendor } from './vendor.ts';

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
  /** It failed. @param surely whether it will fail whatever it is asked, as by a wrong key. */
  fail(surely: boolean): void;
  /** For so many milliseconds it is better not asked. */
  rest(milliseconds: number): void;
  /** The place is free again. Calling it twice is calling it once. */
  release(): void;
}

export interface Pool {
  /**
   * A place at the least busy upstream that is well.
   * @param avoid not there, where there is any other.
   * @throws GatewayError `upstream-overloaded` where all are left alone, `overloaded` where no place comes free.
   */
  take(avoid?: Vendor): Lease | Promise<Lease>;
  /** Whether another than `vendor` would be asked now. */
  hasOther(vendor: Vendor): boolean;
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
  readonly health: Health;
  inFlight: number;
  ejections: number;
  /** Not asked before this, where another can be. */
  restUntil: number;
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
    health: healthOf(clock()),
    inFlight: 0,
    ejections: 0,
    restUntil: 0,
  }));
  const { ejection } = limits;
  const ejects = members.length > 1 || limits.ejectsLone;
  const waiting = new Set<() => void>();
  let turn = 0;

  const isWell = ({ health }: Member): boolean => isUsable(health, clock());
  const hasRoom = ({ inFlight }: Member): boolean => inFlight < limits.connections;
  const isRested = ({ restUntil }: Member): boolean => restUntil <= clock();

  /** By what matters less and less: well with room; rested; not the one to avoid. */
  function choose(avoid: Vendor | undefined): Member | undefined {
    const fits = (member: Member): boolean => isWell(member) && hasRoom(member);
    const tries = [
      (member: Member) => fits(member) && isRested(member) && member.vendor !== avoid,
      (member: Member) => fits(member) && member.vendor !== avoid,
      fits,
    ];
    for (const allowed of tries) {
      const index = pick(members, turn, allowed);
      if (index < 0) continue;
      turn = index + 1;
      return members[index];
    }
    return undefined;
  }

  function lease(member: Member): Lease {
    const { health } = member;
    let held = true;
    let probes = isEjected(health);
    member.inFlight += 1;
    if (probes) health.probing = true;
    return {
      vendor: member.vendor,
      answer() {
        if (probes) readmit(health);
        probes = false;
      },
      succeed() {
        succeed(health, ejection, clock());
      },
      fail(surely) {
        probes = false;
        if (!ejects) return;
        const ejected = members.filter((each) => isEjected(each.health)).length;
        const spare = (ejected + 1) * 2 <= members.length;
        const { until } = health;
        fail(health, ejection, clock(), spare, surely ? ejection.duration : 0);
        if (health.until !== until) member.ejections += 1;
      },
      rest(milliseconds) {
        member.restUntil = clock() + milliseconds;
      },
      release() {
        if (!held) return;
        held = false;
        member.inFlight -= 1;
        // It has shown nothing: the next one may try.
        if (probes) health.probing = false;
        const [next] = waiting;
        next?.();
      },
    };
  }

  /** Waits for a place that somebody leaves. */
  function wait(avoid: Vendor | undefined): Promise<Lease> {
    return new Promise((resolve, reject) => {
      const retry = (): void => {
        const member = choose(avoid);
        if (member === undefined) return;
        stop();
        resolve(lease(member));
      };
      const stop = (): void => {
        waiting.delete(retry);
        clearTimeout(timer);
      };
      const timer = setTimeout(() => {
        stop();
        reject(full());
      }, limits.wait);
      waiting.add(retry);
    });
  }

  return {
    take(avoid) {
      const member = choose(avoid);
      if (member !== undefined) return lease(member);
      if (members.some(isWell)) return wait(avoid);
      const soonest = Math.min(...members.map(({ health }) => health.until));
      throw leftAlone(Math.max(1, Math.ceil((soonest - clock()) / 1000)));
    },
    hasOther: (vendor) =>
      members.some(
        (member) => member.vendor !== vendor && isWell(member) && hasRoom(member) && isRested(member),
      ),
    state: () => members.map(({ health, ejections }) => ({ well: !isEjected(health), ejections })),
  };
}

function full(): GatewayError {
  return new GatewayError(
    'overloaded',
    'Too many requests to this upstream are in flight. Try again shortly.',
    {
      retryAfter: 1,
      loss: 'rejected',
    },
  );
}

function leftAlone(retryAfter: number): GatewayError {
  return new GatewayError(
    'upstream-overloaded',
    'The upstream has been failing, so the gateway sends it nothing for a while.',
    {
      retryAfter,
      loss: 'rejected',
    },
  );
}
