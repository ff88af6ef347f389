/** A pass that is fetched once for all requests, and renewed in the background before it expires. */

import type { CloudToken, Fetch } from './cloud.ts';

export interface RenewedToken {
  /**
   * The pass, or a promise if there is no valid one yet. @throws at once or by the promise, if it cannot be fetched.
   */
  get(): CloudToken | Promise<CloudToken>;
  /** Another pass than `refused`; undefined if it was renewed for this reason only recently. */
  renew(refused: CloudToken): Promise<CloudToken> | undefined;
  /** Stops renewing. */
  close(): void;
}

export interface RenewOptions {
  /** Called when a pass cannot be fetched. @param pass the old one, if it is still valid. */
  failed(error: unknown, pass: CloudToken | undefined): void;
  /** Called when it can be fetched again. */
  recovered(): void;
}

/**
 * How long before its expiry a pass is renewed, in milliseconds. Google's metadata server returns the old token until
 * five minutes before its end.
 */
const LEAD = 225_000;
/** A pass that lives so short that this is more than half of its life is renewed after half of it, but not at once. */
const MIN_DELAY = 1_000;
/** The longest time of one timer: a timer that is set beyond Node's maximum fires at once. */
const MAX_DELAY = 86_400_000;
/** The pauses before further attempts: doubled each time, up to a bound. */
const FIRST_WAIT = 1_000;
const MAX_WAIT = 15_000;
/** How long one fetch may take, in milliseconds. */
const FETCH_TIMEOUT = 20_000;
/** A vendor that refuses a new pass too has another reason, so for this time a pass is not renewed again. */
const RENEWED_FOR = 60_000;

/** @param fetch fetches a new pass. */
export function renewedToken(fetch: Fetch, { failed, recovered }: RenewOptions): RenewedToken {
  const ending = new AbortController();
  let held: CloudToken | undefined;
  let coming: Promise<CloudToken> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let failure: { readonly error: unknown; readonly times: number } | undefined;
  let renewedAt = Number.NEGATIVE_INFINITY;

  const good = (): CloudToken | undefined =>
    held !== undefined && Date.now() < held.expires ? held : undefined;
  /** By the wall clock, which goes on while a machine sleeps. */
  const fetchAt = (due: number): void => {
    clearTimeout(timer);
    if (ending.signal.aborted) return;
    const wait = Math.min(MAX_DELAY, Math.max(1, due - Date.now()));
    timer = setTimeout(() => {
      if (Date.now() < due) fetchAt(due);
      else fetchNow().catch(() => undefined);
    }, wait).unref();
  };
  const fetchNow = (): Promise<CloudToken> => {
    coming ??= withTimeLimit(fetch, ending.signal)
      .then(
        (pass) => {
          if (failure !== undefined) recovered();
          failure = undefined;
          held = pass;
          if (Number.isFinite(pass.expires)) fetchAt(getRenewalTime(pass));
          return pass;
        },
        (error: unknown) => {
          const times = (failure?.times ?? 0) + 1;
          if (times === 1 && !ending.signal.aborted) failed(error, good());
          failure = { error, times };
          fetchAt(Date.now() + Math.min(MAX_WAIT, FIRST_WAIT * 2 ** (times - 1)));
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
      // Another attempt follows soon; until then nobody waits.
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

/** When a pass is to be renewed, in milliseconds since 1970. */
function getRenewalTime({ expires }: CloudToken): number {
  const now = Date.now();
  const left = expires - now;
  return now + Math.max(MIN_DELAY, left - Math.min(LEAD, left / 2));
}

/** Fetches a pass, with a timeout that holds whatever a library does. */
async function withTimeLimit(fetch: Fetch, ending: AbortSignal): Promise<CloudToken> {
  const timeout = AbortSignal.timeout(FETCH_TIMEOUT);
  const signal = AbortSignal.any([ending, timeout]);
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
