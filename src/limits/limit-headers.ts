/** How much is left, in the headers that official SDKs and agents read. */

import type { FormatName } from '../conversation/prompt.ts';

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

/** How far a key is with one of its limits. */
export interface Standing {
  readonly limit: number;
  readonly used: number;
  /** Milliseconds until it begins anew. */
  readonly left: number;
}

/**
 * OpenAI's names (API reference, rate limits: a reset is a duration such as `6s`), which proxies and gateways use for
 * every format; for callers of Anthropic's format also its own (API reference, rate limits: a reset is RFC 3339).
 * @param now milliseconds since 1970.
 */
export function limitHeaders(
  requests: Standing | undefined,
  tokens: Standing | undefined,
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
  { limit, used, left }: Standing,
  format: FormatName,
  now: number,
): void {
  const remaining = String(Math.max(0, limit - used));
  headers[openai.limit] = String(limit);
  headers[openai.remaining] = remaining;
  headers[openai.reset] = `${Math.ceil(left / 1000)}s`;
  if (format !== 'messages') return;
  headers[anthropic.limit] = String(limit);
  headers[anthropic.remaining] = remaining;
  headers[anthropic.reset] = new Date(now + left).toISOString();
}
