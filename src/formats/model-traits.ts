/** What a renderer must know about the model that a request goes to. */

import type { Avoidance } from '../conversation/rules/avoidance.ts';
import type { EffortTraits } from '../conversation/rules/effort.ts';

/** What a renderer must know about a model. It comes from the catalog. */
export interface ModelTraits {
  /** The model as the vendor calls it. */
  readonly model: string;
  readonly maxOutputTokens: number;
  /** The kinds of input that it reads. Absent: not known. */
  readonly input?: readonly string[] | undefined;
  /** How the model takes settings of thinking. Absent: it does not think, or this is not known. */
  readonly thinking?: ThinkingTraits | undefined;
  readonly thinkTags?: ThinkTags | undefined;
  /**
   * Whether it takes temperature, top_p, top_k and the like. OpenAI's reasoning models and the newest Claudes do not.
   */
  readonly sampling: boolean;
  /** False if it refuses a conversation that ends with the assistant (Gemini 3.6 and later). */
  readonly prefill?: boolean | undefined;
  /** False if it cannot be forced to call a tool (Claude Fable 5.1, Opus 5.5, Sonnet 5.5 and later). */
  readonly forcedTools?: boolean | undefined;
  /** Whether it takes a system message in the middle of a dialogue (Claude Opus 4.8 and later, except Sonnet 5). */
  readonly laterSystem?: boolean | undefined;
  /**
   * Which requests ask a vendor to cache, if it only caches when asked: all, or those of agents. Absent: none by
   * itself.
   */
  readonly caches?: 'always' | 'agents' | undefined;
  /** Whether the vendor enforces a JSON schema on the answers of this model. */
  readonly structuredOutput: boolean;
  /** How the service deviates within its format, e.g. `openai`, `mistral`, `vertex`; '' is the plain format. */
  readonly dialect: string;
  /** What the service has refused before. Absent: nothing. */
  readonly avoids?: ReadonlySet<Avoidance>;
}

/**
 * Whether a model's text begins with its thoughts, between `<think>` and `</think>`: its server does not separate them.
 * `closing`: the first tag may be missing.
 */
export type ThinkTags = boolean | 'closing';

/** How a model takes settings of thinking. */
export interface ThinkingTraits extends EffortTraits {
  /** `effort`: a word (OpenAI, Gemini 3+, Claude 4.6+); `budget`: tokens (Claude 4.5, Gemini 2.5). */
  readonly kinds: readonly ('effort' | 'budget')[];
  /** Whether it can be set to think only between calls of tools, not before it answers (Claude Sonnet 5.5). */
  readonly betweenTools?: boolean;
  /** Whether it thinks only if a request asks for it (GPT-5.1, 5.2 and 5.4). */
  readonly offByDefault?: boolean;
  /** Whether it takes temperature, top_p and log probabilities after all while it does not think (GPT-5.1 and later). */
  readonly samplingWhenOff?: boolean;
}
