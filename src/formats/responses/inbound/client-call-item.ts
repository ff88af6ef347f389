/** Writes a call of a tool that the caller runs (`client-calls.ts`) in the answer. */

import { asList, type JsonObject } from '../../../lib/json.ts';
import { type ClientCall, parseAction } from './client-calls.ts';
import type { EventWriter, Item, Place, Status } from './output-item.ts';

/** The item of a call. It is added only when the call is complete: partial JSON text says nothing. */
export class ClientCallItem implements Item {
  readonly isLate = true;
  readonly signed = 'after';
  readonly #place: Place;
  readonly #callId: string;
  readonly #call: ClientCall;
  readonly #events: EventWriter;
  #text = '';
  #action: JsonObject = {};

  constructor(place: Place, callId: string, call: ClientCall, events: EventWriter) {
    this.#place = place;
    this.#callId = callId;
    this.#call = call;
    this.#events = events;
  }

  delta(piece: string): void {
    this.#text += piece;
  }

  end(): void {
    const at = { output_index: this.#place.index };
    this.#action = parseAction(this.#call, this.#text);
    const item = this.#renderItem('in_progress', this.#call.renderAdded(this.#action));
    this.#events.write('response.output_item.added', { ...at, item });
    // The commands of a shell have events of their own (API reference, `response.shell_call_command`).
    for (const [index, command] of asList(this.#action['commands']).entries()) {
      const event = 'response.shell_call_command';
      const which = { ...at, command_index: index };
      this.#events.write(`${event}.added`, { ...which, command: '' });
      if (command !== '') this.#events.write(`${event}.delta`, { ...which, delta: command });
      this.#events.write(`${event}.done`, { ...which, command });
    }
  }

  render(status: Status): JsonObject {
    return this.#renderItem(status === 'incomplete' ? this.#call.cutStatus : status, this.#action);
  }

  #renderItem(status: Status, action: JsonObject): JsonObject {
    const { item, field, constants } = this.#call;
    return {
      id: this.#place.id,
      type: item,
      status,
      [field]: action,
      call_id: this.#callId,
      ...constants,
    };
  }
}
