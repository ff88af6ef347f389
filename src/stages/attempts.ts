/**
 * Several attempts to get one answer: at another upstream of the vendor, of another model, or the same again after a
 * wait. Only while nothing of an answer is out; never for a caller who has left; and no more than vendors can stand.
 */

import { setTimeout as sleep } from 'node:timers/promises';
import { amended, asGatewayError, GatewayError } from '../errors.ts';
import type { Stage } from '../streams/line.ts';
import type { Upstreams } from '../vendors/upstreams.ts';
import type { Vendor } from '../vendors/vendor.ts';
import { isAgain, lossOf, waitBefore } from './again.ts';
import type { Replied, Routed } from './exchange.ts';
import { follow } from './follow.ts';

/** What came of an attempt that was not the last one. */
interface Failed {
  /** What the caller is told, where nothing better comes: an error, or an answer that is one. */
  readonly told: GatewayError | Replied;
  readonly error: GatewayError;
  /** At which upstream; absent where none could be asked. */
  readonly at?: Vendor;
}

export function attempts(upstreams: Upstreams): (once: Stage<Routed, Replied>) => Stage<Routed, Replied> {
  const { retries, patience, poolOf, budgetOf } = upstreams;

  return (once) => async (routed) => {
    const began = performance.now();
    const timeLeft = (): number => patience.limits.total - (performance.now() - began);

    /** One attempt. @param avoid the upstream that has just failed. */
    const attempt = async (target: Routed, number: number, avoid?: Vendor): Promise<Replied | Failed> => {
      const pool = poolOf(target.vendor);
      let at: Vendor | undefined;
      let followed: ReturnType<typeof follow> | undefined;
      try {
        const lease = pool && (await pool.take(avoid));
        at = lease?.vendor ?? target.vendor;
        if (number === 1) budgetOf(at).deposit();
        followed = lease && follow(lease);
        const replied = await once(
          number === 1 && followed === undefined
            ? target
            : {
                ...target,
                vendor: at,
                attempt: {
                  number,
                  timeLeft: timeLeft(),
                  ...(followed !== undefined && { ended: followed.ended }),
                },
              },
        );
        followed?.judge(replied.refusal);
        return replied.refusal === undefined ? replied : { told: replied, error: replied.refusal, at };
      } catch (thrown) {
        const error = asGatewayError(thrown);
        followed?.judge(error);
        return { told: error, error, ...(at !== undefined && { at }) };
      }
    };

    const first = await attempt(routed, 1);
    if (!('told' in first)) return first;

    let { told } = first;
    let failed = first;
    let target = routed;
    let number = 1;
    while (number <= retries.limit && !routed.signal.aborted) {
      const next = await following(target, failed, number);
      if (next === undefined) break;
      number += 1;
      const outcome = await attempt(next.target, number, next.avoid);
      if (!('told' in outcome)) return outcome;
      failed = outcome;
      target = next.target;
      // What became of the model that was asked for is what the caller is told.
      if (target.model === routed.model) told = outcome.told;
    }
    return giveUp(told, number);

    /** Where to try next, when the time has come; undefined where there is no use in it. */
    async function following(
      from: Routed,
      { error, at }: Failed,
      made: number,
    ): Promise<{ readonly target: Routed; readonly avoid?: Vendor } | undefined> {
      const loss = lossOf(error);
      if (loss === undefined) return undefined;
      const again = isAgain(loss, retries.after);
      const others = at !== undefined && poolOf(from.vendor)?.hasOther(at);
      if (at !== undefined && others && (again || loss === 'elsewhere') && budgetOf(at).withdraw()) {
        return { target: from, avoid: at };
      }
      const other = from.otherwise?.();
      if (other !== undefined) return { target: other };
      if (!again || at === undefined) return undefined;
      const wait = waitBefore(error, made, retries);
      if (wait === undefined || wait >= timeLeft() || !budgetOf(at).withdraw()) return undefined;
      const { signal } = routed;
      const waited = await sleep(wait, true, { signal }).catch(() => false);
      return waited ? { target: from } : undefined;
    }
  };
}

/** The failure itself; after more than one attempt, with the advice to official SDKs not to begin it all again. */
function giveUp(told: GatewayError | Replied, number: number): Replied {
  const advice = { 'x-should-retry': 'false' };
  if (told instanceof GatewayError) {
    throw number > 1 && told.retryAfter === undefined ? amended(told, { headers: advice }) : told;
  }
  if (number > 1 && told.refusal?.retryAfter === undefined) told.headers.set('x-should-retry', 'false');
  return told;
}
