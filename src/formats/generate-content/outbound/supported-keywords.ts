/**
 * JSON Schema for `parametersJsonSchema` and `responseJsonSchema`. They take any, except that only keywords that begin
 * with `$` may stand beside a `$ref`. Of the keywords that Gemini does not support, and then ignores, two can be said in
 * others: the `const` of a text, and an `allOf` of one (REST reference, GenerationConfig.responseJsonSchema).
 */

import { withoutRequiredLoops } from '../../../conversation/rules/required-loops.ts';
import { rewriteSchema } from '../../../conversation/rules/schema-places.ts';
import { isList, type JsonObject } from '../../../lib/json.ts';

/**
 * The same schema, in which a `$ref` with other keywords becomes the one choice of an `anyOf` beside them, and a text
 * that is `const` the one value of an `enum`. A loop of required references is opened.
 * @param report called with what a model may do otherwise because of a change
 */
export function inSupportedKeywords(schema: JsonObject, report: (detail: string) => void): JsonObject {
  const finite = withoutRequiredLoops(schema);
  if (finite !== schema) report('properties in which the schema holds itself are optional');
  return rewriteSchema(finite, (one) => isolateRef(replaceUnsupported(one)));
}

/** Keywords that would change their meaning beside an `anyOf`, or take its place. */
const ALTERNATIVES = ['anyOf', 'oneOf', '$ref'];

/** Callers tell the kinds of an object apart by a `const`, as zod and pydantic write it for a literal. */
function replaceUnsupported(schema: JsonObject): JsonObject {
  const { const: only, allOf } = schema;
  // An empty text in an `enum` is a 400 ("enum[0]: cannot be empty").
  const isValue = typeof only === 'string' && only !== '' && schema['enum'] === undefined;
  const isOne = isList(allOf) && allOf.length === 1 && ALTERNATIVES.every((key) => schema[key] === undefined);
  if (!isValue && !isOne) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([key, value]) => {
      if (isValue && key === 'const') return ['enum', [only]];
      return [isOne && key === 'allOf' ? 'anyOf' : key, value];
    }),
  );
}

function isolateRef(schema: JsonObject): JsonObject {
  // To take an object apart is a copy, and most schemas have no reference.
  if (typeof schema['$ref'] !== 'string') return schema;
  const { $ref, ...beside } = schema;
  if (typeof $ref !== 'string' || !Object.keys(beside).some((key) => !key.startsWith('$'))) return schema;
  // The reference and the choice must both hold, and the vendor has no word for that. The reference says more.
  if (beside['anyOf'] !== undefined)
    return Object.fromEntries(Object.entries(schema).filter(([key]) => key.startsWith('$')));
  return { ...beside, anyOf: [{ $ref }] };
}
