/** Parts of a streamed answer as events of content blocks. No block is empty: a text's block starts with its first text. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { Citation, Signature } from '../../../conversation/prompt.ts';
import type { OpenPart, PartDetail, PartStart } from '../../../conversation/reply.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import { foreign } from '../../foreign.ts';
import { renderCitation } from '../wire/citations.ts';
import { addCall, type Calls, NO_CALLS } from '../wire/finish-reasons.ts';
import { FORMAT } from '../wire/format-name.ts';
import { renderRedactedBlock, renderSignature } from '../wire/thinking-blocks.ts';
import { createBlockWriter, EMPTY_THINKING } from './block-writer.ts';
import { renderWebSearch } from './render-web-searches.ts';
import { createCallRenderer } from './response-fields.ts';

type Out = Sink<Sse>;

/** The part that is being written. */
interface OpenBlock {
  readonly kind: OpenPart['kind'];
  readonly formatSpecific: PartStart['formatSpecific'];
  /** Whether its text is that of a custom tool, which is written inside a JSON string. */
  readonly isCustom: boolean;
  /** The block as it starts. */
  readonly block: JsonObject;
  /** JSON of the `delta` of its text, up to the text. */
  readonly delta: string;
  /** The data of such an event, up to the text; '' while the block has not started. */
  head: string;
  hasText: boolean;
  signature: Signature | undefined;
  /** Citations that came before any text. */
  readonly citations: JsonObject[];
}

/** Renders the parts of one answer, in their order. */
interface BlockRenderer {
  start(event: PartStart, out: Out): void;
  delta(text: string, out: Out): void;
  detail(event: PartDetail, out: Out): void;
  end(out: Out): void;
  /** Returns what the content so far says about the answer's end. */
  said(): { readonly calls: Calls; readonly refusal: boolean };
  /** Ends the content: no part follows. */
  close(out: Out): void;
  /** Returns what no block can hold, as additional fields of the message. */
  others(): JsonObject;
}

const TEXT = '{"type":"text_delta","text":';
const THINKING = '{"type":"thinking_delta","thinking":';
const ARGUMENTS = '{"type":"input_json_delta","partial_json":';

/**
 * Makes the renderer of one answer's parts.
 * @param stem what ids are made of, where the vendor gave none.
 * @param search the name of the web search that the caller asked for, if it asked for one.
 */
export function createBlockRenderer(stem: string, search: string | undefined): BlockRenderer {
  const callBlock = createCallRenderer(stem);
  const others = foreign();
  const writer = createBlockWriter();
  let open: OpenBlock | undefined;
  let calls = NO_CALLS;
  let refusal = false;
  const cited: Citation[] = [];

  const startBlock = (part: OpenBlock, out: Out): void => {
    if (part.head !== '') return;
    writer.start(part.block, out);
    part.head = writer.deltaHead(part.delta);
    for (const citation of part.citations) writer.delta({ type: 'citations_delta', citation }, out);
  };

  const stopBlock = (part: OpenBlock, out: Out): void => {
    if (part.head === '') return;
    part.head = '';
    writer.stop(out);
  };

  const writeText = (part: OpenBlock, text: string, out: Out): void => {
    part.hasText = true;
    writer.text(part.head, text, out);
  };

  const startPart = (event: PartStart, out: Out): OpenBlock | undefined => {
    const { part, formatSpecific, signature } = event;
    const fields = findFormatFields(formatSpecific, FORMAT);
    switch (part.kind) {
      case 'text':
      case 'refusal':
        refusal ||= part.kind === 'refusal';
        return openBlock(event, { ...fields, type: 'text', text: '', citations: [] }, TEXT);
      case 'thinking':
        return openBlock(event, { ...fields, type: 'thinking', thinking: '', signature: '' }, THINKING);
      case 'tool-call': {
        calls = addCall(calls, fields);
        writer.carry(signature, 'next');
        const { signature: _, ...unsigned } = event;
        const call = openBlock(unsigned, callBlock(part, formatSpecific, {}), ARGUMENTS);
        startBlock(call, out);
        if (call.isCustom) writeText(call, '{"input":"', out);
        return call;
      }
      case 'opaque':
        if (part.format === FORMAT) writer.whole(part.value, out);
        else others.block(part.format, part.value);
        return undefined;
    }
  };

  const endThinking = (part: OpenBlock, out: Out): void => {
    if (part.signature) startBlock(part, out);
    if (part.head !== '') {
      if (!part.hasText) writer.delta(EMPTY_THINKING, out);
      writer.delta({ type: 'signature_delta', signature: renderSignature(part.signature) }, out);
    }
    stopBlock(part, out);
  };

  const addCitation = (part: OpenBlock, citation: Citation, out: Out): void => {
    if (search !== undefined) cited.push(citation);
    const rendered = renderCitation(citation);
    if (rendered === undefined) others.cite(citation);
    else if (part.head === '') part.citations.push(rendered);
    else writer.delta({ type: 'citations_delta', citation: rendered }, out);
  };

  return {
    start(event, out) {
      open = startPart(event, out);
    },
    delta(text, out) {
      if (open === undefined) return;
      if (open.head === '') startBlock(open, out);
      writeText(open, open.isCustom ? JSON.stringify(text).slice(1, -1) : text, out);
    },
    detail({ signature, redacted, citation }, out) {
      if (open === undefined) return;
      if (signature) open.signature = signature;
      if (redacted) {
        stopBlock(open, out);
        writer.whole(renderRedactedBlock(redacted, findFormatFields(open.formatSpecific, FORMAT)), out);
      }
      if (citation !== undefined) addCitation(open, citation, out);
    },
    end(out) {
      if (open === undefined) return;
      const part = open;
      open = undefined;
      if (part.kind === 'thinking') {
        endThinking(part, out);
        return;
      }
      if (part.isCustom) writeText(part, '"}', out);
      // Clients wait for at least one delta of a call. Claude begins with an empty one, and so ends a call that is cut off.
      else if (part.kind === 'tool-call' && !part.hasText) writeText(part, '', out);
      stopBlock(part, out);
      writer.carry(part.signature, part.hasText ? 'previous' : 'next');
      if (part.kind === 'tool-call') writer.writeCarriers(out);
    },
    close(out) {
      if (search === undefined || calls !== NO_CALLS) return;
      // As in a whole answer, the text at the end has no carrier.
      writer.dropCarriers();
      for (const block of renderWebSearch(search, cited, stem)) writer.whole(block, out);
    },
    said: () => ({ calls, refusal }),
    others: () => others.fields(),
  };
}

function openBlock(
  { part, formatSpecific, signature }: PartStart,
  block: JsonObject,
  delta: string,
): OpenBlock {
  return {
    kind: part.kind,
    formatSpecific,
    isCustom: part.kind === 'tool-call' && part.custom === true,
    block,
    delta,
    head: '',
    hasText: false,
    signature,
    citations: [],
  };
}
