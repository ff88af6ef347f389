/** Schemas for services that refuse some of them. */

import { withoutCycles } from '../../../conversation/rules/without-cycles.ts';
import { equalJson } from '../../../lib/equal-json.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { PromptPath } from '../../format.ts';
import { moonshotSchema } from './moonshot-schema.ts';
import type { RenderContext } from './render-context.ts';

/**
 * The schema as the service takes it. A change is reported for `field`.
 * @throws GatewayError `invalid-request` if the result would be too large.
 */
export function adaptSchema(
  schema: JsonObject,
  field: PromptPath,
  { dialect, report }: RenderContext,
): JsonObject {
  if (!dialect.cyclicSchemas) {
    const adapted = withoutCycles(schema);
    if (adapted !== schema)
      report(field, 'approximated', 'where the schema refers to itself, only the type is sent');
    return adapted;
  }
  if (!dialect.moonshotSchemas) return schema;
  const adapted = moonshotSchema(schema);
  if (equalJson(adapted, schema)) return schema;
  report(field, 'approximated', 'without the parts that Moonshot cannot express');
  return adapted;
}
