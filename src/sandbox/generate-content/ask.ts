/** A generateContent request as an `Ask`. The names of the request's fields must be in camelCase. */

import type { Model } from '../../catalog/model.ts';
import type { JsonObject } from '../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import type { Ask, AskedTool, PromptPiece, ToolResult } from '../ask.ts';
import { promptTokens } from '../caches.ts';

/**
 * @param body a request that the schema has accepted, with its names in camelCase
 * @param name the model as the request names it
 * @returns everything about the request that decides the answer
 */
export function askOfGemini(body: JsonObject, name: string, model: Model): Ask {
  const contents = asObjects(body['contents']);
  const config = asObject(body['generationConfig']) ?? {};
  const asked = contents.findLastIndex(speaks);
  const user = parseParts(contents[asked]);
  const spoken = contents.findLastIndex(({ role }) => role === 'model');
  const thinking = asObject(config['thinkingConfig']);
  return {
    model: name,
    said: parseText(user),
    told: parseText(parseParts(asObject(body['systemInstruction']))),
    attachments: attachmentsIn(user),
    results: contents.slice(spoken + 1).flatMap(resultsIn),
    // A streamed answer comes back as one content for each of its chunks.
    step: contents.filter((one, at) => at > asked && isModels(one) && !isModels(contents[at - 1])).length,
    tools: asObjects(body['tools']).flatMap((tool) =>
      asObjects(tool['functionDeclarations']).flatMap(parseTool),
    ),
    choice: parseChoice(asObject(asObject(body['toolConfig'])?.['functionCallingConfig'])),
    parallel: true,
    json: parseJsonFormat(config),
    thinks: model.thinking !== undefined && thinking !== undefined && thinking['thinkingBudget'] !== 0,
    shows: thinking?.['includeThoughts'] === true,
    limit: asNumber(config['maxOutputTokens']),
    stops: asList(config['stopSequences']).map(String),
    count: asNumber(config['candidateCount']) ?? 1,
    prompt: parsePrompt(body),
    cachesAll: true,
  };
}

/** @returns the tokens of a request as `countTokens` counts them */
export function tokensOfGemini(body: JsonObject): number {
  return promptTokens({ prompt: parsePrompt(body) });
}

/** @returns the parts of a content */
export function parseParts(content: JsonObject | undefined): readonly JsonObject[] {
  return asObjects(content?.['parts']);
}

/** @returns whether the user says something in a content. A content of results only continues what was said before. */
export function speaks(content: JsonObject): boolean {
  return (
    content['role'] !== 'model' && parseParts(content).some((part) => part['functionResponse'] === undefined)
  );
}

function isModels(content: JsonObject | undefined): boolean {
  return content?.['role'] === 'model';
}

function parseText(parts: readonly JsonObject[]): string {
  return parts.flatMap(({ text }) => (typeof text === 'string' ? [text] : [])).join('\n');
}

function resultsIn(content: JsonObject): readonly ToolResult[] {
  return parseParts(content).flatMap((part) => {
    const result = asObject(part['functionResponse']);
    if (result === undefined) return [];
    const text = resultText(asObject(result['response']));
    return [{ name: asText(result['name']), text, attachments: attachmentsIn(parseParts(result)) }];
  });
}

function attachmentsIn(parts: readonly JsonObject[]): readonly string[] {
  return parts.flatMap((part) => {
    const type = asText((asObject(part['inlineData']) ?? asObject(part['fileData']))?.['mimeType']);
    return type === undefined
      ? []
      : [type.startsWith('application/') ? 'document' : (type.split('/')[0] ?? type)];
  });
}

/** The only text of a response, or all of the response as JSON. */
function resultText(response: JsonObject | undefined): string {
  const values = Object.values(response ?? {});
  const [only] = values;
  return values.length === 1 && typeof only === 'string' ? only : JSON.stringify(response ?? {});
}

function parseTool(declaration: JsonObject): readonly AskedTool[] {
  const name = asText(declaration['name']);
  if (name === undefined) return [];
  const schema = asObject(declaration['parameters']) ?? asObject(declaration['parametersJsonSchema']);
  return [{ name, description: asText(declaration['description']) ?? '', schema }];
}

function parseChoice(config: JsonObject | undefined): Ask['choice'] {
  const mode = asText(config?.['mode'])?.toUpperCase();
  if (mode === 'NONE') return { mode: 'none' };
  const only = asList(config?.['allowedFunctionNames']).map(String);
  return { mode: mode === 'ANY' ? 'required' : 'auto', ...(only.length > 0 && { only }) };
}

function parseJsonFormat(config: JsonObject): Ask['json'] {
  const type = config['responseMimeType'];
  const bare = type === 'text/x.enum';
  if (type !== 'application/json' && !bare) return undefined;
  const schema = asObject(config['responseSchema']) ?? asObject(config['responseJsonSchema']);
  return schema === undefined ? {} : { schema, bare };
}

function parsePrompt(body: JsonObject): readonly PromptPiece[] {
  const tools = asList(body['tools']);
  return [
    { text: tools.length > 0 ? JSON.stringify(tools) : '' },
    ...[asObject(body['systemInstruction']), ...asObjects(body['contents'])].map((content) => ({
      text: parseParts(content).map(partText).join(''),
    })),
  ];
}

function partText(part: JsonObject): string {
  const { text, functionCall, functionResponse } = part;
  if (typeof text === 'string') return text;
  return functionCall === undefined && functionResponse === undefined
    ? ''
    : JSON.stringify(functionCall ?? functionResponse);
}
