/** Parses functions and custom tools. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { CustomTool, FunctionTool } from '../../../conversation/prompt.ts';
import { fitsStrict } from '../../../conversation/rules/strict-schema.ts';
import { compact, type JsonObject, otherFields, splitFields, withoutNulls } from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { wordSet } from '../../../lib/words.ts';
import type { ParseReport } from '../../format.ts';
import { flagAt, objectAt, requiredText, textAt } from '../../openai/fields.ts';
import { splitBreakpoint } from './parse-cache-breakpoint.ts';

/** Fields of a function or a custom tool that only OpenAI understands. */
const OPENAI_FIELDS = wordSet('allowed_callers async defer_loading output_schema');

const FUNCTION_FIELDS: ReadonlySet<string> = new Set(['type', 'name', 'description', 'parameters', 'strict']);

/** Parses a function. @throws GatewayError `invalid-request` for a missing name, or a field of a wrong type */
export function parseFunction(tool: JsonObject, path: Place, report: ParseReport): FunctionTool {
  const { name, description, parameters, strict } = tool;
  const schema = objectAt(parameters, fieldPlace(path, 'parameters'));
  // OpenAI tries `strict` if it is left out.
  const strictness = flagAt(strict, fieldPlace(path, 'strict')) ?? (fitsStrict(schema) || undefined);
  if (strictness === undefined) {
    const detail = 'strict by default, but the schema does not meet the rules: sent without strict';
    report(`${path}.strict`, 'approximated', detail);
  }
  const { cacheBreakpoint, rest: others } = splitBreakpoint(otherFields(tool, FUNCTION_FIELDS));
  const [own, unknown] = splitFields(others, OPENAI_FIELDS);
  return {
    kind: 'function',
    name: requiredText(name, fieldPlace(path, 'name')),
    ...compact({
      description: textAt(description, fieldPlace(path, 'description')),
      parameters: schema,
      strict: strictness,
    }),
    ...(cacheBreakpoint && { cacheBreakpoint }),
    // Kept even without a field: it shows this format that an absent `strict` is to be left to OpenAI.
    formatSpecific: { format: 'responses', fields: withoutNulls(own) },
    ...withUnknownFields(unknown),
  };
}

/** Parses a custom tool. @throws GatewayError `invalid-request` for a missing name, or a field of a wrong type */
export function parseCustom(tool: JsonObject, path: Place): CustomTool {
  const { type: _, name, description, format, ...rest } = tool;
  const [own, unknown] = splitFields(rest, OPENAI_FIELDS);
  return {
    kind: 'custom',
    name: requiredText(name, fieldPlace(path, 'name')),
    ...compact({
      description: textAt(description, fieldPlace(path, 'description')),
      format: objectAt(format, fieldPlace(path, 'format')),
    }),
    ...withFormatSpecific('responses', withoutNulls(own)),
    ...withUnknownFields(unknown),
  };
}
