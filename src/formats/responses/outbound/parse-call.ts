/** Reads tool calls of an answer. */

import { asText, type JsonObject } from '../../../lib/json.ts';
import { parseNamespacedName, parseNeutralName, qualifyName } from '../wire/namespaces.ts';
import { keepOrigin } from '../wire/origin.ts';
import type { ItemEvent } from './item-events.ts';
import { findRest, type ItemReader, remainingFields } from './item-reader.ts';
import type { PartWriter } from './part-writer.ts';

/** The fields of a call that are read elsewhere. */
const READ: ReadonlySet<string> = new Set(['type', 'status', 'call_id', 'name', 'arguments', 'input']);

/** Reads a call of a function or of a custom tool. */
export class CallReader implements ItemReader {
  readonly #parts: PartWriter;
  readonly #field: 'input' | 'arguments';
  readonly #index: number;
  /** How much of its input came. */
  #length = 0;

  /**
   * @param at the place of the item in the output.
   * @param added the item as far as it is known when it is added.
   * @param names the prompt's names of the tools that go by others: changed ones, and `crm.find` for one in a namespace.
   */
  constructor(at: number, added: JsonObject, parts: PartWriter, names: ReadonlyMap<string, string>) {
    const { type, call_id } = added;
    const custom = type === 'custom_tool_call';
    const member = parseNamespacedName(added);
    const sent = member && names.has(qualifyName(member)) ? qualifyName(member) : parseNeutralName(added);
    const name = sent ?? '';
    // Some services give a call no other id than that of its item.
    const id = asText(call_id) || asText(added['id']) || '';
    const part = {
      kind: 'tool-call',
      id,
      name: names.get(name) ?? name,
      ...(custom && { custom }),
    } as const;
    const item = { ...remainingFields(added, READ), ...member };
    this.#parts = parts;
    this.#field = custom ? 'input' : 'arguments';
    this.#index = parts.start(part, keepOrigin({ at, item }));
  }

  read({ type, kind }: ItemEvent, event: JsonObject): void {
    if (kind.field !== this.#field) return;
    if (type === 'delta') this.#write(asText(event['delta']) ?? '');
    else if (type === 'text-done') this.#write(findRest(event[this.#field], this.#length));
  }

  done(whole: JsonObject): void {
    this.#write(findRest(whole[this.#field], this.#length));
    if (this.#parts.open === this.#index) this.#parts.end();
  }

  #write(piece: string): void {
    if (piece === '' || this.#parts.open !== this.#index) return;
    this.#length += piece.length;
    this.#parts.text(piece);
  }
}
