/** Writes a tool call of the answer: of a function, with JSON arguments, or of a custom tool, with free text. */

import type { OpenPart, PartStart } from '../../../conversation/reply.ts';
import { flat } from '../../../lib/flat-text.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { type NamespacedName, parseNamespacedName } from '../wire/namespaces.ts';
import { getOrigin } from '../wire/origin.ts';
import type { Deltas, EventWriter, Item, Place, Status } from './output-item.ts';

type Call = OpenPart & { readonly kind: 'tool-call' };

/** The name by which the caller calls a tool. */
export type CallerName = NamespacedName | { readonly name: string };

/** What differs between the items of functions and of custom tools. */
interface Kind {
  readonly type: 'function_call' | 'custom_tool_call';
  readonly field: 'arguments' | 'input';
  /** How the names of its events begin. */
  readonly event: string;
}

const FUNCTION: Kind = {
  type: 'function_call',
  field: 'arguments',
  event: 'response.function_call_arguments',
};
const CUSTOM: Kind = {
  type: 'custom_tool_call',
  field: 'input',
  event: 'response.custom_tool_call_input',
};

export class CallItem implements Item {
  readonly signed = 'after';
  readonly #call: Call;
  readonly #events: EventWriter;
  readonly #kind: Kind;
  /** The item as the vendor began it. */
  readonly #item: JsonObject;
  readonly #callerName: CallerName;
  /** The fields that say in every event where the item is. */
  readonly #place: { readonly item_id: string; readonly output_index: number };
  readonly #deltas: Deltas;
  #text = '';

  /** @param known the caller's name of the tool, unless the call says it */
  constructor({ id, index }: Place, call: Call, start: PartStart, events: EventWriter, known: CallerName) {
    const { item = {} } = getOrigin(start.formatSpecific);
    this.#call = call;
    this.#events = events;
    this.#kind = call.custom ? CUSTOM : FUNCTION;
    this.#item = item;
    this.#callerName = parseNamespacedName(item) ?? known;
    this.#place = { item_id: id, output_index: index };
    this.#deltas = events.deltas(`${this.#kind.event}.delta`, this.#place);
  }

  delta(piece: string): void {
    this.#text += piece;
    this.#events.writeDelta(this.#deltas, piece);
  }

  keepAlive(): boolean {
    this.#events.writeDelta(this.#deltas, '');
    return true;
  }

  end(): void {
    this.#text = flat(this.#text);
    const { event, field } = this.#kind;
    const { name } = this.#callerName;
    const fields = { ...this.#place, ...(!this.#call.custom && { name }), [field]: this.#text };
    this.#events.write(`${event}.done`, fields);
  }

  render(status: Status): JsonObject {
    const { type, field } = this.#kind;
    return {
      ...this.#item,
      ...this.#callerName,
      id: this.#place.item_id,
      type,
      status,
      [field]: this.#text,
      call_id: this.#call.id,
    };
  }
}
