/** A tool call of the answer: of a function, fed with JSON, or of a custom tool, fed with free text. */

import type { Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartStart } from '../../../conversation/reply.ts';
import { originOf } from '../wire/format-specific.ts';
import { type CallersName, callersName } from '../wire/namespaces.ts';
import type { Item, Place, Teller } from './output-item.ts';

type Call = OpenPart & { readonly kind: 'tool-call' };

/** @param names of the caller's tools that are in namespaces, by their names elsewhere. */
export function callItem(
  { id, index }: Place,
  call: Call,
  start: PartStart,
  tell: Teller,
  names: ReadonlyMap<string, CallersName>,
): Item {
  const { item = {} } = originOf(start.formatSpecific);
  const called = callersName(item) ?? names.get(call.name) ?? { name: call.name };
  const { name } = called;
  const place = { item_id: id, output_index: index };
  const [type, field, event] = call.custom
    ? (['custom_tool_call', 'input', 'response.custom_tool_call_input'] as const)
    : (['function_call', 'arguments', 'response.function_call_arguments'] as const);
  const speak = tell.deltas(`${event}.delta`, place);
  let text = '';
  let signature: Signature | undefined;

  const delta = (piece: string): void => {
    text += piece;
    speak(piece);
  };

  return {
    takes: () => false,
    start() {},
    delta,
    detail(detail) {
      signature = detail.signature ?? signature;
    },
    pause() {
      speak('');
      return true;
    },
    end() {
      // Arguments are JSON text of an object: clients parse them, and '' is none.
      if (text === '' && !call.custom) delta('{}');
      tell.say(`${event}.done`, { ...place, ...(!call.custom && { name }), [field]: text });
    },
    value: (status) => ({ ...item, ...called, id, type, status, [field]: text, call_id: call.id }),
    unplaced: () => signature,
  };
}
