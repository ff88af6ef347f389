/**
 * Parses input items as turns. Everything that the assistant did without interruption (reasoning, text, calls, hosted
 * tools) is one turn, because other formats have one message for it. Consecutive tool outputs are one turn, too. Each
 * other message is a turn of its own.
 */

import type { Part, ToolCallPart, Turn } from '../../../conversation/prompt.ts';
import { asText, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { fieldPlace, type Place } from '../../../lib/place.ts';
import { missing, requiredText, wrongValue } from '../../openai/fields.ts';
import { toOpaquePart } from '../wire/drawn-images.ts';
import { unsupported } from './field-errors.ts';
import { HOSTED_ITEMS, ITEM_TYPES } from './item-types.ts';
import { isUnsolicited, parseAgentMessage, parseUnsolicitedOutput } from './parse-agent-messages.ts';
import { parseCall, parseResult } from './parse-calls.ts';
import { clientCallParser } from './parse-client-calls.ts';
import { parseAssistantMessage, parseMessage } from './parse-messages.ts';
import { reasoningParser } from './parse-reasoning.ts';
import { isAppliedUpdate } from './parse-settings.ts';

/**
 * Parses the items of the input.
 * @param items each with its path in the caller's body, for error messages.
 * @throws GatewayError `invalid-request` for an item that OpenAI does not have, or that points to something stored.
 */
export function parseItems(items: readonly (readonly [JsonObject, Place])[]): Turn[] {
  const turns: Turn[] = [];
  /** Names of the tools called so far, by the ids of the calls. */
  const names = new Map<string, string>();
  const reasoning = reasoningParser();
  const parseClientCall = clientCallParser(names);
  let open: { readonly role: 'assistant' | 'user'; readonly parts: Part[] } | undefined;

  const close = (): void => {
    if (open?.role === 'assistant') reasoning.settle(open.parts);
    if (open) turns.push({ role: open.role, parts: open.parts });
    open = undefined;
  };
  const openTurn = (role: 'assistant' | 'user'): Part[] => {
    if (open?.role === role) return open.parts;
    close();
    open = { role, parts: [] };
    return open.parts;
  };
  /** A list that begins with its first part takes less room than one that grows from nothing. */
  const addPart = (role: 'assistant' | 'user', part: Part): void => {
    if (open?.role === role) open.parts.push(part);
    else {
      close();
      open = { role, parts: [part] };
    }
  };
  const addTurn = (turn: Turn): void => {
    close();
    turns.push(turn);
  };
  const addCall = (call: ToolCallPart): void => {
    names.set(call.id, call.name);
    if (open?.role !== 'assistant') close();
    addPart('assistant', reasoning.sign(call));
  };

  for (let at = 0; at < items.length; at++) {
    const placed = items[at];
    if (placed === undefined) continue;
    const [item, path] = placed;
    const type = findItemType(item);
    switch (type) {
      case 'message': {
        const role = requiredText(item['role'], fieldPlace(path, 'role'));
        if (role !== 'assistant') {
          addTurn(parseMessage(item, role, path));
          break;
        }
        // The signature of a call waits for it across this message: LangChain puts one in between, even an empty one.
        if (open?.role !== 'assistant') close();
        const last = open?.parts.at(-1);
        const message = reasoning.signMessage(parseAssistantMessage(item, path, at, last));
        // One by one, because a call with spread arguments takes some hundred thousand at most.
        for (const part of message) addPart('assistant', part);
        break;
      }
      case 'reasoning':
        reasoning.parse(item, at, openTurn('assistant'));
        break;
      case 'function_call':
      case 'custom_tool_call':
        addCall(parseCall(item, path));
        break;
      case 'agent_message':
        addTurn(parseAgentMessage(item, path));
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (isUnsolicited(item)) addTurn(parseUnsolicitedOutput(item, path));
        else addPart('user', parseResult(item, path, names));
        break;
      case 'compaction_trigger':
        throw unsupported(
          `${path}.type`,
          "Only a service that speaks this format itself can make a 'compaction' item. Ask this model for a summary in an ordinary message instead.",
        );
      case 'item_reference':
        throw unsupported(
          `${path}.type`,
          "Nothing is stored for this model, so an 'item_reference' points nowhere. Send the item itself (most clients do when 'store' is false).",
        );
      case undefined:
        throw missing(fieldPlace(path, 'type'));
      default: {
        if (!HOSTED_ITEMS.has(type)) throw wrongValue(fieldPlace(path, 'type'), type, ITEM_TYPES);
        if (isAppliedUpdate(item)) break;
        const part = parseClientCall(item, path);
        if (part?.kind === 'tool-call') addCall(part);
        else if (part) addPart('user', part);
        else addPart(open?.role ?? 'assistant', reasoning.signImage(toOpaquePart(item)));
      }
    }
  }
  close();
  return turns;
}

/** The type of an item. A message may leave it out, and so may a reference, which then has only an id. */
export function findItemType(item: JsonObject): string | undefined {
  const type = asText(item['type']);
  if (type !== undefined) return type;
  if (item['role'] !== undefined) return 'message';
  return isReference(item) ? 'item_reference' : undefined;
}

/** Whether an item has an id and nothing else ("ItemReference", OpenAI's SDK, where its type may also be null). */
function isReference(item: JsonObject): boolean {
  return typeof item['id'] === 'string' && Object.keys(withoutNulls(item)).length === 1;
}
