/** Writes a tool call of the answer: of a function, with JSON arguments, or of a custom tool, with free text. */

import type { Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartStart } from '../../../conversation/reply.ts';
import { type NamespacedName, parseNamespacedName } from '../wire/namespaces.ts';
import { getOrigin } from '../wire/origin.ts';
import type { EventWriter, Item, Place } from './output-item.ts';

type Call = OpenPart & { readonly kind: 'tool-call' };

/** The name by which the caller calls a tool. */
export type CallerName = NamespacedName | { readonly name: string };

/** Makes the item of a call. @param known the caller's name of the tool, unless the call says it */
export function callItem(
  { id, index }: Place,
  call: Call,
  start: PartStart,
  events: EventWriter,
  known: CallerName,
): Item {
  const { item = {} } = getOrigin(start.formatSpecific);
  const callerName = parseNamespacedName(item) ?? known;
  const { name } = callerName;
  const place = { item_id: id, output_index: index };
  const [type, field, event] = call.custom
    ? (['custom_tool_call', 'input', 'response.custom_tool_call_input'] as const)
    : (['function_call', 'arguments', 'response.function_call_arguments'] as const);
  const writeDelta = events.deltas(`${event}.delta`, place);
  let text = '';
  let signature: Signature | undefined;

  const delta = (piece: string): void => {
    text += piece;
    writeDelta(piece);
  };

  return {
    takes: () => false,
    start() {},
    delta,
    detail(detail) {
      signature = detail.signature ?? signature;
    },
    keepAlive() {
      writeDelta('');
      return true;
    },
    end() {
      events.write(`${event}.done`, { ...place, ...(!call.custom && { name }), [field]: text });
    },
    render: (status) => ({ ...item, ...callerName, id, type, status, [field]: text, call_id: call.id }),
    unplacedSignature: () => signature,
  };
}
