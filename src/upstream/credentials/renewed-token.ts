/** A pass that is had once for all who need it, and had anew in the background before it ends. */

import type { Fetch, Pass } from './cloud.ts';

export interface RenewedToken {
  /** The pass; a promise of it where there is no good one yet. @throws or rejects where none could be had */
  get(): Pass | Promise<Pass>;
  /** Another one than `refused`; undefined where it was had anew for such a reason only lately. */
  renew(refused: Pass): Promise<Pass> | undefined;
  /** Nothing is had any more. */
  close(): void;
}

export interface RenewOptions {
  /** Told when it cannot be had, and when it can again. @param pass the old one, if that is still good. */
  failed(error: unknown, pass: Pass | undefined): void;
  recovered(): void;
}

/** How long before its end it is had anew: Google's metadata server gives the old one until five minutes before that. */
const LEAD = 225_000;
/** Of what lives so short that this is more than half of it: half of it; and never at once again. */
const SOONEST = 1_000;
/** For no longer does a timer sleep: one that waits too long for Node fires at once. */
const LONGEST_SLEEP = 86_400_000;
/** Before what failed is tried again: doubled each time, up to a bound. */
const FIRST_WAIT = 1_000;
const LONGEST_WAIT = 15_000;
/** For so long is waited for one. */
const PATIENCE = 20_000;
/** A vendor that refuses what is new too has another reason: for so long it is believed. */
const RENEWED_FOR = 60_000;

export function renewedToken(fetch: Fetch, { failed, recovered }: RenewOptions): RenewedToken {
  const ending = new AbortController();
  let held: Pass | undefined;
  let coming: Promise<Pass> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown; readonly times: number } | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const good = (): Pass | undefined => (held !== undefined && Date.now() < held.expires ? held : undefined);
  /** By the clock on the wall, which goes on while a machine sleeps. */
  const fetchAt = (due: number): void => {
    clearTimeout(timer);
    if (ending.signal.aborted) return;
    const wait = Math.min(LONGEST_SLEEP, Math.max(1, due - Date.now()));
    timer = setTimeout(() => {
      if (Date.now() < due) fetchAt(due);
      else fetchNow().catch(() => undefined);
    }, wait).unref();
  };
  const fetchNow = (): Promise<Pass> => {
    coming ??= inTime(fetch, ending.signal)
      .then(
        (pass) => {
          if (failure !== undefined) recovered();
          failure = undefined;
          held = pass;
          if (Number.isFinite(pass.expires)) fetchAt(dueOf(pass));
          return pass;
        },
        (error: unknown) => {
          const times = (failure?.times ?? 0) + 1;
          if (times === 1 && !ending.signal.aborted) failed(error, good());
          failure = { error, times };
          fetchAt(Date.now() + Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** (times - 1)));
          throw error;
        },
      )
      .finally(() => {
        coming = undefined;
      });
    return coming;
  };

  return {
    get() {
      const pass = good();
      if (pass !== undefined) return pass;
      if (coming !== undefined) return coming;
      // It is tried again before long: until then nobody waits for it.
      if (failure !== undefined) throw failure.error;
      return fetchNow();
    },
    renew(refused) {
      if (held !== undefined && held !== refused) return Promise.resolve(held);
      if (coming !== undefined) return coming;
      const now = performance.now();
      if (now - renewedAt < RENEWED_FOR) return undefined;
      renewedAt = now;
      return fetchNow();
    },
    close() {
      clearTimeout(timer);
      ending.abort();
    },
  };
}

/** When it is to be had anew. */
function dueOf({ expires }: Pass): number {
  const now = Date.now();
  const left = expires - now;
  return now + Math.max(SOONEST, left - Math.min(LEAD, left / 2));
}

/** Fetches, and waits no longer than may be, whatever a library does on its own. */
async function inTime(fetch: Fetch, ending: AbortSignal): Promise<Pass> {
  const patience = AbortSignal.timeout(PATIENCE);
  const signal = AbortSignal.any([ending, patience]);
  const over = Promise.withResolvers<never>();
  const leave = (): void => over.reject(tookTooLong());
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  const fetched = fetch(signal);
  fetched.catch(() => undefined);
  return Promise.race([fetched, over.promise]).finally(() => signal.removeEventListener('abort', leave));
}

function tookTooLong(): Error {
  return Object.assign(new Error('It took too long.'), { code: 'ETIMEDOUT' });
}
