/**
 * Answers that are no objects. Google and Anthropic take a list as the root of an answer's schema, and a union, while
 * OpenAI takes only an object that is no union ("schema must be a JSON Schema of 'type: "object"', got 'type:
 * "array"'"). So for callers of other formats the answer is asked for as the one member of an object, and taken out
 * again. Services that would take any root write such an object just as well.
 */

import type { FormatName, Prompt } from '../../conversation/prompt.ts';
import type { ReplyEvent } from '../../conversation/reply.ts';
import { withoutRootReference } from '../../conversation/rules/root-reference.ts';
import { withoutRootUnion } from '../../conversation/rules/root-union.ts';
import { ANSWER, unwrapAnswer } from '../../conversation/unwrap-answer.ts';
import { type JsonObject, withoutFields } from '../../lib/json.ts';
import { fuse, type Step } from '../../streams/step.ts';
import type { ModelTraits, Report } from '../format.ts';
import { REFUSED_AT_ROOT } from './functions.ts';

/** Keywords of a whole document. References are looked up from where they stand. */
const OF_DOCUMENT = ['$schema', '$id', '$defs', 'definitions'];

/** A reference to a place that is another one in the object: to the root, or into it beside the definitions. */
const TO_ROOT = /"\$(?:r|dynamicR|recursiveR)ef":"#(?:"|\/(?!(?:\$defs|definitions)\/))/;

type Asked = Pick<Prompt, 'output' | 'formatSpecific'>;

/**
 * The prompt with an object around an answer that is not one. @param own the vendor's format, whose callers get what
 * they ask for.
 */
export function wrapAnswer(prompt: Prompt, target: ModelTraits, own: FormatName, report: Report): Prompt {
  const schema = wrappedSchema(prompt, target, own);
  if (schema === undefined || prompt.output?.kind !== 'json-schema') return prompt;
  report('output', 'approximated', 'asked for as an object with one member, whose value the gateway returns');
  return { ...prompt, output: { ...prompt.output, schema } };
}

/** A parser that emits such answers without the object; the parser itself if `wrapAnswer` leaves the prompt as it is. */
export function withBareAnswer<I>(
  parser: Step<I, ReplyEvent>,
  prompt: Asked,
  target: ModelTraits,
  own: FormatName,
): Step<I, ReplyEvent> {
  return wrappedSchema(prompt, target, own) ? fuse(parser, unwrapAnswer()) : parser;
}

/** The schema of the object; undefined if the answer needs none, or its schema refers to its own root. */
function wrappedSchema(
  { output, formatSpecific }: Asked,
  { avoids }: ModelTraits,
  own: FormatName,
): JsonObject | undefined {
  if (output?.kind !== 'json-schema' || formatSpecific?.format === own) return undefined;
  // The prompt no longer shows whose it is.
  if (avoids?.has('format-details')) return undefined;
  const schema = withoutRootReference(output.schema);
  const { type = 'object' } = schema;
  if (type === 'object' && withoutRootUnion(schema, REFUSED_AT_ROOT) === schema) return undefined;
  if (TO_ROOT.test(JSON.stringify(schema))) return undefined;
  return {
    type: 'object',
    properties: { [ANSWER]: withoutFields(schema, OF_DOCUMENT) },
    required: [ANSWER],
    additionalProperties: false,
    ...Object.fromEntries(Object.entries(schema).filter(([key]) => OF_DOCUMENT.includes(key))),
  };
}
