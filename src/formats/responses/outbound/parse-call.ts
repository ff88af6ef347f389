/** Reads tool calls of an answer. */

import { ArgumentPieces } from '../../../conversation/rules/argument-pieces.ts';
import { argumentsText } from '../../../conversation/rules/arguments.ts';
import { asText, isObject, type JsonObject } from '../../../lib/json.ts';
import { brokenAnswer } from '../../event-data.ts';
import { parseNamespacedName, parseNeutralName, qualifyName } from '../wire/namespaces.ts';
import { keepOrigin } from '../wire/origin.ts';
import type { ItemEvent } from './item-events.ts';
import { findRest, type ItemReader, remainingFields } from './item-reader.ts';
import type { PartWriter } from './part-writer.ts';

const READ: ReadonlySet<string> = new Set(['type', 'status', 'call_id', 'name', 'arguments', 'input']);

/** Reads a call of a function or of a custom tool. It begins with its name, which some services tell only at its end. */
export class CallReader implements ItemReader {
  readonly #at: number;
  readonly #added: JsonObject;
  readonly #parts: PartWriter;
  readonly #names: ReadonlyMap<string, string>;
  readonly #custom: boolean;
  readonly #pieces = new ArgumentPieces();
  /** Undefined until its name is known. */
  #index: number | undefined;
  /** The input that came before its name. */
  #early = '';
  /** How much of its input came. */
  #length = 0;

  /**
   * @param at the place of the item in the output.
   * @param added the item as far as it is known when it is added.
   * @param names the prompt's names of the tools that go by others: changed ones, and `crm.find` for one in a namespace.
   */
  constructor(at: number, added: JsonObject, parts: PartWriter, names: ReadonlyMap<string, string>) {
    this.#at = at;
    this.#added = added;
    this.#parts = parts;
    this.#names = names;
    this.#custom = added['type'] === 'custom_tool_call';
    this.#begin(added);
  }

  read({ type, kind }: ItemEvent, event: JsonObject): void {
    if (kind.field !== this.#field) return;
    const delta = asText(event['delta']) ?? '';
    if (type === 'delta') this.#write(this.#custom ? delta : this.#pieces.add(delta));
    else if (type === 'text-done') this.#complete(event);
  }

  /** @throws GatewayError `upstream-broken` if the whole call has no name either. */
  done(whole: JsonObject): void {
    if (this.#index === undefined) this.#begin({ ...this.#added, ...whole });
    if (this.#index === undefined) throw brokenAnswer('a tool call without a name');
    this.#complete(whole);
    if (this.#parts.open === this.#index) this.#parts.end();
  }

  get #field(): 'input' | 'arguments' {
    return this.#custom ? 'input' : 'arguments';
  }

  /** Adds what has not come of the whole input. Some services write it as the object that its text stands for. */
  #complete(whole: JsonObject): void {
    const input = whole[this.#field];
    if (!isObject(input)) this.#write(findRest(input, this.#length));
    else if (this.#length === 0) this.#write(argumentsText(input));
  }

  #begin(item: JsonObject): void {
    const names = this.#names;
    const member = parseNamespacedName(item);
    const name = member && names.has(qualifyName(member)) ? qualifyName(member) : parseNeutralName(item);
    if (!name) return;
    // Some services give a call no other id than that of its item.
    const id = asText(item['call_id']) || asText(item['id']) || '';
    const part = {
      kind: 'tool-call',
      id,
      name: names.get(name) ?? name,
      ...(this.#custom && { custom: true }),
    } as const;
    const origin = keepOrigin({ at: this.#at, item: { ...remainingFields(item, READ), ...member } });
    this.#index = this.#parts.start(part, origin);
    if (this.#early !== '') this.#parts.text(this.#early);
  }

  #write(piece: string): void {
    if (piece === '') return;
    if (this.#index === undefined) this.#early += piece;
    else if (this.#parts.open === this.#index) this.#parts.text(piece);
    else return;
    this.#length += piece.length;
  }
}
