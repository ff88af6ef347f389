/** Validates streams and whole answers of every format by the format's rules. */

import type { FormatName } from '../conversation/prompt.ts';
import type { JsonObject } from '../lib/json.ts';
import { decodeSse, type Sse } from '../streams/sse.ts';
import type { Sink } from '../streams/step.ts';
import * as chat from './chat-completions/rules.ts';
import { chatCompletionsValidator } from './chat-completions/stream.ts';
import { checkWhole as checkCompletion } from './chat-completions/whole.ts';
import { checkWhole as checkAnswer } from './generate-content/answer.ts';
import * as google from './generate-content/rules.ts';
import { generateContentValidator } from './generate-content/stream.ts';
import * as messages from './messages/rules.ts';
import { messagesValidator } from './messages/stream.ts';
import { checkWhole as checkMessage } from './messages/whole.ts';
import * as responses from './responses/rules.ts';
import { responsesValidator } from './responses/stream.ts';
import { checkWhole as checkResponse } from './responses/whole.ts';
import {
  type Result,
  type RuleTable,
  type ValidateOptions,
  type Validator,
  violationLog,
} from './validator.ts';

/** The rules of one format, and their checkers. */
export interface Rulebook {
  /** A sentence for every rule. */
  readonly rules: RuleTable;
  /** The rules that `strict: false` leaves out, with the services that break them. */
  readonly excused: RuleTable;
  /** Makes a validator of one stream. */
  readonly stream: (options?: ValidateOptions) => Validator;
  /** Validates a whole answer. An error body of the format is valid. */
  readonly whole: (body: JsonObject, options?: ValidateOptions) => Result;
}

/** Reports what is wrong with a whole answer. @returns whether it is an error body. */
type CheckWhole = (
  body: JsonObject,
  report: (rule: string, detail: string) => void,
  options?: ValidateOptions,
) => boolean;

function rulebook(
  { rules, excused }: Pick<Rulebook, 'rules' | 'excused'>,
  stream: Rulebook['stream'],
  check: CheckWhole,
): Rulebook {
  return {
    rules,
    excused,
    stream,
    whole(body, options) {
      const log = violationLog(excused, options);
      const failed = check(body, (rule, detail) => log.report(rule, 0, detail), options);
      return { violations: log.all, failed };
    },
  };
}

/** The rulebook of each format. */
export const RULEBOOKS: Readonly<Record<FormatName, Rulebook>> = {
  'chat-completions': rulebook(chat, chatCompletionsValidator, checkCompletion),
  responses: rulebook(responses, responsesValidator, checkResponse),
  messages: rulebook(messages, messagesValidator, checkMessage),
  'generate-content': rulebook(google, generateContentValidator, checkAnswer),
};

/** A validator of one stream of `format`. */
export function validator(format: FormatName, options?: ValidateOptions): Validator {
  return RULEBOOKS[format].stream(options);
}

/** Validates a stream by its bytes, cut anywhere. @throws GatewayError if an event is longer than the gateway reads. */
export function validateStream(
  format: FormatName,
  bytes: Iterable<Uint8Array>,
  options?: ValidateOptions,
): Result {
  const checker = validator(format, options);
  const sink: Sink<Sse> = { enqueue: (event) => checker.add(event) };
  const decoder = decodeSse();
  for (const chunk of bytes) decoder.transform(chunk, sink);
  decoder.flush?.(sink);
  const violations = checker.end();
  return { violations, failed: checker.failed() };
}
