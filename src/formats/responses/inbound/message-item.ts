/**
 * Writes a message of the answer: texts and refusals. Consecutive texts become one, as OpenAI writes them. Claude begins
 * a new text with each thing that it cites, and OpenAI's Agents SDK takes the last one for the whole answer
 * (`extract_last_text` of its `ItemHelpers`), which then was only a full stop.
 */

import type { Signature } from '../../../conversation/prompt.ts';
import type { PartStart } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { getOrigin } from '../wire/origin.ts';
import { type MessageContent, refusalContent } from './message-content.ts';
import { type TextOptions, textContent } from './message-text.ts';
import type { EventWriter, Item, Place } from './output-item.ts';

/** Makes the item of the text or refusal `first`, and of those after it that belong to the same message. */
export function messageItem(
  { id, index }: Place,
  first: PartStart,
  events: EventWriter,
  options: TextOptions,
): Item {
  const { at, item = {} } = getOrigin(first.formatSpecific);
  const content: JsonObject[] = [];
  let open: MessageContent | undefined;
  /** Whether the open content is a text that has ended, but that another text may continue. */
  let isPaused = false;
  let signature: Signature | undefined;
  let last = first;

  const close = (): void => {
    if (open) content.push(open.end());
    open = undefined;
    isPaused = false;
  };

  return {
    isMessage: true,
    close,
    takes: ({ part, formatSpecific }) =>
      (part.kind === 'text' || part.kind === 'refusal') &&
      signature === undefined &&
      getOrigin(formatSpecific).at === at,
    start(start) {
      const continues = isPaused && canJoin(start);
      isPaused = false;
      if (continues) {
        signature = start.signature;
        return;
      }
      close();
      const place = { item_id: id, output_index: index, content_index: content.length };
      const { part: fields = {} } = getOrigin(start.formatSpecific);
      signature = start.signature;
      open =
        start.part.kind === 'refusal'
          ? refusalContent(place, fields, events)
          : textContent(place, fields, events, options);
      last = start;
    },
    delta: (text) => open?.delta(text),
    detail(detail) {
      signature = detail.signature ?? signature;
      if (detail.citation) open?.cite(detail.citation);
    },
    logprobs: (tokens) => open?.logprobs(tokens),
    end() {
      if (!canJoin(last)) return close();
      open?.pause();
      isPaused = open !== undefined;
    },
    render: (status, phase) => ({
      ...item,
      id,
      type: 'message',
      status,
      content: open && isPaused ? [...content, open.render()] : [...content],
      role: 'assistant',
      // An item that came in this format has the vendor's own phase, or none.
      ...(phase && first.formatSpecific?.format !== 'responses' && { phase }),
    }),
    keepAlive() {
      open?.keepAlive();
      return open !== undefined;
    },
    unplacedSignature: () => signature,
  };
}

/** Whether a text may be joined with the one before it or after it. What came in this format goes out as it was. */
function canJoin({ part, formatSpecific }: PartStart): boolean {
  return part.kind === 'text' && formatSpecific?.format !== 'responses';
}
