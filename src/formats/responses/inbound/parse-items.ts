/**
 * Input items to turns. Whatever the assistant did in a row (reasoning, text, calls, hosted tools) is one turn, for
 * formats with one message a turn; so are tool outputs in a row. Each other message is a turn of its own.
 */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { ContentPart, Part, ToolCallPart, ToolResultPart, Turn } from '../../../conversation/prompt.ts';
import { asText, isEmpty, type JsonObject, splitFields, withoutNulls } from '../../../lib/json.ts';
import { missing, requiredText, wrongValue } from '../../openai/fields.ts';
import { keeping, keptOrigin, originOf } from '../wire/format-specific.ts';
import { callersName, nameElsewhere } from '../wire/namespaces.ts';
import { unsupported } from './field-errors.ts';
import { HOSTED_ITEMS, ITEM_TYPES } from './item-types.ts';
import { clientItemReader } from './parse-client-items.ts';
import { parseContent } from './parse-parts.ts';
import { reasoningReader } from './parse-reasoning.ts';

/**
 * Fields of messages and tool outputs that OpenAI alone understands. The last is in no reference: Codex sends it with
 * every item where it takes its provider for OpenAI, as it does where only the address was changed.
 */
const OWN: ReadonlySet<string> = new Set([
  'caller',
  'created_by',
  'id',
  'name',
  'namespace',
  'phase',
  'status',
  'internal_chat_message_metadata_passthrough',
]);

/**
 * @param items each with its path in the caller's body, for error messages.
 * @throws GatewayError for an item that is none of OpenAI's, or that points to something stored.
 */
export function parseItems(items: readonly (readonly [JsonObject, string])[]): Turn[] {
  const turns: Turn[] = [];
  const names = new Map<string, string>();
  const reasoning = reasoningReader();
  const readClients = clientItemReader(names);
  let open: { readonly role: 'assistant' | 'user'; readonly parts: Part[] } | undefined;

  const close = (): void => {
    if (open?.role === 'assistant') reasoning.settle(open.parts);
    if (open) turns.push({ role: open.role, parts: open.parts });
    open = undefined;
  };
  const run = (role: 'assistant' | 'user'): Part[] => {
    if (open?.role === role) return open.parts;
    close();
    open = { role, parts: [] };
    return open.parts;
  };
  const addTurn = (turn: Turn): void => {
    close();
    turns.push(turn);
  };
  const addCall = (call: ToolCallPart): void => {
    names.set(call.id, call.name);
    run('assistant').push(reasoning.sign(call));
  };

  for (const [at, [item, path]] of items.entries()) {
    const type = typeOf(item);
    switch (type) {
      case 'message': {
        const role = requiredText(item['role'], `${path}.role`);
        if (role !== 'assistant') {
          addTurn(parseMessage(item, role, path));
          break;
        }
        // A proof that is a call's waits for it: LangChain puts the message, even an empty one, in between.
        const parts = run('assistant');
        // One by one: a call takes some hundred thousand arguments at most.
        for (const part of parseAssistantMessage(item, path, at, parts.at(-1))) parts.push(part);
        break;
      }
      case 'reasoning':
        reasoning.read(item, at, run('assistant'));
        break;
      case 'function_call':
      case 'custom_tool_call':
        addCall(parseCall(item, path));
        break;
      case 'agent_message': {
        const author = asText(item['author']) ?? 'another agent';
        addTurn(parseHeard(item, `Message from ${author}:`, 'content', path));
        break;
      }
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (isUnasked(item)) addTurn(parseHeard(item, `Output of ${nameElsewhere(item)}:`, 'output', path));
        else run('user').push(parseResult(item, path, names));
        break;
      case 'compaction_trigger':
        throw unsupported(
          `${path}.type`,
          "Only OpenAI's own models can make a 'compaction' item. Ask this one for a summary as an ordinary message instead.",
        );
      case 'item_reference':
        throw unsupported(
          `${path}.type`,
          "Nothing is stored for this model, so an 'item_reference' points nowhere: send the item itself (most clients do when 'store' is false).",
        );
      case undefined:
        throw missing(`${path}.type`);
      default: {
        if (!HOSTED_ITEMS.has(type)) throw wrongValue(`${path}.type`, type, ITEM_TYPES);
        const part = readClients(item, path);
        if (part?.kind === 'tool-call') addCall(part);
        else if (part) run('user').push(part);
        else run(open?.role ?? 'assistant').push({ kind: 'opaque', format: 'responses', value: item });
      }
    }
  }
  close();
  return turns;
}

/** What has an id, and nothing else ("ItemReference", OpenAI's SDK: its type may be null, too). */
function isReference(item: JsonObject): boolean {
  return typeof item['id'] === 'string' && Object.keys(withoutNulls(item)).length === 1;
}

/** A message may leave out its type, and so may a reference, which then has an id alone. */
function typeOf(item: JsonObject): string | undefined {
  const type = asText(item['type']);
  if (type !== undefined) return type;
  if (item['role'] !== undefined) return 'message';
  return isReference(item) ? 'item_reference' : undefined;
}

function parseMessage(item: JsonObject, role: string, path: string): Turn {
  if (role !== 'user' && role !== 'system' && role !== 'developer')
    throw wrongValue(`${path}.role`, role, ['assistant', 'system', 'developer', 'user']);
  const { type: _type, role: _role, content, ...rest } = item;
  if (content === undefined || content === null) throw missing(`${path}.content`);
  const [own, extra] = splitFields(rest, OWN);
  const told = withoutNulls(own);
  return {
    role: role === 'user' ? 'user' : 'system',
    ...(role === 'developer' && { developer: true }),
    parts: parseContent(content, `${path}.content`),
    // Even without a field: by it this format knows that the message is none of the instructions.
    ...((role !== 'user' || !isEmpty(told)) && { formatSpecific: keptOrigin({ item: told }) }),
    ...unknownFieldsOf(extra),
  };
}

/** What nobody else has an item for, as something the user says, and by whom it was said; here it is kept as it is. */
function parseHeard(item: JsonObject, from: string, field: 'content' | 'output', path: string): Turn {
  const said = parseContent(item[field], `${path}.${field}`).map(asResultPart).map(inWords);
  return {
    role: 'user',
    parts: [{ kind: 'text', text: from }, ...said],
    formatSpecific: keeping({ whole: item }),
  };
}

/** OpenAI's models tell each other things in cipher (a Fernet token); in the same place all others do in plain words. */
const CIPHER = /^gAAAA[\w-]+=*$/;

function inWords(part: ResultPart): ResultPart {
  const text = part.kind === 'opaque' ? asText(part.value['encrypted_content']) : undefined;
  return text === undefined || CIPHER.test(text) ? part : { kind: 'text', text };
}

/** An output that no call has asked for names its tool instead (API reference, `function_call_output`). */
function isUnasked({ call_id, name }: JsonObject): boolean {
  return (call_id === undefined || call_id === null) && typeof name === 'string';
}

/**
 * Parts of an assistant's message; one without any keeps its place by an empty text. Where a reader could not tell the
 * message's parts from those of the message before, they say which one they are of.
 */
function parseAssistantMessage(
  item: JsonObject,
  path: string,
  at: number,
  before: Part | undefined,
): readonly Part[] {
  const { type: _type, role: _role, content, ...rest } = item;
  if (content === undefined || content === null) throw missing(`${path}.content`);
  const given = parseContent(content, `${path}.content`);
  const parts: readonly ContentPart[] = given.length > 0 ? given : [{ kind: 'text', text: '' }];
  const told = withoutNulls(rest);
  const isPlain = parts.length === 1 && !isBlank(parts[0]) && isEmpty(told) && !isContent(before);
  if (isPlain) return parts;
  return parts.map((part) => {
    return { ...part, formatSpecific: keptOrigin({ ...originOf(part.formatSpecific), at, item: told }) };
  });
}

function isBlank(part: Part | undefined): boolean {
  return part?.kind === 'text' && part.text === '';
}

function isContent(part: Part | undefined): boolean {
  return part?.kind === 'text' || part?.kind === 'refusal' || part?.kind === 'media';
}

function parseCall(item: JsonObject, path: string): ToolCallPart {
  const { type, call_id, name, arguments: json, input, ...rest } = item;
  const custom = type === 'custom_tool_call';
  const text = custom ? input : json;
  const told = withoutNulls({ ...rest, ...callersName(item) });
  return {
    kind: 'tool-call',
    id: requiredText(call_id, `${path}.call_id`),
    name: nameElsewhere(item) ?? requiredText(name, `${path}.name`),
    arguments: requiredText(text, `${path}.${custom ? 'input' : 'arguments'}`),
    ...(custom && { custom: true }),
    ...(!isEmpty(told) && { formatSpecific: keptOrigin({ item: told }) }),
  };
}

function parseResult(item: JsonObject, path: string, names: ReadonlyMap<string, string>): ToolResultPart {
  const { type, call_id, output, ...rest } = item;
  const callId = requiredText(call_id, `${path}.call_id`);
  if (output === undefined || output === null) throw missing(`${path}.output`);
  const name = names.get(callId);
  const [own, extra] = splitFields(rest, OWN);
  const told = withoutNulls(own);
  return {
    kind: 'tool-result',
    id: callId,
    ...(name !== undefined && { name }),
    content: parseContent(output, `${path}.output`).map(asResultPart),
    ...(type === 'custom_tool_call_output' && { custom: true }),
    ...(!isEmpty(told) && { formatSpecific: keptOrigin({ item: told }) }),
    ...unknownFieldsOf(extra),
  };
}

type ResultPart = ToolResultPart['content'][number];

/** A refusal in a tool's output is a text like others. */
function asResultPart(part: ContentPart): ResultPart {
  return part.kind === 'refusal' ? { ...part, kind: 'text' } : part;
}
