/**
 * What is answered, in neutral words, as it comes. A whole answer is the same events, all at once, and a Reply is their
 * fold (`collect.ts`).
 *
 * Every `parseEvents` keeps this order, and every `renderEvents` may rely on it:
 *   reply-start; for each choice (part-start part-delta* part-end)* with `index` 0, 1, 2 …, where no two parts of one
 *   choice are open at once, then choice-end; after all choices, reply-end. `usage` may come anywhere before reply-end,
 *   even first. Parts of different choices may interleave. A part-detail is of the open part; only a citation may
 *   come when its text has ended, before choice-end and while no other text is open. Nothing comes after reply-end. A
 *   vendor's error event is thrown and not emitted; so is an end without the format's terminal event.
 */

import type { JsonObject } from '../lib/json.ts';
import type {
  Citation,
  FormatSpecific,
  MediaPart,
  OpaquePart,
  Part,
  Signature,
  ToolResultPart,
} from './prompt.ts';

/** Why an answer stopped. `malformed-call` is a failure, and `other` a reason that the gateway does not know. */
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

/** Tokens of each kind of medium. Absent: none, or not reported. */
export interface MediaTokens {
  readonly audio?: number;
  readonly image?: number;
  readonly video?: number;
}

/**
 * Counts of tokens. `input` is all input, cached or not; `output` is all output, including reasoning. A format that
 * counts differently converts its figures. A field is absent if the vendor has not reported it.
 */
export interface Usage {
  readonly input?: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
  /** The part of `cacheWrite` that lives for an hour (Anthropic) or twelve (OpenAI), and has a price of its own. */
  readonly cacheWriteHour?: number;
  readonly output?: number;
  readonly reasoning?: number;
  /** The parts of `input` and of `output` that are no text, if the vendor reports any. */
  readonly inputMedia?: MediaTokens;
  readonly outputMedia?: MediaTokens;
  readonly formatSpecific?: FormatSpecific;
}

/** One token and its log probability, as in chat-completions; the other formats tell no more. */
export interface TokenLogprob {
  readonly token: string;
  readonly logprob: number;
  readonly bytes?: readonly number[] | null;
  readonly top?: readonly TokenLogprob[];
}

/** The answer begins. */
export interface ReplyStart {
  readonly type: 'reply-start';
  /** The vendor's id of the answer; '' if it gave none. */
  readonly id: string;
  /** The model as the vendor names it; '' if it did not. */
  readonly model: string;
  /** Unix seconds; absent if the vendor does not tell. */
  readonly created?: number;
  readonly serviceTier?: string;
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** A part before any of its content has come. */
export type OpenPart =
  | { readonly kind: 'text' }
  | { readonly kind: 'refusal' }
  | { readonly kind: 'thinking' }
  | { readonly kind: 'tool-call'; readonly id: string; readonly name: string; readonly custom?: boolean }
  /** Comes whole: no deltas follow. */
  | Pick<OpaquePart, 'kind' | 'format' | 'value' | 'image' | 'searches'>;

/** A part begins. */
export interface PartStart {
  readonly type: 'part-start';
  readonly choice: number;
  readonly index: number;
  readonly part: OpenPart;
  /** Present if it is known at once, as with a call from Gemini; else it comes as a part-detail. */
  readonly signature?: Signature;
  /** Whether a signature of a text may come at its end, as from Gemini 3. */
  readonly mayBeSigned?: boolean;
  readonly formatSpecific?: FormatSpecific;
}

/** A piece of a part's text: visible text, a thought, a refusal, or JSON text of a call's arguments. Never empty. */
export interface PartDelta {
  readonly type: 'part-delta';
  readonly choice: number;
  readonly index: number;
  readonly text: string;
}

/** Something about a part that is not its text. */
export interface PartDetail {
  readonly type: 'part-detail';
  readonly choice: number;
  readonly index: number;
  readonly signature?: Signature;
  readonly redacted?: Signature;
  readonly citation?: Citation;
}

/** The open part of a choice ends. */
export interface PartEnd {
  readonly type: 'part-end';
  readonly choice: number;
  readonly index: number;
}

/** The next tokens of a choice, with their log probabilities. */
export interface LogprobsEvent {
  readonly type: 'logprobs';
  readonly choice: number;
  readonly tokens: readonly TokenLogprob[];
}

/** A choice ends. */
export interface ChoiceEnd {
  readonly type: 'choice-end';
  readonly choice: number;
  readonly finish: Finish;
  /** The stop sequence that ended it. */
  readonly stopSequence?: string;
  /** The vendor's own word for the end, e.g. `MALFORMED_FUNCTION_CALL`. */
  readonly native?: string;
  /** The vendor's sentence about the end. */
  readonly explanation?: string;
  /** What was searched for in the web, if the vendor tells it only at the end. */
  readonly searches?: readonly string[];
  /** Fields of one format about this choice (grounding, safety ratings, ...). Other formats add them as they are. */
  readonly formatSpecific?: FormatSpecific;
  readonly unknownFields?: JsonObject;
}

/** Usage so far. Later figures replace earlier ones, field by field; they never add up. */
export interface UsageEvent {
  readonly type: 'usage';
  readonly usage: Usage;
}

/** The answer ends. */
export interface ReplyEnd {
  readonly type: 'reply-end';
  /** The tier that served the answer, if the vendor names it only at the end, or names another than at the start. */
  readonly serviceTier?: string;
}

/** An event of an answer. */
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

/** A whole part of an answer. */
export type ReplyPart = Exclude<Part, MediaPart | ToolResultPart>;

/** One choice of a reply, whole. */
export interface Choice {
  readonly parts: readonly ReplyPart[];
  readonly end: Omit<ChoiceEnd, 'type' | 'choice'>;
  readonly logprobs?: readonly TokenLogprob[];
}

/** A whole answer. */
export interface Reply {
  readonly start: ReplyStart;
  readonly choices: readonly Choice[];
  readonly usage: Usage;
}

/** The end of a choice without the choice. */
export function getChoiceEnd({ type: _type, choice: _choice, ...end }: ChoiceEnd): Choice['end'] {
  return end;
}

/** The start of an answer whose vendor has not named it. */
export const UNNAMED: ReplyStart = { type: 'reply-start', id: '', model: '' };

/** The start of an answer, with what its end adds. */
export function mergeStart({ serviceTier }: ReplyEnd, start: ReplyStart): ReplyStart {
  return serviceTier === undefined ? start : { ...start, serviceTier };
}

/** Usage with later figures over earlier ones. */
export function mergeUsage(earlier: Usage, later: Usage): Usage {
  return { ...earlier, ...later };
}
