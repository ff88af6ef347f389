/** Schemas for services that refuse some of them. */

import { equalJson } from '../../../lib/equal-json.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { PromptPath } from '../../format.ts';
import { cutCycles } from '../../openai/functions.ts';
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
  if (!dialect.cyclicSchemas) return cutCycles(schema, field, report);
  if (!dialect.moonshotSchemas) return schema;
  const adapted = moonshotSchema(schema);
  if (equalJson(adapted, schema)) return schema;
  report(field, 'approximated', 'without the parts that Moonshot cannot express');
  return adapted;
}
