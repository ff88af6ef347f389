/** A call of a tool that the caller runs (`client-calls.ts`), in the answer. */

import type { Signature } from '../../../conversation/prompt.ts';
import { asList, type JsonObject } from '../../../lib/json.ts';
import { actionOf, type ClientCall } from './client-calls.ts';
import type { Item, Place, Teller } from './output-item.ts';

/** The item of the call with this id. It is added once the call is whole, for JSON text says nothing before. */
export function clientCallItem(place: Place, callId: string, call: ClientCall, tell: Teller): Item {
  const at = { output_index: place.index };
  const item = (status: string, action: JsonObject): JsonObject => ({
    id: place.id,
    type: call.item,
    status,
    [call.field]: action,
    call_id: callId,
    ...call.beside,
  });
  let text = '';
  let action: JsonObject = {};
  let signature: Signature | undefined;

  return {
    isLate: true,
    takes: () => false,
    start() {},
    delta(piece) {
      text += piece;
    },
    detail(detail) {
      signature = detail.signature ?? signature;
    },
    pause: () => false,
    end() {
      action = actionOf(call, text);
      const begun = item('in_progress', call.begun(action));
      tell.say('response.output_item.added', { ...at, item: begun });
      // Those of a shell have events of their own (API reference, `response.shell_call_command`).
      for (const [index, command] of asList(action['commands']).entries()) {
        const event = 'response.shell_call_command';
        const which = { ...at, command_index: index };
        tell.say(`${event}.added`, { ...which, command: '' });
        if (command !== '') tell.say(`${event}.delta`, { ...which, delta: command });
        tell.say(`${event}.done`, { ...which, command });
      }
    },
    value: (status) => item(status === 'incomplete' ? call.cut : status, action),
    unplaced: () => signature,
  };
}
