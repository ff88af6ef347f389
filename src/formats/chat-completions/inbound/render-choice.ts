/** One choice of a stream as chunks. A piece of text becomes one JSON string between two prepared texts. */

import type { Citation, FormatSpecific, Signature } from '../../../conversation/prompt.ts';
import {
  type ChoiceEnd,
  getChoiceEnd,
  type OpenPart,
  type PartDetail,
  type PartStart,
  type TokenLogprob,
} from '../../../conversation/reply.ts';
import { isEmpty, type JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import { foreign } from '../../foreign.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { renderSignedDetails } from '../wire/reasoning-details.ts';
import { renderExtraContent } from '../wire/signatures.ts';
import { separatorBetween } from '../wire/text-separator.ts';
import { renderThinkingBlocks, type Thought } from '../wire/thinking-blocks.ts';
import { annotationCollector } from './annotation-collector.ts';
import { callRenderer, type OpenCall } from './render-calls.ts';
import { renderEnd } from './response-fields.ts';

/** The chunks in which a choice stands. */
export interface ChunkFrame {
  /** The index of the choice. */
  readonly index: number;
  /** The JSON text of a chunk before its choice, and after it. */
  readonly before: string;
  readonly after: string;
  /** Whether the first call is written as a `function_call`. */
  readonly usesFunctionCall: boolean;
}

export interface ChoiceRenderer {
  open(event: PartStart, out: Sink<Sse>): void;
  /** A piece of the open part. An empty piece of a call or a text is a chunk that says nothing. */
  write(text: string, out: Sink<Sse>): void;
  addDetail(event: PartDetail): void;
  close(out: Sink<Sse>): void;
  writeLogprobs(tokens: readonly TokenLogprob[], out: Sink<Sse>): void;
  end(event: ChoiceEnd, out: Sink<Sse>): void;
}

/** The part whose pieces are being written. */
interface OpenText {
  readonly part: OpenPart;
  /** The chunk's JSON text before and after a piece. */
  readonly before: string;
  readonly after: string;
  /** The whole text so far; only of a thought. */
  text: string;
  /** The length of the text so far, in UTF-16 code units. */
  length: number;
  signature: Signature | undefined;
  redacted: Signature | undefined;
  readonly formatSpecific: FormatSpecific | undefined;
  readonly citations: Citation[];
  /** Only of a call. */
  readonly call: OpenCall | undefined;
}

/** A choice without any part yet. */
export function choiceRenderer({ index, before, after, usesFunctionCall }: ChunkFrame): ChoiceRenderer {
  const prefix = `${before}{"index":${index},"delta":`;
  const suffix = `,"logprobs":null,"finish_reason":null}${after}`;
  const writeDelta = (delta: JsonObject, out: Sink<Sse>): void =>
    out.enqueue({ data: prefix + JSON.stringify(delta) + suffix });
  const calls = callRenderer(usesFunctionCall, writeDelta);
  const annotations = annotationCollector();
  const thoughts: Thought[] = [];
  const others = foreign();
  let open: OpenText | undefined;
  let hasRefusal = false;
  /** The thought and the text that came last. */
  let lastThought = '';
  let lastText = '';
  /** Whether a part of another kind came after that text. */
  let isInterrupted = false;

  /** @param pieceBefore the delta's JSON text before a piece of the part, and `pieceAfter` the text after it. */
  const openText = (
    { part, signature, formatSpecific }: PartStart,
    pieceBefore: string,
    pieceAfter: string,
    call?: OpenCall,
  ): OpenText => ({
    part,
    before: prefix + pieceBefore,
    after: pieceAfter + suffix,
    text: '',
    length: 0,
    signature: part.kind === 'tool-call' ? undefined : signature,
    redacted: undefined,
    formatSpecific,
    citations: [],
    call,
  });

  /** The separator before the first piece of a part. */
  const separatorBefore = ({ kind }: OpenPart, text: string): string => {
    if (kind === 'thinking') return separatorBetween(lastThought, text);
    if (kind !== 'text' || !isInterrupted || text === '') return '';
    isInterrupted = false;
    const separator = separatorBetween(lastText, text);
    annotations.skip(separator.length);
    return separator;
  };

  return {
    open(event, out) {
      const { part } = event;
      if (part.kind !== 'text') isInterrupted = true;
      switch (part.kind) {
        case 'text':
          open = openText(event, '{"content":', '}');
          return;
        case 'thinking':
          open = openText(event, '{"reasoning_content":', '}');
          return;
        case 'refusal':
          hasRefusal = true;
          open = openText(event, '{"refusal":', '}');
          return;
        case 'tool-call': {
          const call = calls.open(part, event.signature, out);
          open = openText(event, call.before, call.after, call);
          return;
        }
        case 'opaque':
          others.block(part.format, part.value);
          open = undefined;
          return;
      }
    },
    write(text, out) {
      if (open === undefined) return;
      const separator = open.length === 0 ? separatorBefore(open.part, text) : '';
      open.length += text.length;
      if (open.part.kind === 'thinking') open.text += text;
      else if (open.part.kind === 'text' && text !== '') lastText = text;
      out.enqueue({ data: open.before + JSON.stringify(separator + text) + open.after });
    },
    addDetail({ signature, redacted, citation }) {
      if (open === undefined) return;
      open.signature = signature ?? open.signature;
      open.redacted = redacted ?? open.redacted;
      if (citation) open.citations.push(citation);
    },
    close(out) {
      if (open === undefined) return;
      const { part, call, signature, length } = open;
      if (call) calls.close(call, signature, out);
      else if (part.kind === 'text') {
        annotations.add(open.citations, length);
        if (signature) writeDelta(renderExtraContent(signature), out);
      } else if (part.kind === 'thinking') {
        thoughts.push(open);
        lastThought = open.text || lastThought;
      }
      open = undefined;
    },
    writeLogprobs(tokens, out) {
      const logprobs = renderLogprobs(tokens, open?.part.kind === 'refusal');
      const choice = JSON.stringify({ index, delta: {}, logprobs, finish_reason: null });
      out.enqueue({ data: before + choice + after });
    },
    end(event, out) {
      const blocks = renderThinkingBlocks(thoughts);
      const details = renderSignedDetails(thoughts, calls.signed);
      for (const citation of annotations.unlinked) others.cite(citation);
      const fields = {
        ...(annotations.rendered.length > 0 && { annotations: annotations.rendered }),
        ...(blocks && { thinking_blocks: blocks }),
        ...(details && { reasoning_details: details }),
        ...others.fields(),
      };
      // All at once: a client that joins deltas would merge blocks, and OpenAI's Python client fails at a second list
      // whose entries have no index.
      if (!isEmpty(fields)) writeDelta(fields, out);
      const around = { index, delta: {}, logprobs: null };
      const choice = renderEnd(getChoiceEnd(event), around, {
        calls: calls.count(),
        functionCall: calls.hasFunctionCall(),
        refusal: hasRefusal,
      });
      out.enqueue({ data: before + JSON.stringify(choice) + after });
    },
  };
}
