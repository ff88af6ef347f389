/** A token that is fetched once for all requests, and renewed in the background before it expires. */

import type { CloudToken, Fetch } from './cloud.ts';

export interface RenewOptions {
  /** Called when a token cannot be fetched. @param token the old one, if it is still valid. */
  failed(error: unknown, token: CloudToken | undefined): void;
  /** Called when it can be fetched again. */
  recovered(): void;
}

/**
 * How long before its expiry a token is renewed, in milliseconds. Google's metadata server returns the old token until
 * five minutes before its end.
 */
const LEAD = 225_000;
/** A token that lives so short that this is more than half of its life is renewed after half of it, but not at once. */
const MIN_DELAY = 1_000;
/** The longest time of one timer: a timer that is set beyond Node's maximum fires at once. */
const MAX_DELAY = 86_400_000;
/** The pauses before further attempts: doubled each time, up to a bound. */
const FIRST_WAIT = 1_000;
const MAX_WAIT = 15_000;
/** How long one fetch may take, in milliseconds. */
const FETCH_TIMEOUT = 20_000;
/** A vendor that refuses a new token too has another reason, so for this time a token is not renewed again. */
const RENEWED_FOR = 60_000;

export class RenewedToken {
  readonly #fetch: Fetch;
  readonly #options: RenewOptions;
  readonly #ending = new AbortController();
  #held: CloudToken | undefined;
  #coming: Promise<CloudToken> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #failure: { readonly error: unknown; readonly times: number } | undefined;
  /** When `renew` last fetched one. */
  #renewedAt = Number.NEGATIVE_INFINITY;

  /** @param fetch fetches a new token. */
  constructor(fetch: Fetch, options: RenewOptions) {
    this.#fetch = fetch;
    this.#options = options;
  }

  /**
   * The token, or a promise if there is no valid one yet. @throws at once or by the promise, if it cannot be fetched.
   */
  get(): CloudToken | Promise<CloudToken> {
    const valid = this.#valid();
    if (valid !== undefined) return valid;
    if (this.#coming !== undefined) return this.#coming;
    // Another attempt follows soon; until then nobody waits.
    if (this.#failure !== undefined) throw this.#failure.error;
    return this.#fetchNow();
  }

  /** Another token than `refused`; undefined if it was renewed for this reason only recently. */
  renew(refused: CloudToken): Promise<CloudToken> | undefined {
    if (this.#held !== undefined && this.#held !== refused) return Promise.resolve(this.#held);
    if (this.#coming !== undefined) return this.#coming;
    const now = performance.now();
    if (now - this.#renewedAt < RENEWED_FOR) return undefined;
    this.#renewedAt = now;
    return this.#fetchNow();
  }

  close(): void {
    clearTimeout(this.#timer);
    this.#ending.abort();
  }

  #valid(): CloudToken | undefined {
    return this.#held !== undefined && Date.now() < this.#held.expires ? this.#held : undefined;
  }

  #fetchNow(): Promise<CloudToken> {
    this.#coming ??= withTimeLimit(this.#fetch, this.#ending.signal)
      .then(
        (token) => this.#onFetched(token),
        (error: unknown) => this.#onFailed(error),
      )
      .finally(() => {
        this.#coming = undefined;
      });
    return this.#coming;
  }

  #onFetched(token: CloudToken): CloudToken {
    if (this.#failure !== undefined) this.#options.recovered();
    this.#failure = undefined;
    this.#held = token;
    if (Number.isFinite(token.expires)) this.#fetchAt(getRenewalTime(token));
    return token;
  }

  #onFailed(error: unknown): never {
    const times = (this.#failure?.times ?? 0) + 1;
    if (times === 1 && !this.#ending.signal.aborted) this.#options.failed(error, this.#valid());
    this.#failure = { error, times };
    this.#fetchAt(Date.now() + Math.min(MAX_WAIT, FIRST_WAIT * 2 ** (times - 1)));
    throw error;
  }

  /** By the wall clock, which goes on while a machine sleeps. */
  #fetchAt(due: number): void {
    clearTimeout(this.#timer);
    if (this.#ending.signal.aborted) return;
    const wait = Math.min(MAX_DELAY, Math.max(1, due - Date.now()));
    this.#timer = setTimeout(() => {
      if (Date.now() < due) this.#fetchAt(due);
      else this.#fetchNow().catch(() => undefined);
    }, wait).unref();
  }
}

/** When a token is to be renewed, in milliseconds since 1970. */
function getRenewalTime({ expires }: CloudToken): number {
  const now = Date.now();
  const left = expires - now;
  return now + Math.max(MIN_DELAY, left - Math.min(LEAD, left / 2));
}

/** Fetches a token, with a timeout that holds whatever a library does. */
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
