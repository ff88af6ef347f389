/**
 * Parses input items as turns. Everything that the assistant did without interruption (reasoning, text, calls, hosted
 * tools) is one turn, because other formats have one message for it. Consecutive tool outputs are one turn, too. Each
 * other message is a turn of its own.
 */

import type { Part, ToolCallPart, Turn } from '../../../conversation/prompt.ts';
import { asText, type JsonObject, withoutNulls } from '../../../lib/json.ts';
import { fieldPlace, itemPlace, type Place } from '../../../lib/place.ts';
import { missing, requiredText, unsupported, wrongValue } from '../../openai/fields.ts';
import { toOpaquePart } from '../wire/whole-items.ts';
import { HOSTED_ITEMS, ITEM_TYPES } from './item-types.ts';
import { isUnsolicited, parseAgentMessage, parseUnsolicitedOutput } from './parse-agent-messages.ts';
import { parseCall, parseResult } from './parse-calls.ts';
import { clientCallParser } from './parse-client-calls.ts';
import { parseAssistantMessage, parseMessage } from './parse-messages.ts';
import { ReasoningParser } from './parse-reasoning.ts';
import { isAppliedUpdate } from './parse-settings.ts';

/**
 * Parses the items of the input.
 * @param items the list at `input`.
 * @throws GatewayError `invalid-request` for an item that OpenAI does not have, or that points to something stored.
 */
export function parseItems(items: readonly JsonObject[]): Turn[] {
  const parser = new ItemParser();
  for (let at = 0; at < items.length; at++) {
    const item = items[at];
    if (item !== undefined) parser.parse(item, itemPlace('input', at), at);
  }
  return parser.end();
}

class ItemParser {
  readonly #turns: Turn[] = [];
  /** Names of the tools called so far, by the ids of the calls. */
  readonly #names = new Map<string, string>();
  readonly #reasoning = new ReasoningParser();
  readonly #parseClientCall = clientCallParser(this.#names);
  #open: { readonly role: 'assistant' | 'user'; readonly parts: Part[] } | undefined;

  parse(item: JsonObject, path: Place, at: number): void {
    const type = findItemType(item);
    switch (type) {
      case 'message':
        this.#parseMessage(item, path, at);
        return;
      case 'reasoning':
        this.#reasoning.parse(item, at, this.#openTurn('assistant'));
        return;
      case 'function_call':
      case 'custom_tool_call':
        this.#addCall(parseCall(item, path));
        return;
      case 'agent_message':
        this.#addTurn(parseAgentMessage(item, path));
        return;
      case 'function_call_output':
      case 'custom_tool_call_output':
        if (isUnsolicited(item)) this.#addTurn(parseUnsolicitedOutput(item, path));
        else this.#addPart('user', parseResult(item, path, this.#names));
        return;
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
      default:
        if (!HOSTED_ITEMS.has(type)) throw wrongValue(fieldPlace(path, 'type'), type, ITEM_TYPES);
        if (!isAppliedUpdate(item)) this.#parseHosted(item, path);
    }
  }

  end(): Turn[] {
    this.#close();
    return this.#turns;
  }

  #parseMessage(item: JsonObject, path: Place, at: number): void {
    const role = requiredText(item['role'], fieldPlace(path, 'role'));
    if (role !== 'assistant') {
      this.#addTurn(parseMessage(item, role, path));
      return;
    }
    // The signature of a call waits for it across this message: LangChain puts one in between, even an empty one.
    if (this.#open?.role !== 'assistant') this.#close();
    const last = this.#open?.parts.at(-1);
    const message = this.#reasoning.signMessage(parseAssistantMessage(item, path, at, last));
    // One by one, because a call with spread arguments takes some hundred thousand at most.
    for (const part of message) this.#addPart('assistant', part);
  }

  #parseHosted(item: JsonObject, path: Place): void {
    const part = this.#parseClientCall(item, path);
    if (part?.kind === 'tool-call') this.#addCall(part);
    else if (part) this.#addPart('user', part);
    else this.#addPart(this.#open?.role ?? 'assistant', this.#reasoning.signImage(toOpaquePart(item)));
  }

  #addCall(call: ToolCallPart): void {
    this.#names.set(call.id, call.name);
    if (this.#open?.role !== 'assistant') this.#close();
    this.#addPart('assistant', this.#reasoning.sign(call));
  }

  #addTurn(turn: Turn): void {
    this.#close();
    this.#turns.push(turn);
  }

  /** A list that begins with its first part takes less room than one that grows from nothing. */
  #addPart(role: 'assistant' | 'user', part: Part): void {
    if (this.#open?.role === role) this.#open.parts.push(part);
    else {
      this.#close();
      this.#open = { role, parts: [part] };
    }
  }

  #openTurn(role: 'assistant' | 'user'): Part[] {
    if (this.#open?.role === role) return this.#open.parts;
    this.#close();
    this.#open = { role, parts: [] };
    return this.#open.parts;
  }

  #close(): void {
    const open = this.#open;
    if (open?.role === 'assistant') this.#reasoning.settle(open.parts);
    if (open) this.#turns.push({ role: open.role, parts: open.parts });
    this.#open = undefined;
  }
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
