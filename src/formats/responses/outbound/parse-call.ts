/** Tool calls of an answer. */

import { asText, type JsonObject } from '../../../lib/json.ts';
import { keptOrigin } from '../wire/format-specific.ts';
import { callersName, nameElsewhere } from '../wire/namespaces.ts';
import { type ItemReader, present, restOf } from './item-reader.ts';
import type { PartWriter } from './part-writer.ts';

/** @param names the caller's names of tools whose name had to be changed. */
export function callReader(
  at: number,
  added: JsonObject,
  parts: PartWriter,
  names: ReadonlyMap<string, string>,
): ItemReader {
  const { type, call_id, name: _n, arguments: _a, input: _i, ...rest } = added;
  const custom = type === 'custom_tool_call';
  const field = custom ? 'input' : 'arguments';
  const name = nameElsewhere(added) ?? '';
  // Some services number calls only as items.
  const id = asText(call_id) || asText(added['id']) || `call_${at}`;
  const part = { kind: 'tool-call', id, name: names.get(name) ?? name, ...(custom && { custom }) } as const;
  const index = parts.start(part, keptOrigin({ at, item: present({ ...rest, ...callersName(added) }) }));
  let length = 0;

  const speak = (piece: string): void => {
    if (piece === '' || parts.open() !== index) return;
    length += piece.length;
    parts.text(piece);
  };

  return {
    read({ verb, kind }, event) {
      if (kind.field !== field) return;
      if (verb === 'piece') speak(asText(event['delta']) ?? '');
      else if (verb === 'whole') speak(restOf(event[field], length));
    },
    done(item) {
      speak(restOf(item[field], length));
      if (parts.open() === index) parts.end();
    },
  };
}
