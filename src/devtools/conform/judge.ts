/** Judges one answer: by the rules of its format, and by what it was asked. */

import { collect } from '../../conversation/collect.ts';
import type { FormatName, Prompt } from '../../conversation/prompt.ts';
import { outlinePrompt } from '../../conversation/prompt-outline.ts';
import type { ModelTraits } from '../../formats/format.ts';
import { formats } from '../../formats/formats.ts';
import { GatewayError } from '../../lib/errors.ts';
import { asObject, asText, isObject, tryParseJson } from '../../lib/json.ts';
import { RULEBOOKS, validateStream } from '../../protocol/validate.ts';
import type { Result, Violation } from '../../protocol/validator.ts';
import { decodeSse } from '../../streams/sse.ts';
import { fuse, run } from '../../streams/step.ts';
import type { ConformCase } from './cases.ts';
import type { ServiceAnswer } from './service.ts';

/** What is found in one answer. */
export interface Finding {
  readonly violations: readonly Violation[];
  readonly detail?: string;
  /** What the service says where it does not answer. */
  readonly refusal?: string;
}

/** Judges an answer by the rules of its format. */
export function judge(format: FormatName, { type, text }: ServiceAnswer, stream: boolean): Finding {
  const expected = stream ? 'text/event-stream' : 'application/json';
  if (type !== expected)
    return { violations: [], detail: `The answer is ${type || 'of no type'}, and not ${expected}.` };
  const result = stream
    ? validateStream(format, [new TextEncoder().encode(text)], { usageAsked: true })
    : judgeWhole(format, text);
  if (result === undefined) return { violations: [], detail: 'The answer is no JSON object.' };
  const { violations, failed } = result;
  return { violations, ...(failed && { detail: 'The answer is an error in a 200.' }) };
}

function judgeWhole(format: FormatName, text: string): Result | undefined {
  const body = tryParseJson(text);
  return isObject(body) ? RULEBOOKS[format].whole(body) : undefined;
}

/** The message of an error, as far as it is short; '' if there is none. */
export function messageIn({ text }: ServiceAnswer): string {
  const body = asObject(tryParseJson(text));
  return (asText(asObject(body?.['error'])?.['message']) ?? '').slice(0, 200);
}

/** Judges an error by the rules of its format. */
export function judgeError(format: FormatName, { status, text }: ServiceAnswer): Finding {
  const result = judgeWhole(format, text);
  if (result === undefined) return { violations: [], detail: `Status ${status} without a JSON object.` };
  if (!result.failed) return { violations: [], detail: `Status ${status} without an error of the format.` };
  return { violations: result.violations };
}

/** What is missing of a well-formed answer. */
export function findMissing(
  format: FormatName,
  prompt: Prompt,
  target: ModelTraits,
  asked: ConformCase,
  { text }: ServiceAnswer,
): string | undefined {
  const parser = formats[format].outbound.parseEvents(outlinePrompt(prompt), target);
  try {
    const events = prompt.stream
      ? run(fuse(decodeSse(), parser), [new TextEncoder().encode(text)])
      : run(parser, [{ data: text }]);
    const reply = collect(events);
    const [choice] = reply.choices;
    return choice === undefined ? 'The answer is empty.' : asked.missing(choice, reply);
  } catch (error) {
    if (error instanceof GatewayError) return error.message;
    throw error;
  }
}
