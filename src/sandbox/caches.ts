/**
 * Prompt caches. With cache breakpoints, the prompt before a breakpoint is written once and read afterwards (Anthropic,
 * "Prompt caching"). Vendors that cache by themselves read what was sent before (OpenAI and Gemini).
 */

import { createHash } from 'node:crypto';
import type { Ask } from './ask.ts';
import { estimateTokens } from './pieces.ts';
import type { Memory } from './sandbox-state.ts';

/** How many tokens of a prompt a cache has spared. */
export interface CacheFigures {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** What was written is kept for an hour. */
  readonly forAnHour: boolean;
}

/** Shorter prompts are not cached. */
const MIN_TOKENS = 1024;

/** @returns the tokens of the whole prompt */
export function promptTokens({ prompt }: Pick<Ask, 'prompt'>): number {
  return estimateTokens(prompt.reduce((sum, { text }) => sum + text.length, 0));
}

/**
 * @param seen the prompts in the vendor's cache, to which this one is added
 * @returns the tokens of the prompt, and how many of them were read from a cache or written to it
 */
export function cacheFigures(ask: Ask, seen: Memory<true>): CacheFigures {
  const input = promptTokens(ask);
  const none = { input, cacheRead: 0, cacheWrite: 0, forAnHour: false };
  if (input < MIN_TOKENS || !(ask.cachesAll || ask.prompt.some(({ mark }) => mark !== undefined)))
    return none;

  const running = createHash('sha256').update(ask.model);
  const missed: string[] = [];
  let length = 0;
  let read = 0;
  let marked = 0;
  let forAnHour = false;
  for (const { text, mark } of ask.prompt) {
    running.update(`${text.length}:${text}`);
    length += text.length;
    const tokens = estimateTokens(length);
    if (tokens < MIN_TOKENS || (mark === undefined && !ask.cachesAll)) continue;
    const key = running.copy().digest('base64');
    marked = tokens;
    if (seen.get(key)) read = tokens;
    else {
      missed.push(key);
      forAnHour = mark === '1h';
    }
  }
  for (const key of missed) seen.set(key, true);
  if (ask.cachesAll) return { ...none, cacheRead: read - (read % 128) };
  return { input, cacheRead: read, cacheWrite: marked - read, forAnHour };
}
