/** Schemas as a service takes them that refuses some. */

import { withoutCycles } from '../../../conversation/rules/without-cycles.ts';
import { equalJson } from '../../../lib/equal-json.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { PromptPath } from '../../format.ts';
import { moonshotSchema } from './moonshot-schema.ts';
import type { RenderContext } from './render-context.ts';

/**
 * The schema as the service takes it, with a report of `field` where that is another one.
 * @throws GatewayError `invalid-request` where it is too large to be written so.
 */
export function adaptSchema(
  schema: JsonObject,
  field: PromptPath,
  { dialect, report }: RenderContext,
): JsonObject {
  if (!dialect.cyclicSchemas) {
    const served = withoutCycles(schema);
    if (served !== schema) report(field, 'approximated', 'where it holds itself, its type is told alone');
    return served;
  }
  if (!dialect.moonshotSchemas) return schema;
  const served = moonshotSchema(schema);
  if (equalJson(served, schema)) return schema;
  report(field, 'approximated', 'as much of it as Moonshot has words for');
  return served;
}
