/**
 * What a simulated model says, in no vendor's words: each vendor's `render.ts` says it on the wire, as a stream and
 * whole, so that both always tell the same.
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
      /** JSON text of the arguments; the bare input of a custom tool. */
      readonly pieces: readonly string[];
      readonly custom?: boolean;
    };

export type ScriptFinish = 'stop' | 'length' | 'stop-sequence' | 'calls' | 'refusal';

/** Tokens: `input` counts cached ones, `output` counts reasoning. */
export interface ScriptUsage {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
  /** What is written to the cache stays there for an hour, not for minutes. */
  readonly cacheForAnHour?: boolean;
}

export interface Script {
  readonly parts: readonly ScriptPart[];
  readonly finish: ScriptFinish;
  readonly stopSequence?: string;
  readonly usage: ScriptUsage;
  /** The vendor fails after the parts: no end, but its error event. */
  readonly broken?: boolean;
}

/** What distinguishes one answer from the next of the same script. */
export interface Stamp {
  /** Hexadecimal, 32 digits: the stem of every id in the answer. */
  readonly id: string;
  readonly model: string;
  /** Unix seconds. */
  readonly created: number;
  /** The request, for answers that echo it or hang on its options. */
  readonly body: JsonObject;
}

/** One event of a stream before it is framed. */
export interface WireEvent {
  readonly event?: string;
  readonly data: string;
}

/** Joined text of the parts of a kind. */
export function textOf(script: Script, kind: ScriptPart['kind']): string {
  return script.parts.flatMap((part) => (part.kind === kind ? part.pieces : [])).join('');
}

export function callsOf(script: Script): readonly Extract<ScriptPart, { kind: 'call' }>[] {
  return script.parts.filter((part) => part.kind === 'call');
}

/** An id's tail: letters and digits that differ from index to index, `length` of them (at most 32). */
export function tail(stamp: Stamp, index: number, length: number): string {
  const turned = index.toString(16).padStart(2, '0') + stamp.id;
  return turned.slice(0, length);
}
