/**
 * A caller's tools: function declarations, and tools that Google runs itself.
 * https://ai.google.dev/gemini-api/docs/function-calling
 */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { FunctionTool, HostedTool, Tool } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import { asObject, asText, type Json, type JsonObject } from '../../../lib/json.ts';
import { wordSet } from '../../../lib/words.ts';
import { repeatedObjects } from '../wire/protobuf-json.ts';
import { fromOpenApi, orderProperties } from './from-openapi.ts';
import { sortFields } from './sort-fields.ts';

/** Tools that Google runs itself. */
const HOSTED = wordSet(`
  googleSearch googleSearchRetrieval urlContext codeExecution fileSearch googleMaps computerUse mcpServers
  retrieval enterpriseWebSearch exaAiSearch parallelAiSearch
`);

const ENTRY_FIELDS: ReadonlySet<string> = new Set(['functionDeclarations']);
const DECLARATION_FIELDS = wordSet('name description parameters parametersJsonSchema');
const DECLARATION_OWN: ReadonlySet<string> = new Set(['response', 'responseJsonSchema', 'behavior']);

/**
 * The `tools` of a request. One entry may hold declarations and several of Google's own tools at once.
 * @throws GatewayError `invalid-request` for a declaration without a name.
 */
export function parseTools(value: Json | undefined): readonly Tool[] {
  return repeatedObjects(value).flatMap((entry, at): Tool[] => {
    const { known, own, extra } = sortFields(entry, ENTRY_FIELDS, HOSTED);
    return [
      ...repeatedObjects(known['functionDeclarations']).map((declaration, index) =>
        parseDeclaration(declaration, `tools[${at}].functionDeclarations[${index}]`),
      ),
      ...Object.entries({ ...own, ...extra }).map(([name, settings]): HostedTool => {
        const webSearch = name === 'googleSearch' || name === 'googleSearchRetrieval';
        return {
          kind: 'hosted',
          format: 'generate-content',
          value: Object.fromEntries([[name, settings ?? {}]]),
          ...(webSearch && { webSearch }),
        };
      }),
    ];
  });
}

function parseDeclaration(declaration: JsonObject, param: string): FunctionTool {
  const { known, own, extra } = sortFields(declaration, DECLARATION_FIELDS, DECLARATION_OWN);
  const name = asText(known['name']);
  if (!name) throw invalid(`${param}.name: Function name is required.`, `${param}.name`);
  const description = asText(known['description']);
  const subset = asObject(known['parameters']);
  const whole = asObject(known['parametersJsonSchema']);
  const parameters = whole ? orderProperties(whole) : subset && fromOpenApi(subset);
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
    ...withFormatSpecific('generate-content', own),
    ...withUnknownFields(extra),
  };
}
