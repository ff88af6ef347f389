/** The headers that tell official SDKs and agents how much is left of their limits. */

import type { FormatName } from '../../conversation/prompt.ts';

/**
 * The names of the headers of each limit, built once: to build six names for each answer takes longer than to write the
 * headers.
 */
const NAMES = { requests: makeNames('requests'), tokens: makeNames('tokens') } as const;

function makeNames(of: string) {
  const openai = (what: string): string => `x-ratelimit-${what}-${of}`;
  const anthropic = (what: string): string => `anthropic-ratelimit-${of}-${what}`;
  return {
    openai: { limit: openai('limit'), remaining: openai('remaining'), reset: openai('reset') },
    anthropic: { limit: anthropic('limit'), remaining: anthropic('remaining'), reset: anthropic('reset') },
  };
}

const ALL = Object.values(NAMES);

/** OpenAI's names of these headers (API reference, rate limits). The gateway sends all of them. */
export const OPENAI_LIMIT_HEADERS: readonly string[] = ALL.flatMap(({ openai }) => Object.values(openai));

/** Anthropic's names (API reference, rate limits). Those for input and output tokens come from the vendor only. */
export const ANTHROPIC_LIMIT_HEADERS: readonly string[] = [
  ...ALL,
  makeNames('input-tokens'),
  makeNames('output-tokens'),
].flatMap(({ anthropic }) => Object.values(anthropic));

/** How much of one limit a key or a group has used. */
export interface LimitState {
  readonly limit: number;
  readonly used: number;
  /** Milliseconds until the next window begins. */
  readonly left: number;
}

/** The state of the limits that headers tell about. A limit that does not apply is undefined. */
export interface LimitStates {
  readonly requests: LimitState | undefined;
  readonly tokens: LimitState | undefined;
}

/**
 * Of two limits that both apply, the one of which less is left; if the same is left of both, the one that resets later.
 */
export function tighter(one: LimitState | undefined, other: LimitState | undefined): LimitState | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [left, otherLeft] = [remaining(one), remaining(other)];
  if (left === otherLeft) return one.left < other.left ? other : one;
  return left < otherLeft ? one : other;
}

function remaining({ limit, used }: LimitState): number {
  return Math.max(0, limit - used);
}

/**
 * The headers for an answer. OpenAI's names (API reference, rate limits; a reset is a duration such as `6s`) are used
 * for every format, as by other gateways. Callers of Anthropic's format get Anthropic's names too (API reference, rate
 * limits; a reset is a time of RFC 3339).
 * @param now milliseconds since 1970.
 */
export function limitHeaders(
  { requests, tokens }: LimitStates,
  format: FormatName,
  now: number,
): Record<string, string> {
  const headers: Record<string, string> = {};
  if (requests !== undefined) write(headers, NAMES.requests, requests, format, now);
  if (tokens !== undefined) write(headers, NAMES.tokens, tokens, format, now);
  return headers;
}

function write(
  headers: Record<string, string>,
  { openai, anthropic }: ReturnType<typeof makeNames>,
  standing: LimitState,
  format: FormatName,
  now: number,
): void {
  const { limit, left } = standing;
  const rest = String(remaining(standing));
  headers[openai.limit] = String(limit);
  headers[openai.remaining] = rest;
  headers[openai.reset] = `${Math.ceil(left / 1000)}s`;
  if (format !== 'messages') return;
  headers[anthropic.limit] = String(limit);
  headers[anthropic.remaining] = rest;
  headers[anthropic.reset] = new Date(now + left).toISOString();
}
