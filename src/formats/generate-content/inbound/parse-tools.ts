/**
 * A caller's tools, function declarations and those that Google runs itself, and how to choose among them.
 * https://ai.google.dev/gemini-api/docs/function-calling
 */

import { formatSpecificOf, unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { FunctionTool, HostedTool, Tool, ToolChoice } from '../../../conversation/prompt.ts';
import { invalid } from '../../../lib/errors.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { asList, asObject, asObjects, asText, isEmpty, isObject } from '../../../lib/json.ts';
import { FORMAT, listOf, sortFields } from '../wire/wire.ts';
import { fromOpenApi } from './from-openapi.ts';

const HOSTED = [
  'googleSearch',
  'googleSearchRetrieval',
  'urlContext',
  'codeExecution',
  'fileSearch',
  'googleMaps',
  'computerUse',
  'mcpServers',
  'retrieval',
  'enterpriseWebSearch',
  'exaAiSearch',
  'parallelAiSearch',
];

/** The tools of a request. One entry may hold declarations and several of Google's own tools at once. */
export function parseTools(value: Json | undefined): readonly Tool[] {
  return asObjects(listOf(value)).flatMap((entry, at): Tool[] => {
    const { known, own, extra } = sortFields(entry, ['functionDeclarations'], HOSTED);
    return [
      ...asObjects(listOf(known['functionDeclarations'])).map((declaration, index) =>
        parseDeclaration(declaration, `tools[${at}].functionDeclarations[${index}]`),
      ),
      ...Object.entries({ ...own, ...extra }).map(([name, settings]): HostedTool => {
        const webSearch = name === 'googleSearch' || name === 'googleSearchRetrieval';
        return {
          kind: 'hosted',
          format: FORMAT,
          value: Object.fromEntries([[name, settings ?? {}]]),
          ...(webSearch && { webSearch }),
        };
      }),
    ];
  });
}

function parseDeclaration(declaration: JsonObject, param: string): FunctionTool {
  const { known, own, extra } = sortFields(
    declaration,
    ['name', 'description', 'parameters', 'parametersJsonSchema'],
    ['response', 'responseJsonSchema', 'behavior'],
  );
  const name = asText(known['name']);
  if (!name) throw invalid(`${param}.name: Function name is required.`, `${param}.name`);
  const description = asText(known['description']);
  const subset = asObject(known['parameters']);
  const parameters = asObject(known['parametersJsonSchema']) ?? (subset && fromOpenApi(subset));
  return {
    kind: 'function',
    name,
    ...(description !== undefined && { description }),
    ...(parameters && { parameters }),
    ...formatSpecificOf(FORMAT, own),
    ...unknownFieldsOf(extra),
  };
}

/** Which tools may be called; `validated` is Google's 'call or answer, but keep to the schemas': strict tools. */
export interface Choosing {
  readonly choice?: ToolChoice;
  readonly validated: boolean;
  /** What of `toolConfig` means something to Google alone. */
  readonly own: JsonObject;
}

/** Words of `functionCallingConfig.mode`. Left unsaid, it is AUTO (REST reference, FunctionCallingConfig.Mode). */
const MODES: ReadonlyMap<string, ToolChoice['mode']> = new Map([
  ['MODE_UNSPECIFIED', 'auto'],
  ['AUTO', 'auto'],
  ['VALIDATED', 'auto'],
  ['ANY', 'required'],
  ['NONE', 'none'],
]);

/** @throws GatewayError `invalid-request` for a mode nobody knows. */
export function parseToolConfig(value: Json | undefined): Choosing {
  if (!isObject(value)) return { validated: false, own: {} };
  const { known, own, extra } = sortFields(value, ['functionCallingConfig']);
  const calling = sortFields(asObject(known['functionCallingConfig']) ?? {}, [
    'mode',
    'allowedFunctionNames',
  ]);
  const rest = {
    ...own,
    ...extra,
    ...(!isEmpty(calling.extra) && { functionCallingConfig: calling.extra }),
  };
  const word = asText(calling.known['mode'])?.toUpperCase() ?? 'MODE_UNSPECIFIED';
  const mode = MODES.get(word);
  if (mode === undefined) {
    throw invalid(
      `Invalid value at 'tool_config.function_calling_config.mode': "${word.slice(0, 40)}"`,
      'toolConfig.functionCallingConfig.mode',
    );
  }
  const allowed = asList(calling.known['allowedFunctionNames']).filter((name) => typeof name === 'string');
  const isNarrowed = mode !== 'none' && allowed.length > 0;
  const isSaid = word !== 'MODE_UNSPECIFIED' || isNarrowed;
  return {
    validated: word === 'VALIDATED',
    own: rest,
    ...(isSaid && { choice: { mode, ...(isNarrowed && { allowed }) } }),
  };
}
