/** A responses request as an `Ask`. */

import type { Json, JsonObject } from '../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import type { Ask, AskedTool, ToolResult } from '../ask.ts';
import { parseChoice, parseJsonFormat, parseText } from '../chat-completions/ask.ts';

/**
 * @param body a request that the schema has accepted
 * @param items the input, preceded by everything before it if it continues a stored response
 * @param name the model as the request names it
 * @returns everything about the request that decides the answer
 */
export function askOfResponses(body: JsonObject, items: readonly JsonObject[], name: string): Ask {
  const spoken = items.findLastIndex(isModels);
  const asked = items.findLastIndex((item) => item['role'] === 'user');
  const user = items[asked];
  const format = asObject(asObject(body['text'])?.['format']);
  const reasoning = asObject(body['reasoning']);
  return {
    model: name,
    said: parseText(user?.['content']),
    told: [
      asText(body['instructions']) ?? '',
      ...items
        .filter(({ role }) => role === 'system' || role === 'developer')
        .map(({ content }) => parseText(content)),
    ].join('\n'),
    attachments: attachmentsIn(user?.['content']),
    results: items
      .slice(spoken + 1)
      .filter(({ type }) => type === 'function_call_output' || type === 'custom_tool_call_output')
      .map((item) => parseResult(item, items)),
    // What the model says at one time is several successive items.
    step: items.filter((item, at) => at > asked && isModels(item) && !isModels(items[at - 1] ?? {})).length,
    tools: [...asObjects(body['tools']), ...items.flatMap(broughtBy)].flatMap((tool) => parseTool(tool)),
    choice: parseChoice(body['tool_choice']),
    parallel: body['parallel_tool_calls'] !== false,
    json: parseJsonFormat(format, format),
    thinks: reasoning !== undefined && reasoning['effort'] !== 'none',
    shows: true,
    limit: asNumber(body['max_output_tokens']),
    stops: [],
    count: 1,
    prompt: [
      { text: asList(body['tools']).length > 0 ? JSON.stringify(body['tools']) : '' },
      { text: asText(body['instructions']) ?? '' },
      ...items.map((item) => ({
        text: parseText(item['content']) + parseText(item['output']) + saidIn(item),
      })),
    ],
    cachesAll: true,
  };
}

/** @returns the input as items; a bare text is a message of the user */
export function parseItems(input: Json | undefined): readonly JsonObject[] {
  if (typeof input === 'string') return [{ type: 'message', role: 'user', content: input }];
  return asObjects(input);
}

/** Whether the model made the item. */
function isModels({ role, type }: JsonObject): boolean {
  return (
    role === 'assistant' || type === 'function_call' || type === 'custom_tool_call' || type === 'reasoning'
  );
}

function saidIn(item: JsonObject): string {
  return (asText(item['arguments']) ?? '') + (asText(item['input']) ?? '');
}

function parseResult(item: JsonObject, items: readonly JsonObject[]): ToolResult {
  const call = items.findLast((other) => other['call_id'] === item['call_id'] && other['name'] !== undefined);
  const { output } = item;
  return { name: asText(call?.['name']), text: parseText(output), attachments: attachmentsIn(output) };
}

function attachmentsIn(content: Json | undefined): readonly string[] {
  return asObjects(content).flatMap(({ type }) =>
    type === 'input_image' ? ['image'] : type === 'input_file' ? ['document'] : [],
  );
}

/** Tools that an item of the input adds. */
function broughtBy({ type, tools }: JsonObject): readonly JsonObject[] {
  return type === 'additional_tools' || type === 'tool_search_output' ? asObjects(tools) : [];
}

/** @param namespace the namespace of the tool; OpenAI calls the absence of one `functions` */
function parseTool(tool: JsonObject, namespace?: string): readonly AskedTool[] {
  const { type } = tool;
  const name = asText(tool['name']);
  if (name !== undefined && type === 'namespace') {
    return asObjects(tool['tools']).flatMap((member) =>
      parseTool(member, name === 'functions' ? undefined : name),
    );
  }
  if (name === undefined || (type !== 'function' && type !== 'custom')) return [];
  return [
    {
      name: namespace === undefined ? name : `${namespace}__${name}`,
      within: namespace === undefined ? undefined : { namespace, name },
      description: asText(tool['description']) ?? '',
      schema: asObject(tool['parameters']),
      custom: type === 'custom',
    },
  ];
}
