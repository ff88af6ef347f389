/** Reads tool calls of an answer. */

import { asText, type JsonObject } from '../../../lib/json.ts';
import { parseNamespacedName, parseNeutralName, qualifyName } from '../wire/namespaces.ts';
import { keepOrigin } from '../wire/origin.ts';
import { findRest, type ItemReader, remainingFields } from './item-reader.ts';
import type { PartWriter } from './part-writer.ts';

/** The fields of a call that are read elsewhere. */
const READ: ReadonlySet<string> = new Set(['type', 'status', 'call_id', 'name', 'arguments', 'input']);

/**
 * Makes the reader of a call of a function or of a custom tool.
 * @param at the place of the item in the output.
 * @param added the item as far as it is known when it is added.
 * @param names the prompt's names of the tools that go by others: changed ones, and `crm.find` for one in a namespace.
 */
export function callReader(
  at: number,
  added: JsonObject,
  parts: PartWriter,
  names: ReadonlyMap<string, string>,
): ItemReader {
  const { type, call_id } = added;
  const custom = type === 'custom_tool_call';
  const field = custom ? 'input' : 'arguments';
  const member = parseNamespacedName(added);
  const sent = member && names.has(qualifyName(member)) ? qualifyName(member) : parseNeutralName(added);
  const name = sent ?? '';
  // Some services give a call no other id than that of its item.
  const id = asText(call_id) || asText(added['id']) || '';
  const part = { kind: 'tool-call', id, name: names.get(name) ?? name, ...(custom && { custom }) } as const;
  const item = { ...remainingFields(added, READ), ...member };
  const index = parts.start(part, keepOrigin({ at, item }));
  let length = 0;

  const write = (piece: string): void => {
    if (piece === '' || parts.open() !== index) return;
    length += piece.length;
    parts.text(piece);
  };

  return {
    read({ type: eventType, kind }, event) {
      if (kind.field !== field) return;
      if (eventType === 'delta') write(asText(event['delta']) ?? '');
      else if (eventType === 'text-done') write(findRest(event[field], length));
    },
    done(whole) {
      write(findRest(whole[field], length));
      if (parts.open() === index) parts.end();
    },
  };
}
