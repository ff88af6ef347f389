/** A reasoning item of the answer: thoughts as its summary, and what proves them as its `encrypted_content`. */

import type { PartDetail, PartStart } from '../../../conversation/reply.ts';
import { UNSIGNED } from '../../../conversation/signature.ts';
import type { JsonObject } from '../../../lib/json.ts';
import { originOf } from '../wire/format-specific.ts';
import { encryptedContent } from '../wire/sealed-signature.ts';
import type { Item, Place, Teller } from './output-item.ts';

/** Where a thought's text stands: in the summary, or, from open models, in the content. */
interface Kind {
  readonly list: 'summary' | 'content';
  readonly type: 'summary_text' | 'reasoning_text';
  /** Names of the events of the part and of its text. */
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

export function reasoningItem({ id, index }: Place, first: PartStart, tell: Teller): Item {
  const { at, item = {} } = originOf(first.formatSpecific);
  const isOwn = first.formatSpecific?.format === 'responses';
  const lists: Record<Kind['list'], JsonObject[]> = { summary: [], content: [] };
  let kind = SUMMARY;
  let secret: string | undefined;
  let text = '';
  let speak: ((piece: string) => void) | undefined;

  const prove = (proofs: Pick<PartDetail, 'signature' | 'redacted'>): void => {
    secret = encryptedContent(proofs) ?? secret;
  };
  const place = (): JsonObject => ({
    item_id: id,
    output_index: index,
    [`${kind.list}_index`]: lists[kind.list].length,
  });
  /** A signature without a thought has no summary part: a part is added with its first piece. */
  const open = (): ((piece: string) => void) => {
    tell.say(`${kind.part}.added`, { ...place(), part: { type: kind.type, text: '' } });
    return tell.deltas(`${kind.text}.delta`, place());
  };

  return {
    takes: ({ part, formatSpecific: own }) =>
      part.kind === 'thinking' && secret === undefined && at !== undefined && originOf(own).at === at,
    start(start) {
      kind = originOf(start.formatSpecific).part?.['type'] === 'reasoning_text' ? CONTENT : SUMMARY;
      prove(start);
    },
    delta(piece) {
      text += piece;
      speak ??= open();
      speak(piece);
    },
    detail: prove,
    pause() {
      speak?.('');
      return speak !== undefined;
    },
    end() {
      if (speak === undefined) return;
      const part = { type: kind.type, text };
      tell.say(`${kind.text}.done`, { ...place(), text });
      tell.say(`${kind.part}.done`, { ...place(), part });
      lists[kind.list].push(part);
      text = '';
      speak = undefined;
    },
    value: (status) => ({
      ...item,
      id,
      type: 'reasoning',
      summary: [...lists.summary],
      ...(lists.content.length > 0 && { content: [...lists.content] }),
      ...(secret !== undefined && { encrypted_content: secret }),
      ...(secret === undefined && !isOwn && status !== 'in_progress' && { encrypted_content: UNSIGNED }),
    }),
    unplaced: () => undefined,
  };
}
