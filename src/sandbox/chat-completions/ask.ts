/** A chat-completions request as an `Ask`. */

import type { Model } from '../../catalog/model.ts';
import type { Json, JsonObject } from '../../lib/json.ts';
import { asList, asNumber, asObject, asObjects, asText } from '../../lib/json.ts';
import type { Ask, AskedTool, PromptPiece, ToolResult } from '../ask.ts';

/**
 * @param body a request that the schema has accepted
 * @param name the model as the request names it
 * @returns everything about the request that decides the answer
 */
export function askOfChat(body: JsonObject, name: string, model: Model): Ask {
  const messages = asObjects(body['messages']);
  const spoken = messages.findLastIndex((message) => message['role'] === 'assistant');
  const since = messages.slice(spoken + 1);
  const asked = messages.findLastIndex((message) => message['role'] === 'user');
  const user = messages[asked];
  const format = asObject(body['response_format']);
  return {
    model: name,
    said: parseText(user?.['content']),
    told: messages
      .filter(({ role }) => role === 'system' || role === 'developer')
      .map(({ content }) => parseText(content))
      .join('\n'),
    attachments: attachmentsIn(user?.['content']),
    results: since.filter(({ role }) => role === 'tool').map((message) => parseResult(message, messages)),
    step: messages.slice(asked + 1).filter(({ role }) => role === 'assistant').length,
    tools: asObjects(body['tools']).flatMap(parseTool),
    choice: parseChoice(body['tool_choice']),
    parallel: body['parallel_tool_calls'] !== false,
    json: parseJsonFormat(format, asObject(format?.['json_schema'])),
    thinks: thinks(body, model),
    shows: true,
    limit: asNumber(body['max_completion_tokens']) ?? asNumber(body['max_tokens']),
    stops: typeof body['stop'] === 'string' ? [body['stop']] : asList(body['stop']).map(String),
    count: asNumber(body['n']) ?? 1,
    prompt: parsePrompt(body, messages),
    cachesAll: true,
  };
}

const ATTACHMENTS: Readonly<Record<string, string>> = {
  image_url: 'image',
  input_audio: 'audio',
  video_url: 'video',
  file: 'document',
};

/** @returns the text of a content: the content itself, or its text parts joined by newlines */
export function parseText(content: Json | undefined): string {
  if (typeof content === 'string') return content;
  return asObjects(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n');
}

function parseResult(message: JsonObject, messages: readonly JsonObject[]): ToolResult {
  const id = message['tool_call_id'];
  const call = messages
    .flatMap(({ tool_calls }) => asObjects(tool_calls))
    .findLast((one) => one['id'] === id);
  const content = message['content'];
  return { name: call && nameIn(call), text: parseText(content), attachments: attachmentsIn(content) };
}

function attachmentsIn(content: Json | undefined): readonly string[] {
  return asObjects(content).flatMap(({ type }) => ATTACHMENTS[String(type)] ?? []);
}

function parseTool(tool: JsonObject): readonly AskedTool[] {
  const custom = asObject(tool['custom']);
  const inner = custom ?? asObject(tool['function']);
  const name = asText(inner?.['name']);
  if (inner === undefined || name === undefined) return [];
  return [
    {
      name,
      description: asText(inner['description']) ?? '',
      schema: asObject(inner['parameters']),
      custom: custom !== undefined,
    },
  ];
}

/** @returns the choice of tools; Mistral says `any` for `required` */
export function parseChoice(choice: Json | undefined): Ask['choice'] {
  if (choice === 'none') return { mode: 'none' };
  if (choice === 'required' || choice === 'any') return { mode: 'required' };
  const chosen = asObject(choice);
  if (chosen === undefined) return { mode: 'auto' };
  const allowed =
    asObject(chosen['allowed_tools']) ?? (chosen['type'] === 'allowed_tools' ? chosen : undefined);
  if (allowed !== undefined) {
    const only = asObjects(allowed['tools']).flatMap((tool) => nameIn(tool) ?? []);
    return { mode: allowed['mode'] === 'required' ? 'required' : 'auto', only };
  }
  const name = nameIn(chosen);
  return name === undefined ? { mode: 'auto' } : { mode: 'required', only: [name] };
}

function nameIn(tool: JsonObject): string | undefined {
  return asText((asObject(tool['function']) ?? asObject(tool['custom']) ?? tool)['name']);
}

/**
 * @param holder the object that has the schema
 * @returns the JSON that a format asks for; undefined if it asks for none
 */
export function parseJsonFormat(format: JsonObject | undefined, holder: JsonObject | undefined): Ask['json'] {
  if (format?.['type'] === 'json_object') return {};
  return format?.['type'] === 'json_schema' ? { schema: asObject(holder?.['schema']) } : undefined;
}

/**
 * A model reasons only if the request asks for it in any of the ways that the services have, or if the model's name
 * says that it does.
 */
function thinks(body: JsonObject, model: Model): boolean {
  const effort = asText(body['reasoning_effort']) ?? asText(asObject(body['reasoning'])?.['effort']);
  if (effort !== undefined) return effort !== 'none';
  const type = asText(asObject(body['thinking'])?.['type']);
  if (type !== undefined) return type !== 'disabled';
  if (body['enable_thinking'] === true) return true;
  const reasoning = asObject(body['reasoning']);
  if (reasoning !== undefined) return reasoning['enabled'] !== false;
  return /reason|think/.test(model.id);
}

function parsePrompt(body: JsonObject, messages: readonly JsonObject[]): readonly PromptPiece[] {
  const tools = asList(body['tools']);
  const head = tools.length > 0 ? [{ text: JSON.stringify(tools) }] : [];
  return [...head, ...messages.map(({ content, tool_calls }) => ({ text: saidIn(content, tool_calls) }))];
}

function saidIn(content: Json | undefined, calls: Json | undefined): string {
  return (
    parseText(content) +
    asObjects(calls)
      .map((call) => JSON.stringify(call))
      .join('')
  );
}
