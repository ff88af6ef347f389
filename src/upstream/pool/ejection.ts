/**
 * Which upstream is skipped for a while (a circuit breaker): failures eject it, after some time one request probes it,
 * and a success readmits it.
 *
 * A request itself can cause a failure: its prompt crashes the model's server, a firewall answers it with an error page,
 * or it asks for what only a paid account gets. So if all failures were one caller's, the next request of another caller
 * is already a probe.
 */

export interface EjectionLimits {
  /** Failures in a row that eject an upstream. 0: never. */
  readonly failures: number;
  /** The share of failures, among at least `requests` in `window` milliseconds, that ejects an upstream. */
  readonly share: number;
  readonly requests: number;
  readonly window: number;
  /** Milliseconds of the first ejection, and of the longest. */
  readonly duration: number;
  readonly longest: number;
}

/** The circumstances of a failure. */
export interface Failure {
  readonly caller: string;
  /** Whether enough other upstreams are well that this one's share of failures alone may eject it. */
  readonly spare: boolean;
  /** Set if it will probably fail whatever is asked, which the vendor alone can say and a request may cause. */
  readonly isSure?: boolean;
}

/** Nobody's requests, those of one caller, or those of several. */
type Failing = 'none' | { readonly caller: string } | 'several';

/** The health of one upstream. Times are in milliseconds. */
export class Health {
  readonly #limits: EjectionLimits;
  readonly #random: () => number;
  /** Failures since the last success. */
  #row = 0;
  /** Exchanges that ended since `since`, and the failures among them. */
  #ended = 0;
  #failed = 0;
  #since: number;
  /** How often it was ejected since it last stayed well for a while, and in all. */
  #lately = 0;
  #ejections = 0;
  #until = 0;
  #isProbed = false;
  /** Whose requests have failed since the last success. */
  #failing: Failing = 'none';

  /** An upstream that was never asked. */
  constructor(limits: EjectionLimits, now: number, random: () => number = Math.random) {
    this.#limits = limits;
    this.#since = now;
    this.#random = random;
  }

  get ejections(): number {
    return this.#ejections;
  }

  /** The time until which it is skipped; 0 if it is not ejected. */
  get until(): number {
    return this.#until;
  }

  /** Whether it is ejected, or was until recently: the next request is a probe. */
  isEjected(): boolean {
    return this.#until !== 0;
  }

  /** Whether a caller's request may be sent there. After an ejection there is one request at a time. */
  isUsable(now: number, caller: string): boolean {
    if (this.#until === 0) return true;
    const failing = this.#failing;
    const isOfOther = typeof failing === 'object' && failing.caller !== caller;
    return !this.#isProbed && (now >= this.#until || isOfOther);
  }

  /** A request is sent. @returns whether it is a probe, to be followed by `endProbe`, `readmit`, `succeed` or `fail`. */
  begin(): boolean {
    const isProbe = this.isEjected();
    if (isProbe) this.#isProbed = true;
    return isProbe;
  }

  /** The probe has shown nothing, so that the next request may probe. */
  endProbe(): void {
    this.#isProbed = false;
  }

  /** The probe got an answer. The upstream may be asked again, but one more failure ejects it. */
  readmit(): void {
    this.#until = 0;
    this.#isProbed = false;
  }

  /** An exchange succeeded. One that began before an ejection says nothing about the time after it. */
  succeed(now: number): void {
    this.#count(now, 0);
    if (now < this.#until) return;
    this.#row = 0;
    this.#failing = 'none';
    this.readmit();
  }

  /** An exchange failed, and not because of the request. */
  fail(now: number, { caller, spare, isSure = false }: Failure): void {
    const { failures, requests, share, duration, longest } = this.#limits;
    this.#count(now, 1);
    this.#failing = withCaller(this.#failing, caller);
    if (now < this.#until) return;
    this.#row += 1;
    const isDown = failures > 0 && this.#row >= failures;
    const isPoor = spare && this.#ended >= requests && this.#failed / this.#ended > share;
    if (!isDown && !isPoor && !this.isEjected() && !isSure) return;
    this.#lately += 1;
    this.#ejections += 1;
    // Randomized, so that not all processes come back in the same second.
    this.#until = now + Math.min(longest, duration * this.#lately) * (0.9 + 0.2 * this.#random());
    this.#isProbed = false;
    this.#ended = 0;
    this.#failed = 0;
  }

  #count(now: number, failures: number): void {
    if (now - this.#since > this.#limits.window) {
      // A whole window passed without an ejection, so earlier ones no longer count.
      if (this.#until === 0) this.#lately = 0;
      this.#since = now;
      this.#ended = 0;
      this.#failed = 0;
    }
    this.#ended += 1;
    this.#failed += failures;
  }
}

function withCaller(failing: Failing, caller: string): Failing {
  if (failing === 'several') return failing;
  if (failing === 'none') return { caller };
  return failing.caller === caller ? failing : 'several';
}
