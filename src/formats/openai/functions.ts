/** Schemas of callers of other formats, changed to what OpenAI's two formats can express. Changes are reported. */

import type { FunctionTool } from '../../conversation/prompt.ts';
import {
  readableSchema,
  wholeParameters,
  withoutClosedProperties,
} from '../../conversation/rules/function-schema.ts';
import { withoutRootUnion } from '../../conversation/rules/root-union.ts';
import { fitsStrict, strictForm } from '../../conversation/rules/strict-schema.ts';
import { withoutCycles } from '../../conversation/rules/without-cycles.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { PromptPath, Report } from '../format.ts';

/** Keywords that, like unions, may not be at the root of a schema. */
export const REFUSED_AT_ROOT = ['enum', 'const', 'not'];

/**
 * The complete schema of a function's parameters, without patterns that are no regular expressions; undefined if the
 * function has none.
 * @param taken what the service takes: a root that is a union of objects, which are merged otherwise, and a boolean
 *   `additionalProperties` of a property with the name `properties`.
 */
export function renderFunctionParameters(
  { name, parameters, strict }: FunctionTool,
  taken: { readonly rootUnions: boolean; readonly closedProperties: boolean },
  report: Report,
): JsonObject | undefined {
  if (parameters === undefined) return undefined;
  const field = `tools[${name}].parameters` as const;
  const schema = taken.rootUnions ? parameters : withoutRootUnion(parameters, REFUSED_AT_ROOT);
  if (schema !== parameters)
    report(field, 'approximated', 'alternatives at the root of the schema merged into one object');
  const whole = wholeParameters(schema, (pattern) =>
    report(field, 'approximated', `without the pattern ${pattern}`),
  );
  const rendered = strict && fitsStrict(parameters) ? strictForm(whole) : whole;
  return taken.closedProperties ? rendered : withoutClosedProperties(rendered);
}

/**
 * The schema of an answer in the newest draft of JSON Schema, without patterns that are no regular expressions.
 * @param strict whether it is to be enforced
 */
export function renderOutputSchema(schema: JsonObject, strict: boolean, report: Report): JsonObject {
  const readable = readableSchema(schema, (pattern) =>
    report('output', 'approximated', `without the pattern ${pattern}`),
  );
  return strict ? strictForm(readable) : readable;
}

/** The schema, in which references back to itself are replaced by the type of their target, which is reported. */
export function cutCycles(schema: JsonObject, field: PromptPath, report: Report): JsonObject {
  const cut = withoutCycles(schema);
  if (cut !== schema)
    report(field, 'approximated', 'where the schema contains itself, only its type is sent');
  return cut;
}

/** Whether OpenAI can enforce a schema. If it cannot, that is reported for `field`. */
export function canEnforce(schema: JsonObject | undefined, field: PromptPath, report: Report): boolean {
  if (fitsStrict(schema)) return true;
  const detail =
    'not enforced: OpenAI enforces closed objects of its subset only, all of whose properties are required';
  report(field, 'approximated', detail);
  return false;
}
