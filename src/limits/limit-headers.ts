/** How much is left, in the headers that official SDKs and agents read. */

import type { FormatName } from '../conversation/prompt.ts';

/** What OpenAI calls these headers (API reference, rate limits), of which the gateway sends each. */
export const OPENAI_LIMIT_HEADERS: readonly string[] = ['requests', 'tokens'].flatMap((of) => [
  `x-ratelimit-limit-${of}`,
  `x-ratelimit-remaining-${of}`,
  `x-ratelimit-reset-${of}`,
]);

/** What Anthropic calls them (API reference, rate limits); those of input and of output come from the vendor only. */
export const ANTHROPIC_LIMIT_HEADERS: readonly string[] = [
  'requests',
  'tokens',
  'input-tokens',
  'output-tokens',
].flatMap((of) => [
  `anthropic-ratelimit-${of}-limit`,
  `anthropic-ratelimit-${of}-remaining`,
  `anthropic-ratelimit-${of}-reset`,
]);

/** How far a key is with one of its limits. */
export interface Standing {
  readonly of: 'requests' | 'tokens';
  readonly limit: number;
  readonly used: number;
  /** Milliseconds until it begins anew. */
  readonly left: number;
}

/**
 * OpenAI's names (API reference, rate limits: a reset is a duration such as `6s`), which proxies and gateways use for
 * every format; for callers of Anthropic's format also its own (API reference, rate limits: a reset is RFC 3339).
 */
export function limitHeaders(
  standings: readonly Standing[],
  format: FormatName,
  now: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { of, limit, used, left } of standings) {
    const remaining = String(Math.max(0, limit - used));
    headers[`x-ratelimit-limit-${of}`] = String(limit);
    headers[`x-ratelimit-remaining-${of}`] = remaining;
    headers[`x-ratelimit-reset-${of}`] = `${Math.ceil(left / 1000)}s`;
    if (format !== 'messages') continue;
    headers[`anthropic-ratelimit-${of}-limit`] = String(limit);
    headers[`anthropic-ratelimit-${of}-remaining`] = remaining;
    headers[`anthropic-ratelimit-${of}-reset`] = new Date(now + left).toISOString();
  }
  return headers;
}
