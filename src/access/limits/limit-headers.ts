/** How much is left, in the headers that official SDKs and agents read. */

import type { FormatName } from '../../conversation/prompt.ts';

/** The names of a limit, made once: to put together six of them for each answer takes longer than to write them. */
const NAMES = { requests: namesOf('requests'), tokens: namesOf('tokens') } as const;

function namesOf(of: string) {
  const openai = (what: string): string => `x-ratelimit-${what}-${of}`;
  const anthropic = (what: string): string => `anthropic-ratelimit-${of}-${what}`;
  return {
    openai: { limit: openai('limit'), remaining: openai('remaining'), reset: openai('reset') },
    anthropic: { limit: anthropic('limit'), remaining: anthropic('remaining'), reset: anthropic('reset') },
  };
}

const ALL = Object.values(NAMES);

/** What OpenAI calls these headers (API reference, rate limits), of which the gateway sends each. */
export const OPENAI_LIMIT_HEADERS: readonly string[] = ALL.flatMap(({ openai }) => Object.values(openai));

/** What Anthropic calls them (API reference, rate limits); those of input and of output come from the vendor only. */
export const ANTHROPIC_LIMIT_HEADERS: readonly string[] = [
  ...ALL,
  namesOf('input-tokens'),
  namesOf('output-tokens'),
].flatMap(({ anthropic }) => Object.values(anthropic));

/** How far a key, or a group of them, is with one of its limits. */
export interface Standing {
  readonly limit: number;
  readonly used: number;
  /** Milliseconds until it begins anew. */
  readonly left: number;
}

/** How far it is with those that headers tell of. What is not limited is absent. */
export interface Standings {
  readonly requests: Standing | undefined;
  readonly tokens: Standing | undefined;
}

/** Of two limits that hold both, the one of which less is left; of two that are used up, the one that is so for longer. */
export function tighter(one: Standing | undefined, other: Standing | undefined): Standing | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  const [left, otherLeft] = [remaining(one), remaining(other)];
  if (left === otherLeft) return one.left < other.left ? other : one;
  return left < otherLeft ? one : other;
}

function remaining({ limit, used }: Standing): number {
  return Math.max(0, limit - used);
}

/**
 * OpenAI's names (API reference, rate limits: a reset is a duration such as `6s`), which proxies and gateways use for
 * every format; for callers of Anthropic's format also its own (API reference, rate limits: a reset is RFC 3339).
 * @param now milliseconds since 1970.
 */
export function limitHeaders(
  { requests, tokens }: Standings,
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
  { openai, anthropic }: ReturnType<typeof namesOf>,
  standing: Standing,
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
