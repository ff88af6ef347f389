/** Parts of a request as OpenAI repeats them in the response: with all fields, however few the request has. */

import { fitsStrict } from '../../conversation/rules/strict-schema.ts';
import { asObject, asObjects, type Json, type JsonObject } from '../../lib/json.ts';

/** The tools. Without `strict`, OpenAI tries strict mode, and says whether the schema allows it. */
export function repeatTools(tools: Json | undefined): readonly JsonObject[] {
  return asObjects(tools).map((tool) => {
    if (tool['type'] === 'namespace') return { ...tool, tools: repeatTools(tool['tools']) };
    if (tool['type'] !== 'function') return tool;
    const { description = null, parameters = null, strict } = tool;
    return { ...tool, description, parameters, strict: strict ?? fitsStrict(asObject(parameters)) };
  });
}

/** The form of the answer. */
export function repeatFormat(format: Json | undefined): JsonObject {
  const asked = asObject(format) ?? { type: 'text' };
  if (asked['type'] !== 'json_schema') return asked;
  const { description = null, strict } = asked;
  return { ...asked, description, strict: strict ?? false };
}
