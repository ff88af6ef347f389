/** Whether a service that has responses beside chat-completions knows everything in a request of this format. */

import { withoutCycles } from '../../../conversation/rules/without-cycles.ts';
import { asObject, asObjects, asText, type JsonObject } from '../../../lib/json.ts';
import { type Dialect, findDialect } from '../dialects.ts';

/** @see Outbound.isKnownElsewhere */
export function isKnownElsewhere(request: JsonObject, dialectName: string): boolean {
  const { tools, input } = request;
  const dialect = findDialect(dialectName);
  return (
    asObjects(tools).every((tool) => isKnownTool(tool, dialect)) &&
    !asObjects(input).some(({ type }) => dialect.unknownItems.has(asText(type) ?? '')) &&
    (dialect.toolChoices || (request['tool_choice'] ?? 'auto') === 'auto') &&
    (dialect.cyclicSchemas || !hasCycle(request))
  );
}

function isKnownTool({ type, name, tools }: JsonObject, dialect: Dialect): boolean {
  switch (type) {
    case 'custom':
      return dialect.customTools.has(asText(name) ?? '');
    case 'namespace':
      return dialect.namespaces && asObjects(tools).every((member) => member['type'] === 'function');
    case 'tool_search':
      return false;
    default:
      return true;
  }
}

/** Whether a schema of the tools or of the answer contains itself. */
function hasCycle({ tools, text }: JsonObject): boolean {
  const schemas = [
    ...asObjects(tools).map(({ parameters }) => parameters),
    asObject(asObject(text)?.['format'])?.['schema'],
  ];
  return schemas.some((given) => {
    const schema = asObject(given);
    return schema !== undefined && withoutCycles(schema) !== schema;
  });
}
