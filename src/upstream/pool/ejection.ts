/** Which upstream is left alone for a while: failures open it, time lets one request in to see, a success closes it. */

export interface EjectionLimits {
  /** Failures in a row. 0: never. */
  readonly failures: number;
  /** Share of failures among at least `requests` in `window` milliseconds. */
  readonly share: number;
  readonly requests: number;
  readonly window: number;
  /** Milliseconds for the first time, and at most. */
  readonly duration: number;
  readonly longest: number;
}

/** What is known of one upstream. Changed by the functions below and nothing else. */
export interface Health {
  /** Failures since the last success. */
  row: number;
  /** Ends of exchanges since `since`, and the failures among them. */
  ended: number;
  failed: number;
  since: number;
  /** How often it was ejected since it last stayed well. */
  ejections: number;
  /** Left alone until then. */
  until: number;
  /** Whether a request is on its way to see how it is. */
  probing: boolean;
}

/** That of an upstream that was never asked. @param now milliseconds, as for all below. */
export function healthOf(now: number): Health {
  return { row: 0, ended: 0, failed: 0, since: now, ejections: 0, until: 0, probing: false };
}

/** Whether it may be asked. An ejected one may, once its time is over, by one request at a time. */
export function isUsable(health: Health, now: number): boolean {
  return health.until === 0 || (now >= health.until && !health.probing);
}

/** Whether it is, or lately was, ejected: the next request is a probe. */
export function isEjected(health: Health): boolean {
  return health.until !== 0;
}

/** The probe came to an answer: it may be asked again, but one more failure ejects it. */
export function readmit(health: Health): void {
  health.until = 0;
  health.probing = false;
}

/** An exchange went well. What began before an ejection says nothing about what is after it. */
export function succeed(health: Health, limits: EjectionLimits, now: number): void {
  count(health, limits, now, 0);
  if (now < health.until) return;
  health.row = 0;
  health.until = 0;
  health.probing = false;
}

/** A failure, and what stands beside it. */
export interface Failure {
  /** Whether enough others are well for this one to go by its share of failures alone. */
  readonly spare: boolean;
  /** Milliseconds for which it is known to fail whatever is asked; absent: that is not known. */
  readonly atLeast?: number;
}

/** An exchange failed, and not for what was asked. */
export function fail(
  health: Health,
  limits: EjectionLimits,
  now: number,
  { spare, atLeast = 0 }: Failure,
  random: () => number = Math.random,
): void {
  count(health, limits, now, 1);
  if (now < health.until) return;
  health.row += 1;
  const { ended, failed } = health;
  const isDown = limits.failures > 0 && health.row >= limits.failures;
  const isPoor = spare && ended >= limits.requests && failed / ended > limits.share;
  if (!isDown && !isPoor && !isEjected(health) && atLeast === 0) return;
  health.ejections += 1;
  const times = Math.min(limits.longest, limits.duration * health.ejections);
  // Not all processes come back in the same second.
  const duration = Math.min(limits.longest, Math.max(atLeast, times)) * (0.9 + 0.2 * random());
  health.until = now + duration;
  health.probing = false;
  health.ended = 0;
  health.failed = 0;
}

function count(health: Health, { window }: EjectionLimits, now: number, failures: number): void {
  if (now - health.since > window) {
    // A whole window without an ejection: what was before is forgiven.
    if (health.until === 0) health.ejections = 0;
    health.since = now;
    health.ended = 0;
    health.failed = 0;
  }
  health.ended += 1;
  health.failed += failures;
}
