/** What OpenAI keeps of earlier responses, and what a request takes from there. */

import type { JsonObject } from '../../lib/json.ts';
import { asObject, asText } from '../../lib/json.ts';
import { badField, openaiRefusal } from '../openai/words.ts';
import type { SandboxState } from '../sandbox-state.ts';
import { parseItems } from './ask.ts';

/**
 * @returns the whole dialogue of a request: all items up to the response that it continues, and its own
 * @throws Refused with OpenAI's own error if a response or an item is not stored
 */
export function findDialogue(body: JsonObject, state: SandboxState): readonly JsonObject[] {
  return [...earlierItems(body, state), ...withReferences(parseItems(body['input']), state)];
}

/** @throws Refused with OpenAI's own error if there is no response of that id */
function earlierItems(body: JsonObject, state: SandboxState): readonly JsonObject[] {
  const conversation = asText(body['conversation']) ?? asText(asObject(body['conversation'])?.['id']);
  if (conversation !== undefined) {
    throw openaiRefusal(404, { message: `Conversation with id '${conversation}' not found.` });
  }
  const previous = asText(body['previous_response_id']);
  if (previous === undefined) return [];
  const stored = state.responses.get(previous);
  if (stored !== undefined) return stored.dialogue;
  throw badField(
    `Previous response with id '${previous}' not found.`,
    'previous_response_id',
    'previous_response_not_found',
  );
}

/**
 * The items, with each reference replaced by the item that it refers to.
 * @throws Refused with OpenAI's own error if there is no such item
 */
function withReferences(items: readonly JsonObject[], state: SandboxState): readonly JsonObject[] {
  return items.map((item) => (isReference(item) ? storedItem(asText(item['id']) ?? '', state) : item));
}

/** Whether the item refers to another one: by its type, or because it has no type and no role. */
function isReference({ type, role }: JsonObject): boolean {
  return type === 'item_reference' || (asText(type) === undefined && role === undefined);
}

/**
 * @returns a stored item
 * @throws Refused with OpenAI's own error if no stored item has this id
 */
export function storedItem(id: string, state: SandboxState): JsonObject {
  const item = state.items.get(id);
  if (item !== undefined) return item;
  throw openaiRefusal(404, {
    message:
      `Item with id '${id}' not found. Items are not persisted when \`store\` is set to false. ` +
      'Try again with `store` set to true, or remove this item from your input.',
    param: 'input',
  });
}
