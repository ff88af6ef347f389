/** Schemas in the words of another format as OpenAI's two formats can say them, with what that leaves out. */

import type { FunctionTool } from '../../conversation/prompt.ts';
import { readableSchema, wholeParameters } from '../../conversation/rules/function-schema.ts';
import { withoutRootUnion } from '../../conversation/rules/root-union.ts';
import { fitsStrict } from '../../conversation/rules/strict-schema.ts';
import type { JsonObject } from '../../lib/json.ts';
import type { PromptPath, Report } from '../format.ts';

/** What may not stand at the root of a schema beside unions. */
const REFUSED_AT_ROOT = ['enum', 'const', 'not'];

/**
 * The schema of its parameters with nothing missing, and no pattern that cannot be read.
 * @param takesUnions whether its root may be one of several objects.
 */
export function parametersOf(
  { name, parameters }: FunctionTool,
  takesUnions: boolean,
  report: Report,
): JsonObject | undefined {
  if (parameters === undefined) return undefined;
  const field = `tools[${name}].parameters` as const;
  const schema = takesUnions ? parameters : withoutRootUnion(parameters, REFUSED_AT_ROOT);
  if (schema !== parameters)
    report(field, 'approximated', 'alternatives at the root of the schema merged into one object');
  return wholeParameters(schema, (pattern) =>
    report(field, 'approximated', `without the pattern ${pattern}`),
  );
}

/** The schema of an answer in the words of the newest draft, without patterns that cannot be read. */
export function outputSchemaOf(schema: JsonObject, report: Report): JsonObject {
  return readableSchema(schema, (pattern) =>
    report('output', 'approximated', `without the pattern ${pattern}`),
  );
}

/** Whether a schema that is asked to be enforced can be: where it cannot, that is reported of `field`. */
export function canEnforce(schema: JsonObject | undefined, field: PromptPath, report: Report): boolean {
  if (fitsStrict(schema)) return true;
  const detail =
    'not enforced: OpenAI enforces closed objects of its subset only, all of whose properties are required';
  report(field, 'approximated', detail);
  return false;
}
