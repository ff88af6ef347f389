/** What responses demands of the items of a conversation beyond their schema. */

import type { JsonObject } from '../../lib/json.ts';
import { asText } from '../../lib/json.ts';
import type { OpenaiVendor } from '../openai/request.ts';
import { openaiRefusal } from '../openai/words.ts';
import { verify } from '../signatures.ts';
import type { World } from '../world.ts';
import { storedItem } from './store.ts';

/** The beginning of the ids of items, by the type of the item. */
const PREFIXES: Readonly<Record<string, string>> = {
  function_call: 'fc',
  custom_tool_call: 'ctc',
  shell_call: 'sh',
  local_shell_call: 'lsh',
  apply_patch_call: 'apc',
  reasoning: 'rs',
};

/**
 * Checks the items of a conversation.
 * @throws Refused with OpenAI's own error
 */
export function checkItems(items: readonly JsonObject[], vendor: OpenaiVendor, world: World): void {
  for (const [index, item] of items.entries()) {
    if (vendor === 'openai') checkId(item, index);
    if (item['type'] === 'reasoning') checkReasoning(item, items[index + 1], world);
  }
  checkCalls(items);
}

function checkId(item: JsonObject, index: number): void {
  const id = asText(item['id']);
  const type = asText(item['type']) ?? 'message';
  const prefix = type === 'message' && item['role'] === 'assistant' ? 'msg' : PREFIXES[type];
  if (id === undefined || prefix === undefined || id.startsWith(prefix)) return;
  throw openaiRefusal(400, {
    message: `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    param: `input[${index}].id`,
    code: 'invalid_value',
  });
}

/**
 * A reasoning item must have its text, have encrypted content, or be stored; and the item that it led to must follow.
 */
function checkReasoning(item: JsonObject, next: JsonObject | undefined, world: World): void {
  const id = asText(item['id']);
  const sealed = asText(item['encrypted_content']);
  if (sealed !== undefined) {
    if (!verify('openai', sealed, id)) {
      throw openaiRefusal(400, {
        message: `The encrypted content ${sealed.slice(0, 4)}...${sealed.slice(-4)} could not be verified.`,
        code: 'invalid_encrypted_content',
      });
    }
  } else if (id !== undefined) storedItem(id, world);
  const follows =
    next !== undefined &&
    (next['role'] === 'assistant' ||
      (next['role'] === undefined && !/_output$/.test(asText(next['type']) ?? '')));
  if (follows) return;
  throw openaiRefusal(400, {
    message: `Item '${id ?? ''}' of type 'reasoning' was provided without its required following item.`,
    param: 'input',
  });
}

/** Calls that the caller answers, not OpenAI. */
const CALLS: ReadonlySet<string> = new Set([
  'function_call',
  'custom_tool_call',
  'shell_call',
  'local_shell_call',
  'apply_patch_call',
]);

function checkCalls(items: readonly JsonObject[]): void {
  const open = new Map<string, string>();
  /** The ids of calls by the ids of their items, which outputs of a local shell may have instead. */
  const callIds = new Map(items.map(({ id, call_id }) => [asText(id), asText(call_id)]));
  for (const item of items) {
    const type = asText(item['type']) ?? '';
    const call = type.replace(/_output$/, '');
    const id = asText(item['call_id']) ?? callIds.get(asText(item['id']));
    if (id === undefined || !CALLS.has(call)) continue;
    if (type === call) open.set(id, call);
    else if (!open.delete(id)) {
      throw openaiRefusal(400, {
        message: `No tool call found for ${inWords(call)} output with call_id ${id}.`,
        param: 'input',
      });
    }
  }
  for (const [id, call] of open) {
    throw openaiRefusal(400, { message: `No tool output found for ${inWords(call)} ${id}.`, param: 'input' });
  }
}

function inWords(call: string): string {
  return call.replaceAll('_', ' ');
}
