/**
 * What is answered, in nobody's words, as it comes. A whole answer is the same events, all at once, and a Reply is
 * their fold (`collect.ts`).
 *
 * Order, which every `parseEvents` keeps and every `renderEvents` may rely on:
 *   reply-start, then per choice (part-start part-delta* part-end)* with `index` 0, 1, 2 … and no two parts of one
 *   choice open at once, then choice-end; after all choices, reply-end. `usage` may come anywhere before reply-end,
 *   even first. Parts of different choices may interleave. Nothing comes after reply-end. A vendor's error event is
 *   thrown, not emitted, and so is an end without the format's terminal event.
 */

import type { JsonObject } from '../lib/json.ts';
import type { Citation, FormatName, FormatSpecific, Part, Signature } from './prompt.ts';

/** Why it stopped. `malformed-call` is no success; `other` is a reason nobody here knows. */
export type Finish =
  | 'stop'
  | 'stop-sequence'
  | 'length'
  | 'context-length'
  | 'tool-calls'
  | 'content-filter'
  | 'refusal'
  | 'pause'
  | 'malformed-call'
  | 'other';

/**
 * Tokens. `input` is all input, cached or not; `output` is all output, reasoning included: a format that counts
 * otherwise adds or subtracts at its own door. A field is absent where the vendor said nothing of it.
 */
export interface Usage {
  readonly input?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** The part of `cacheWrite` that is kept for an hour (Anthropic) or twelve (OpenAI), which has a price of its own. */
  readonly cacheWriteHour?: number;
  readonly output?: number;
  readonly reasoning?: number;
  readonly formatSpecific?: FormatSpecific;
}

/** One token and its log probability, as chat-completions writes it: the other formats have no more. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null;
  readonly top?: readonly TokenLogprob[];
}

export interface ReplyStart {
  readonly type: 'reply-start';
  /** The vendor's id of the answer; '' where it gave none. */
  readonly id: string;
  /** The model as the vendor names it; '' where it did not. */
  readonly model: string;
  /** Unix seconds, where the vendor tells. */
  readonly created?: number;
  readonly serviceTier?: string;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** What a part is before anything of it has come. */
export type OpenPart =
  | { readonly kind: 'text' }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'tool-call'; readonly id: string; readonly name: string; readonly custom?: boolean }
  /** Whole at once: no deltas follow. */
  | { readonly kind: 'opaque'; readonly format: FormatName; readonly value: JsonObject };

export interface PartStart {
  readonly type: 'part-start';
  readonly choice: number;
  readonly index: number;
  readonly part: OpenPart;
  /** Where it is known at once (a Gemini call comes whole); else it comes as a part-detail. */
  readonly signature?: Signature;
  readonly formatSpecific?: FormatSpecific;
}

/** A piece of a part's text: visible text, thought, refusal, or JSON text of a call's arguments. Never empty. */
export interface PartDelta {
  readonly type: 'part-delta';
  readonly choice: number;
  readonly index: number;
  readonly text: string;
}

/** Something about the open part that is not its text. */
export interface PartDetail {
  readonly type: 'part-detail';
  readonly choice: number;
  readonly index: number;
  readonly signature?: Signature;
  readonly redacted?: Signature;
  readonly citation?: Citation;
}

export interface PartEnd {
  readonly type: 'part-end';
  readonly choice: number;
  readonly index: number;
}

export interface LogprobsEvent {
  readonly type: 'logprobs';
  readonly choice: number;
  readonly tokens: readonly TokenLogprob[];
}

export interface ChoiceEnd {
  readonly type: 'choice-end';
  readonly choice: number;
  readonly finish: Finish;
  /** Which stop sequence ended it. */
  readonly stopSequence?: string;
  /** The vendor's own word for the end, e.g. `MALFORMED_FUNCTION_CALL`. */
  readonly native?: string;
  /** The vendor's sentence about the end. */
  readonly explanation?: string;
  /** Known fields of one format about this choice (grounding, safety ratings, ...): additional fields elsewhere. */
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** Usage as known so far. Later figures replace earlier ones, field by field; they never add up. */
export interface UsageEvent {
  readonly type: 'usage';
  readonly usage: Usage;
}

export interface ReplyEnd {
  readonly type: 'reply-end';
  /** What served the answer, where that is told only now, or otherwise than at its start. */
  readonly serviceTier?: string;
}

export type ReplyEvent =
  | ReplyStart
  | PartStart
  | PartDelta
  | PartDetail
  | PartEnd
  | LogprobsEvent
  | ChoiceEnd
  | UsageEvent
  | ReplyEnd;

/** One answer of a reply, whole. */
export interface Choice {
  readonly parts: readonly Part[];
  readonly end: Omit<ChoiceEnd, 'type' | 'choice'>;
  readonly logprobs?: readonly TokenLogprob[];
}

/** A whole answer. */
export interface Reply {
  readonly start: Omit<ReplyStart, 'type'>;
  readonly choices: readonly Choice[];
  readonly usage: Usage;
}

/** The end of a choice without the choice. */
export function endOf({ type: _type, choice: _choice, ...end }: ChoiceEnd): Choice['end'] {
  return end;
}

/** The start of an answer as its end has it. */
export function startAt({ serviceTier }: ReplyEnd, start: Reply['start']): Reply['start'] {
  return serviceTier === undefined ? start : { ...start, serviceTier };
}

/** Usage with later figures over earlier ones. */
export function mergeUsage(earlier: Usage, later: Usage): Usage {
  return { ...earlier, ...later };
}
