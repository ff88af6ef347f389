/** Writes a call of a tool that the caller runs (`client-calls.ts`) in the answer. */

import { asList, type JsonObject } from '../../../lib/json.ts';
import { type ClientCall, parseAction } from './client-calls.ts';
import type { EventWriter, Item, Place, Status } from './output-item.ts';

/** The item of a call. It is added only when the call is complete: partial JSON text says nothing. */
export function clientCallItem(place: Place, callId: string, call: ClientCall, events: EventWriter): Item {
  let text = '';
  let action: JsonObject = {};
  const renderItem = (status: Status, shown: JsonObject): JsonObject => ({
    id: place.id,
    type: call.item,
    status,
    [call.field]: shown,
    call_id: callId,
    ...call.constants,
  });
  return {
    isLate: true,
    signed: 'after',
    delta(piece) {
      text += piece;
    },
    end() {
      const at = { output_index: place.index };
      action = parseAction(call, text);
      const item = renderItem('in_progress', call.renderAdded(action));
      events.write('response.output_item.added', { ...at, item });
      // The commands of a shell have events of their own (API reference, `response.shell_call_command`).
      for (const [index, command] of asList(action['commands']).entries()) {
        const event = 'response.shell_call_command';
        const which = { ...at, command_index: index };
        events.write(`${event}.added`, { ...which, command: '' });
        if (command !== '') events.write(`${event}.delta`, { ...which, delta: command });
        events.write(`${event}.done`, { ...which, command });
      }
    },
    render: (status) => renderItem(status === 'incomplete' ? call.cutStatus : status, action),
  };
}
