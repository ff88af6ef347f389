/**
 * Writes the chunks of a stream: each is a whole GenerateContentResponse with the usage so far.
 *
 * A chunk of text is the hot path: one JSON string between two texts that are ready.
 */

import type { ReplyStart, Usage } from '../../../conversation/reply.ts';
import { mergeUsage } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import type { RequestContext } from '../../format.ts';
import { renderExtras, renderHead } from './response-fields.ts';

type Start = Omit<ReplyStart, 'type'>;

/** Writes the chunks of one answer. */
export interface ChunkWriter {
  /** Sets the fields of the whole answer; fields that belong to the first chunk only go into the next one. */
  begin(start: Start): void;
  /** Changes the fields that every chunk has, from the next chunk on. */
  update(change: (start: Start) => Start): void;
  /** Takes in usage: the next chunk tells it. */
  addUsage(usage: Usage): void;
  /** Writes a chunk with one candidate, given as JSON text. */
  write(candidate: string, out: Sink<Sse>): void;
  /** Writes a chunk with one part, given as JSON text, of the candidate with this index. */
  writePart(index: number, part: string, out: Sink<Sse>): void;
  /** Puts `promptFeedback` into the next chunk. */
  setFeedback(promptFeedback: JsonObject): void;
  /** Writes the one chunk of an answer to a blocked prompt. */
  writeBlocked(promptFeedback: JsonObject, out: Sink<Sse>): void;
  /** Whether any chunk has been written. */
  hasWritten(): boolean;
}

/** How a chunk begins that has nothing before its candidates. */
const CANDIDATES = '{"candidates":[';

/** A writer that has written nothing. */
export function chunkWriter(asked: RequestContext): ChunkWriter {
  let start: Start = { id: '', model: '' };
  let usage: Usage = {};
  let before = CANDIDATES;
  let after = '';
  let hasWritten = false;

  const updateHead = (): void => {
    after = `]${fieldsText(renderHead(start, usage, asked))}}`;
  };

  const write = (candidate: string, out: Sink<Sse>): void => {
    out.enqueue({ data: before + candidate + after });
    hasWritten = true;
    before = CANDIDATES;
  };

  return {
    begin(told) {
      start = told;
      const extras = fieldsText(renderExtras(start));
      before = extras === '' ? CANDIDATES : `{${extras.slice(1)},${CANDIDATES.slice(1)}`;
      updateHead();
    },
    update(change) {
      start = change(start);
      updateHead();
    },
    addUsage(figures) {
      usage = mergeUsage(usage, figures);
      updateHead();
    },
    write,
    writePart: (index, part, out) =>
      write(`{"content":{"parts":[${part}],"role":"model"},"index":${index}}`, out),
    setFeedback(promptFeedback) {
      before = `{"promptFeedback":${JSON.stringify(promptFeedback)},${before.slice(1)}`;
    },
    writeBlocked(promptFeedback, out) {
      const chunk = { ...renderExtras(start), promptFeedback, ...renderHead(start, usage, asked) };
      out.enqueue({ data: JSON.stringify(chunk) });
    },
    hasWritten: () => hasWritten,
  };
}

/** An object's fields as in its JSON text, each after a comma; '' for an empty object. */
function fieldsText(object: JsonObject): string {
  const text = JSON.stringify(object).slice(1, -1);
  return text === '' ? '' : `,${text}`;
}
