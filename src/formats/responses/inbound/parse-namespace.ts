/** Parses a namespace of tools. */

import type { CustomTool, FunctionTool, Tool } from '../../../conversation/prompt.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { flatTool } from '../../flat-tools.ts';
import type { ParseReport } from '../../format.ts';
import { objectsAt, requiredText, textAt, wrongValue } from '../../openai/fields.ts';
import { joinName } from '../wire/namespaces.ts';
import { keepRoundTrip } from '../wire/origin.ts';
import { parseCustom, parseFunction } from './parse-functions.ts';

/**
 * Parses the tools of a namespace. The first one has the description of the namespace before its own, and keeps the
 * whole namespace as the caller wrote it.
 * @throws GatewayError `invalid-request` for a namespace without a name, or a tool that is neither a function nor custom.
 */
export function parseNamespace(group: JsonObject, path: Place, report: ParseReport): readonly Tool[] {
  const namespace = requiredText(group['name'], fieldPlace(path, 'name'));
  const about = textAt(group['description'], fieldPlace(path, 'description'));
  const prefix = joinName({ namespace, name: '' });
  if (prefix !== '') report(String(path), 'approximated', `the names of its tools begin with ${prefix}`);
  return objectsAt(group['tools'], fieldPlace(path, 'tools')).map(([member, memberPath], at) => {
    const tool = parseMember(member, memberPath, report);
    const { name, description, formatSpecific } = tool;
    const descriptions = [...(at === 0 && about ? [`${prefix}*: ${about}`] : []), description ?? []].flat();
    const kept = { namespace: { namespace, name }, ...(at === 0 && { group }) };
    return {
      ...tool,
      name: joinName({ namespace, name }),
      ...(descriptions.length > 0 && { description: descriptions.join('\n\n') }),
      formatSpecific: keepRoundTrip(kept, formatSpecific),
    };
  });
}

function parseMember(given: JsonObject, path: Place, report: ParseReport): FunctionTool | CustomTool {
  const tool = flatTool(given);
  if (tool['type'] === 'function') return parseFunction(tool, path, report);
  if (tool['type'] === 'custom') return parseCustom(tool, path);
  throw wrongValue(fieldPlace(path, 'type'), tool['type'], ['function', 'custom']);
}
