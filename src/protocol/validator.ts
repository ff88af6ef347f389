/** What every validator takes and gives. A validator judges; it never changes, holds back or throws. */

import type { JsonObject } from '../lib/json.ts';
import type { Sse } from '../streams/sse.ts';

/** One breach of a format's rules. */
export interface Violation {
  /** A key of the format's rule table. */
  readonly rule: string;
  /** Which event broke it, from 0; the number of all events where the end of the stream did. 0 for a whole answer. */
  readonly index: number;
  readonly detail: string;
}

export interface Result {
  readonly violations: readonly Violation[];
  /** Whether it tells of a failure in the format's own way. That is well-formed, and no answer. */
  readonly failed: boolean;
}

/** Judges one stream, event by event, at constant cost an event. */
export interface Validator {
  add(event: Sse): void;
  /** Adds what is missing now that nothing more comes, and gives all violations in the order they were met. */
  end(): readonly Violation[];
  /** Whether the format's own error event has come. */
  failed(): boolean;
}

export interface ValidateOptions {
  /**
   * False for a service that speaks the format with its own accent: the rules in the format's `excused` table are
   * not applied. True, or absent, holds a stream to what the format's own vendor does.
   */
  readonly strict?: boolean;
  /** Whether the caller asked for usage in the stream (`stream_options.include_usage`); absent: nobody knows. */
  readonly usageAsked?: boolean;
  /**
   * Whether `tool_choice` named the one tool to call: OpenAI's chat-completions then finishes with `stop` all the
   * same. Absent: it did not.
   */
  readonly callForced?: boolean;
}

/** A sentence for every rule of a format, by its id. */
export type RuleTable = Readonly<Record<string, string>>;

/** After so many the rest is not written down: a stream that is wrong in every event should not fill the memory. */
const MAX_VIOLATIONS = 100;

export interface ViolationLog<R extends string> {
  readonly say: (rule: R, index: number, detail: string) => void;
  readonly all: readonly Violation[];
}

/** An empty log. @param excused rules that are not applied where `strict` is false. */
export function violationLog<R extends string>(
  excused: Partial<Readonly<Record<R, string>>>,
  { strict = true }: ValidateOptions = {},
): ViolationLog<R> {
  const all: Violation[] = [];
  return {
    all,
    say(rule, index, detail) {
      const counts = strict || excused[rule] === undefined;
      if (counts && all.length < MAX_VIOLATIONS) all.push({ rule, index, detail });
    },
  };
}

/** Judges one whole answer. @param check says what is wrong, and returns whether it is a failure told as one. */
export function judge<R extends string>(
  body: JsonObject,
  check: (body: JsonObject, say: (rule: R, detail: string) => void) => boolean,
  excused: Partial<Readonly<Record<R, string>>>,
  options?: ValidateOptions,
): Result {
  const log = violationLog<R>(excused, options);
  const failed = check(body, (rule, detail) => log.say(rule, 0, detail));
  return { violations: log.all, failed };
}
