/** How long a vendor asks callers to wait, in seconds. */

import { reportedWait } from '../lib/errors.ts';
import type { AnswerHeaders } from './headers.ts';

/** The subjects of OpenAI's limits. Headers give what is left of each, and when it is full again. */
const KINDS = ['requests', 'tokens'];

const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400 };

/**
 * Reads `retry-after-ms` (OpenAI, Azure); `Retry-After` as seconds or a date (RFC 9110, 10.2.3); or else the reset of
 * an exhausted limit (`x-ratelimit-reset-*`: OpenAI, "Rate limits").
 * @param now milliseconds since 1970.
 * @returns seconds, or undefined if the headers give no valid wait.
 */
export function retryAfter(headers: AnswerHeaders, now: number): number | undefined {
  const milliseconds = seconds(headers['retry-after-ms']);
  if (milliseconds !== undefined) return reportedWait(milliseconds / 1000);
  return reportedWait(
    seconds(headers['retry-after']) ?? untilDate(headers['retry-after'], now) ?? untilReset(headers),
  );
}

function seconds(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,9}(?:\.\d{1,9})?$/.test(header) ? Number(header) : undefined;
}

function untilDate(header: string | string[] | undefined, now: number): number | undefined {
  // Date.parse reads a year into any text with a number.
  if (typeof header !== 'string' || !/^[A-Za-z]+,? \d/.test(header)) return undefined;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, (date - now) / 1000);
}

function untilReset(headers: AnswerHeaders): number | undefined {
  const used = KINDS.filter((kind) => headers[`x-ratelimit-remaining-${kind}`] === '0');
  const waits = used.flatMap((kind) => duration(headers[`x-ratelimit-reset-${kind}`]) ?? []);
  return waits.length === 0 ? undefined : Math.max(...waits);
}

/** Parses a duration such as `6m0s`, `1.5s` or `120ms`. @returns seconds. */
function duration(header: string | string[] | undefined): number | undefined {
  if (typeof header !== 'string' || !/^(?:\d{1,9}(?:\.\d{1,9})?(?:ms|[smhd])){1,8}$/.test(header))
    return undefined;
  return [...header.matchAll(/(\d{1,9}(?:\.\d{1,9})?)([a-z]{1,2})/g)].reduce(
    (sum, [, amount, unit = '']) => sum + Number(amount) * (SECONDS[unit] ?? 0),
    0,
  );
}
