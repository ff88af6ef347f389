/** The contract of validators. A validator only reports: it never changes or holds back events, and never throws. */

import type { Sse } from '../streams/sse.ts';

/** One violation of a format's rules. */
export interface Violation {
  /** A key of the format's rule table. */
  readonly rule: string;
  /** The event that broke it, from 0; the number of events if the end of the stream broke it; 0 for a whole answer. */
  readonly index: number;
  readonly detail: string;
}

/** The result for one answer. */
export interface Result {
  readonly violations: readonly Violation[];
  /** Whether it reports a failure in the format's own way. Such a report is valid, but it is not an answer. */
  readonly failed: boolean;
}

/** Validates one stream, event by event. The cost of an event is constant. */
export interface Validator {
  /** Checks the next event. */
  add(event: Sse): void;
  /**
   * Checks what is missing at the end of the stream.
   * @returns all violations, in the order in which they were found.
   */
  end(): readonly Violation[];
  /** Whether the format's own error event has come. */
  failed(): boolean;
}

/** What is known about an answer beyond its text. */
export interface ValidateOptions {
  /**
   * False for a service that deviates from the format: the rules in the format's `excused` table are left out. True or
   * absent: an answer must be as the format's own vendor writes it.
   */
  readonly strict?: boolean;
  /** Whether the caller asked for usage in the stream (`stream_options.include_usage`). Absent: this is not known. */
  readonly usageAsked?: boolean;
  /**
   * Whether `tool_choice` named the one tool to call. OpenAI's chat-completions then finishes with `stop` despite the
   * call. Absent: it did not.
   */
  readonly callForced?: boolean;
}

/** A sentence for every rule of a format, by its id. */
export type RuleTable = Readonly<Record<string, string>>;

/** The most violations that are kept, so that a stream with an error in every event does not fill the memory. */
const MAX_VIOLATIONS = 100;

/** An empty log of the violations of one answer. @param excused rules that are left out if `strict` is false. */
export function violationLog(excused: RuleTable, { strict = true }: ValidateOptions = {}) {
  const all: Violation[] = [];
  return {
    all,
    report(rule: string, index: number, detail: string): void {
      const counts = strict || excused[rule] === undefined;
      if (counts && all.length < MAX_VIOLATIONS) all.push({ rule, index, detail });
    },
  };
}
