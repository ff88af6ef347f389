/** What responses demands of the items of a conversation beyond their schema. */

import type { JsonObject } from '../../lib/json.ts';
import { asList, asText, isObject } from '../../lib/json.ts';
import type { OpenaiVendor } from '../openai/request.ts';
import { badField, badRequest, tooGreat } from '../openai/words.ts';
import type { SandboxState } from '../sandbox-state.ts';
import { verify } from '../signatures.ts';
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
export function checkItems(items: readonly JsonObject[], vendor: OpenaiVendor, state: SandboxState): void {
  const ids = new Set<string>();
  for (const [index, item] of items.entries()) {
    if (vendor === 'openai') {
      checkId(item, index);
      checkCallId(item, index);
      checkOnce(item, ids);
      checkFiles(item, index);
    }
    if (item['type'] === 'reasoning') checkReasoning(items, index, state);
  }
  checkCalls(items);
}

function checkId(item: JsonObject, index: number): void {
  const id = asText(item['id']);
  const type = asText(item['type']) ?? 'message';
  const prefix = type === 'message' && item['role'] === 'assistant' ? 'msg' : PREFIXES[type];
  if (id === undefined || prefix === undefined || id.startsWith(prefix)) return;
  throw badRequest({
    message: `Invalid 'input[${index}].id': '${id}'. Expected an ID that begins with '${prefix}'.`,
    param: `input[${index}].id`,
    code: 'invalid_value',
    subject: {
      thing: item['type'] === 'reasoning' ? 'thoughts' : 'foreign ids',
      path: ['input', index, 'id'],
    },
  });
}

/** The longest id of a call, in characters. */
const MAX_CALL_ID_LENGTH = 64;

function checkCallId(item: JsonObject, index: number): void {
  const id = asText(item['call_id']) ?? '';
  if (id.length > MAX_CALL_ID_LENGTH) throw tooGreat(['input', index, 'call_id'], id, MAX_CALL_ID_LENGTH);
}

function checkOnce(item: JsonObject, ids: Set<string>): void {
  const id = asText(item['id']);
  if (id === undefined) return;
  if (ids.has(id)) {
    throw badRequest({
      message: `Duplicate item found with id ${id}. Remove duplicate items from your input and try again.`,
      param: 'input',
      subject: { thing: 'repeated ids', path: ['input'] },
    });
  }
  ids.add(id);
}

/** A file that OpenAI fetches or has stored may have no name. */
function checkFiles(item: JsonObject, index: number): void {
  for (const field of ['content', 'output']) {
    for (const [place, part] of asList(item[field]).entries()) {
      if (!isObject(part) || part['type'] !== 'input_file') continue;
      if (asText(part['filename']) === undefined || asText(part['file_data']) !== undefined) continue;
      const param = `input[${index}].${field}[${place}]`;
      throw badField(
        `Mutually exclusive parameters: '${param}'. Ensure you are only providing one of: 'file_id' or 'filename'.`,
        param,
        'mutually_exclusive_parameters',
      );
    }
  }
}

/**
 * A reasoning item must have its text, have encrypted content, or be stored; and the item that it led to must follow.
 */
function checkReasoning(items: readonly JsonObject[], index: number, state: SandboxState): void {
  const { [index]: item = {}, [index + 1]: next } = items;
  const id = asText(item['id']);
  const sealed = asText(item['encrypted_content']);
  if (sealed !== undefined) {
    if (!verify('openai', sealed, id)) {
      throw badRequest({
        message: `The encrypted content ${sealed.slice(0, 4)}...${sealed.slice(-4)} could not be verified.`,
        code: 'invalid_encrypted_content',
        subject: { thing: 'thoughts', path: ['input', index] },
      });
    }
  } else if (id !== undefined) storedItem(id, state);
  const follows =
    next !== undefined &&
    (next['role'] === 'assistant' ||
      (next['role'] === undefined && !/_output$/.test(asText(next['type']) ?? '')));
  if (follows) return;
  throw badRequest({
    message: `Item '${id ?? ''}' of type 'reasoning' was provided without its required following item.`,
    param: 'input',
    subject: { thing: 'thoughts', path: ['input', index] },
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
  for (const [at, item] of items.entries()) {
    const type = asText(item['type']) ?? '';
    const call = type.replace(/_output$/, '');
    const id = asText(item['call_id']) ?? callIds.get(asText(item['id']));
    if (id === undefined || !CALLS.has(call)) continue;
    if (type === call) open.set(id, call);
    else if (!open.delete(id)) {
      throw badRequest({
        message: `No tool call found for ${inWords(call)} output with call_id ${id}.`,
        param: 'input',
        subject: { thing: 'unpaired call', path: ['input', at] },
      });
    }
  }
  for (const [id, call] of open) {
    throw badRequest({
      message: `No tool output found for ${inWords(call)} ${id}.`,
      param: 'input',
      subject: { thing: 'unpaired call', path: ['input'] },
    });
  }
}

function inWords(call: string): string {
  return call.replaceAll('_', ' ');
}
