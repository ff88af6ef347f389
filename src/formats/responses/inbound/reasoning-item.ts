/** Writes a reasoning item of the answer: thoughts as its summary, and their signature as `encrypted_content`. */

import type { PartDetail, PartStart } from '../../../conversation/reply.ts';
import { UNSIGNED } from '../../../conversation/signature.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { getOrigin } from '../wire/origin.ts';
import { renderEncryptedContent } from '../wire/sealed-signature.ts';
import type { EventWriter, Item, Place } from './output-item.ts';

/** Where the text of a thought goes: into the summary, or, from open models, into the content. */
interface Kind {
  readonly list: 'summary' | 'content';
  readonly type: 'summary_text' | 'reasoning_text';
  /** The names of the events of the part and of its text. */
  readonly part: string;
  readonly text: string;
}

const SUMMARY: Kind = {
  list: 'summary',
  type: 'summary_text',
  part: 'response.reasoning_summary_part',
  text: 'response.reasoning_summary_text',
};

const CONTENT: Kind = {
  list: 'content',
  type: 'reasoning_text',
  part: 'response.content_part',
  text: 'response.reasoning_text',
};

/** Makes the item of the thinking part `first`, and of those after it that came in the same item. */
export function reasoningItem({ id, index }: Place, first: PartStart, events: EventWriter): Item {
  const { at, item = {} } = getOrigin(first.formatSpecific);
  const isNative = first.formatSpecific?.format === 'responses';
  const lists: Record<Kind['list'], JsonObject[]> = { summary: [], content: [] };
  let kind = SUMMARY;
  let encrypted: string | undefined;
  let text = '';
  let writeDelta: ((piece: string) => void) | undefined;

  const sign = (signatures: Pick<PartDetail, 'signature' | 'redacted'>): void => {
    encrypted = renderEncryptedContent(signatures) ?? encrypted;
  };
  const renderPlace = (): JsonObject => ({
    item_id: id,
    output_index: index,
    [`${kind.list}_index`]: lists[kind.list].length,
  });
  /** Adds a part with its first piece: a signature without a thought has no part. */
  const openPart = (): ((piece: string) => void) => {
    events.write(`${kind.part}.added`, { ...renderPlace(), part: { type: kind.type, text: '' } });
    return events.deltas(`${kind.text}.delta`, renderPlace());
  };

  return {
    takes: ({ part, formatSpecific }) =>
      part.kind === 'thinking' &&
      encrypted === undefined &&
      at !== undefined &&
      getOrigin(formatSpecific).at === at,
    start(start) {
      kind = getOrigin(start.formatSpecific).part?.['type'] === 'reasoning_text' ? CONTENT : SUMMARY;
      sign(start);
    },
    delta(piece) {
      text += piece;
      writeDelta ??= openPart();
      writeDelta(piece);
    },
    detail: sign,
    keepAlive() {
      writeDelta?.('');
      return writeDelta !== undefined;
    },
    end() {
      if (writeDelta === undefined) return;
      const part = { type: kind.type, text };
      events.write(`${kind.text}.done`, { ...renderPlace(), text });
      events.write(`${kind.part}.done`, { ...renderPlace(), part });
      lists[kind.list].push(part);
      text = '';
      writeDelta = undefined;
    },
    render: (status) => ({
      ...item,
      id,
      type: 'reasoning',
      summary: [...lists.summary],
      ...(lists.content.length > 0 && { content: [...lists.content] }),
      ...(encrypted !== undefined && { encrypted_content: encrypted }),
      ...(encrypted === undefined &&
        !isNative &&
        status !== 'in_progress' && { encrypted_content: UNSIGNED }),
    }),
    unplacedSignature: () => undefined,
  };
}
