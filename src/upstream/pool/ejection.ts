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

/** The health of one upstream. Only the functions below change it. */
export interface Health {
  /** Failures since the last success. */
  row: number;
  /** Exchanges that ended since `since`, and the failures among them. */
  ended: number;
  failed: number;
  since: number;
  /** How often it was ejected since it last stayed well for a while. */
  ejections: number;
  /** The time until which it is skipped. */
  until: number;
  /** Whether a probe is in flight. */
  probing: boolean;
  /** Whose requests have failed since the last success. */
  failing: Failing;
}

/** Nobody's requests, those of one caller, or those of several. */
type Failing = 'none' | { readonly caller: string } | 'several';

/** Makes the health of an upstream that was never asked. @param now milliseconds, here and below. */
export function computeHealth(now: number): Health {
  return { row: 0, ended: 0, failed: 0, since: now, ejections: 0, until: 0, probing: false, failing: 'none' };
}

/** Whether a caller's request may be sent there. After an ejection there is one request at a time. */
export function isUsable(health: Health, now: number, caller: string): boolean {
  const { until, probing, failing } = health;
  if (until === 0) return true;
  return !probing && (now >= until || (typeof failing === 'object' && failing.caller !== caller));
}

/** Whether it is ejected, or was until recently: the next request is a probe. */
export function isEjected(health: Health): boolean {
  return health.until !== 0;
}

/** The probe got an answer. The upstream may be asked again, but one more failure ejects it. */
export function readmit(health: Health): void {
  health.until = 0;
  health.probing = false;
}

/** An exchange succeeded. One that began before an ejection says nothing about the time after it. */
export function succeed(health: Health, limits: EjectionLimits, now: number): void {
  count(health, limits, now, 0);
  if (now < health.until) return;
  health.row = 0;
  health.until = 0;
  health.probing = false;
  health.failing = 'none';
}

/** The circumstances of a failure. */
export interface Failure {
  /** Whose request failed. */
  readonly caller: string;
  /** Whether enough other upstreams are well that this one's share of failures alone may eject it. */
  readonly spare: boolean;
  /** Milliseconds for which it will probably fail whatever is asked; absent if that is not known. */
  readonly atLeast?: number;
}

/** An exchange failed, and not because of the request. @returns whether that ejects the upstream. */
export function fail(
  health: Health,
  limits: EjectionLimits,
  now: number,
  { caller, spare, atLeast = 0 }: Failure,
  random: () => number = Math.random,
): boolean {
  count(health, limits, now, 1);
  health.failing = withCaller(health.failing, caller);
  if (now < health.until) return false;
  health.row += 1;
  const { ended, failed } = health;
  const isDown = limits.failures > 0 && health.row >= limits.failures;
  const isPoor = spare && ended >= limits.requests && failed / ended > limits.share;
  if (!isDown && !isPoor && !isEjected(health) && atLeast === 0) return false;
  health.ejections += 1;
  const times = Math.min(limits.longest, limits.duration * health.ejections);
  // Randomized, so that not all processes come back in the same second.
  const duration = Math.min(limits.longest, Math.max(atLeast, times)) * (0.9 + 0.2 * random());
  health.until = now + duration;
  health.probing = false;
  health.ended = 0;
  health.failed = 0;
  return true;
}

function withCaller(failing: Failing, caller: string): Failing {
  if (failing === 'several') return failing;
  if (failing === 'none') return { caller };
  return failing.caller === caller ? failing : 'several';
}

function count(health: Health, { window }: EjectionLimits, now: number, failures: number): void {
  if (now - health.since > window) {
    // A whole window passed without an ejection, so earlier ones no longer count.
    if (health.until === 0) health.ejections = 0;
    health.since = now;
    health.ended = 0;
    health.failed = 0;
  }
  health.ended += 1;
  health.failed += failures;
}
