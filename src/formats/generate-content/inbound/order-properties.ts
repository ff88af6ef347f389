/**
 * The order of properties. Models write them in the order of the schema. Google's schemas may name another one in
 * `propertyOrdering`, which no other vendor knows (REST reference, `Schema` and `responseJsonSchema`).
 */

import { rewriteSchema } from '../../../conversation/rules/schema-places.ts';
import { asList, asObject, type JsonObject, withoutFields } from '../../../lib/json.ts';

/** The schema without `propertyOrdering`: the properties that it lists come first, in its order. */
export function orderProperties(schema: JsonObject): JsonObject {
  return rewriteSchema(schema, (each) => {
    const rest = withoutFields(each, ['propertyOrdering']);
    // Nearly every schema.
    if (rest === each) return each;
    const order = asList(each['propertyOrdering']);
    const properties = asObject(each['properties']);
    if (properties === undefined) return rest;
    const listed = order.flatMap((name) =>
      typeof name === 'string' && Object.hasOwn(properties, name) ? [[name, properties[name]] as const] : [],
    );
    return { ...rest, properties: { ...Object.fromEntries(listed), ...properties } };
  });
}
