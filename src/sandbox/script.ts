/**
 * What a simulated model says, independent of any vendor's words. Each vendor's `render.ts` puts it on the wire,
 * streamed and whole, so that both always say the same.
 */

import type { JsonObject } from '../lib/json.ts';

/** `pieces` are the deltas of a stream; joined they are the whole. */
export type ScriptPart =
  | { readonly kind: 'text'; readonly pieces: readonly string[] }
  | { readonly kind: 'thinking'; readonly pieces: readonly string[] }
  | { readonly kind: 'refusal'; readonly pieces: readonly string[] }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly namespace?: string;
      /** JSON text of the arguments, or the bare input of a custom tool. */
      readonly pieces: readonly string[];
      readonly custom?: boolean;
    };

export type ScriptFinish = 'stop' | 'length' | 'stop-sequence' | 'calls' | 'refusal';

/** In tokens: `input` includes cached ones, `output` includes reasoning. */
export interface ScriptUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** What is written to the cache stays there for an hour, not for minutes. */
  readonly cacheForAnHour?: boolean;
}

/** A whole answer. */
export interface Script {
  readonly parts: readonly ScriptPart[];
  readonly finish: ScriptFinish;
  readonly stopSequence?: string;
  readonly usage: ScriptUsage;
  /** The vendor fails after the parts: the answer has no end, but an error event. */
  readonly broken?: boolean;
}

/** What distinguishes one answer from the next of the same script. */
export interface Stamp {
  /** Hexadecimal, 32 digits: the stem of every id in the answer. */
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  /** The request, for answers that echo it or depend on its options. */
  readonly body: JsonObject;
}

/** One event of a stream before it is framed. */
export interface WireEvent {
  readonly event?: string;
  readonly data: string;
}

/** @returns the joined text of all parts of a kind */
export function getText(script: Script, kind: ScriptPart['kind']): string {
  return script.parts.flatMap((part) => (part.kind === kind ? part.pieces : [])).join('');
}

/** @returns the calls of an answer, in their order */
export function getCalls(script: Script): readonly Extract<ScriptPart, { kind: 'call' }>[] {
  return script.parts.filter((part) => part.kind === 'call');
}

/**
 * @param length the number of characters, at most 32
 * @returns the tail of an id: letters and digits that differ from index to index
 */
export function tail(stamp: Stamp, index: number, length: number): string {
  const turned = index.toString(16).padStart(2, '0') + stamp.id;
  return turned.slice(0, length);
}
