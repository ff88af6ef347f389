/** A messages request as an `Ask`. */

import type { Model } from '../../catalog/model.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import type { Ask, AskedTool, PromptPiece, ToolResult } from '../ask.ts';
import { promptTokens } from '../caches.ts';

/**
 * @param body a request that the schema has accepted
 * @param name the model as the request names it
 * @returns everything about the request that decides the answer
 */
export function askOfMessages(body: JsonObject, name: string, model: Model): Ask {
  const messages = asObjects(body['messages']);
  const asked = messages.findLastIndex(speaks);
  const user = messages[asked];
  const spoken = messages.findLastIndex(({ role }) => role === 'assistant');
  const schema = parseSchema(body);
  const choice = asObject(body['tool_choice']);
  return {
    model: name,
    said: parseText(user?.['content']),
    told: [body['system'], ...messages.filter(({ role }) => role === 'system').map(({ content }) => content)]
      .map(parseText)
      .join('\n'),
    attachments: attachmentsIn(user?.['content']),
    results: messages.slice(spoken + 1).flatMap((message) => resultsIn(message, messages)),
    step: turnsIn(messages.slice(asked + 1)),
    tools: asObjects(body['tools']).flatMap(parseTool),
    choice: parseChoice(choice),
    parallel: choice?.['disable_parallel_tool_use'] !== true,
    json: schema && { schema },
    thinks: thinks(body, messages),
    shows: shows(body, model),
    limit: asNumber(body['max_tokens']),
    stops: asList(body['stop_sequences']).map(String),
    count: 1,
    prompt: parsePrompt(body, messages),
    cachesAll: false,
  };
}

/** @returns the tokens of a request as `count_tokens` counts them */
export function tokensOfMessages(body: JsonObject): number {
  return promptTokens({ prompt: parsePrompt(body, asObjects(body['messages'])) });
}

/** @returns whether the user says something in a message. A message of results only continues what was said before. */
export function speaks({ role, content }: JsonObject): boolean {
  if (role !== 'user') return false;
  return typeof content === 'string' || asObjects(content).some(({ type }) => type !== 'tool_result');
}

/** Adjacent messages of the model are one turn of it ("Using the Messages API": consecutive turns are combined). */
function turnsIn(messages: readonly JsonObject[]): number {
  return messages.filter(
    ({ role }, index) => role === 'assistant' && messages[index - 1]?.['role'] !== 'assistant',
  ).length;
}

function parseText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : []))
    .join('\n');
}

function resultsIn({ content }: JsonObject, messages: readonly JsonObject[]): readonly ToolResult[] {
  return asObjects(content)
    .filter(({ type }) => type === 'tool_result')
    .map((block) => {
      const call = messages
        .flatMap((message) => asObjects(message['content']))
        .findLast(({ type, id }) => type === 'tool_use' && id === block['tool_use_id']);
      const { content } = block;
      return { name: asText(call?.['name']), text: parseText(content), attachments: attachmentsIn(content) };
    });
}

function attachmentsIn(content: Json | undefined): readonly string[] {
  return asObjects(content).flatMap(({ type }) => (type === 'image' || type === 'document' ? [type] : []));
}

function parseTool(tool: JsonObject): readonly AskedTool[] {
  const name = asText(tool['name']);
  const schema = asObject(tool['input_schema']);
  if (name === undefined || schema === undefined) return [];
  return [{ name, description: asText(tool['description']) ?? '', schema }];
}

function parseChoice(choice: JsonObject | undefined): Ask['choice'] {
  const type = choice?.['type'];
  if (type === 'none') return { mode: 'none' };
  if (type === 'any') return { mode: 'required' };
  const name = asText(choice?.['name']);
  return type === 'tool' && name !== undefined ? { mode: 'required', only: [name] } : { mode: 'auto' };
}

function parseSchema(body: JsonObject): JsonObject | undefined {
  const format = asObject(asObject(body['output_config'])?.['format']) ?? asObject(body['output_format']);
  return asObject(format?.['schema']);
}

function thinks(body: JsonObject, messages: readonly JsonObject[]): boolean {
  const type = asObject(body['thinking'])?.['type'];
  if (parseChoice(asObject(body['tool_choice'])).mode === 'required') return false;
  if (type === 'between_tools') {
    return asObjects(messages.at(-1)?.['content']).some((block) => block['type'] === 'tool_result');
  }
  return type === 'enabled' || type === 'adaptive';
}

/** Models whose reasoning is set by effort alone show it only if they are asked to (recorded). */
function shows(body: JsonObject, model: Model): boolean {
  const display = asObject(body['thinking'])?.['display'];
  if (display === 'summarized' || display === 'omitted') return display === 'summarized';
  return model.thinking?.kinds.includes('budget') ?? true;
}

/** The tools come first, then the system prompt, then the messages, which is the order of the cache. */
function parsePrompt(body: JsonObject, messages: readonly JsonObject[]): readonly PromptPiece[] {
  const pieces = [
    ...asObjects(body['tools']).map((tool) => ({
      text: JSON.stringify({ ...tool, cache_control: null }),
      mark: markIn(tool),
    })),
    ...parseBlocks(body['system']),
    ...messages.flatMap(({ content }) => parseBlocks(content)),
  ];
  const last = pieces.at(-1);
  const mark = markIn(body);
  return last === undefined || mark === undefined ? pieces : [...pieces.slice(0, -1), { ...last, mark }];
}

function parseBlocks(content: Json | undefined): readonly PromptPiece[] {
  if (typeof content === 'string') return [{ text: content }];
  return asObjects(content).map((block) => ({ text: blockText(block), mark: markIn(block) }));
}

/** Images and files count as nothing here, since their tokens depend on their contents. */
function blockText(block: JsonObject): string {
  switch (block['type']) {
    case 'text':
      return asText(block['text']) ?? '';
    case 'tool_use':
      return JSON.stringify([block['name'], block['input']]);
    case 'tool_result':
      return parseText(block['content']);
    default:
      return '';
  }
}

function markIn(block: JsonObject): '5m' | '1h' | undefined {
  const control = asObject(block['cache_control']);
  if (control === undefined) return undefined;
  return control['ttl'] === '1h' ? '1h' : '5m';
}
