/** Parts of a streamed answer as events of content blocks. No block is empty: a text's block starts with its first text. */

import { findFormatFields } from '../../../conversation/format-specific.ts';
import type { Citation, Signature } from '../../../conversation/prompt.ts';
import type { Choice, OpenPart, PartDetail, PartStart } from '../../../conversation/reply.ts';
import { findSearches } from '../../../conversation/searches.ts';
import type { JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import { Foreign } from '../../foreign.ts';
import { renderCitation } from '../wire/citations.ts';
import { addCall, type Calls, NO_CALLS } from '../wire/finish-reasons.ts';
import { renderRedactedBlock, renderSignature } from '../wire/thinking-blocks.ts';
import { BlockWriter, EMPTY_THINKING } from './block-writer.ts';
import { renderWebSearch } from './render-web-searches.ts';
import { CallRenderer } from './response-fields.ts';

type Out = Sink<Sse>;

/** The part that is being written. */
interface OpenBlock {
  readonly index: number;
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

const TEXT = '{"type":"text_delta","text":';
const THINKING = '{"type":"thinking_delta","thinking":';
const ARGUMENTS = '{"type":"input_json_delta","partial_json":';

/** Renders the parts of one answer, in their order. */
export class BlockRenderer {
  readonly #stem: string;
  readonly #search: string | undefined;
  readonly #writer = new BlockWriter();
  /** Made for the first call. */
  #callRenderer: CallRenderer | undefined;
  /** What no block can hold. */
  readonly #others = new Foreign();
  #open: OpenBlock | undefined;
  #calls = NO_CALLS;
  #refusal = false;
  /** The citations, and the blocks that are searches, for the search that the caller asked for. */
  #cited: Citation[] | undefined;
  #searches: Extract<OpenPart, { kind: 'opaque' }>[] | undefined;

  /**
   * @param stem what ids are made of, where the vendor gave none.
   * @param search the name of the web search that the caller asked for, if it asked for one.
   */
  constructor(stem: string, search: string | undefined) {
    this.#stem = stem;
    this.#search = search;
  }

  /** The calls so far. */
  get calls(): Calls {
    return this.#calls;
  }

  /** Whether a refusal in words has come. */
  get refusal(): boolean {
    return this.#refusal;
  }

  start(event: PartStart, out: Out): void {
    this.#open = this.#startPart(event, out);
  }

  delta(text: string, out: Out): void {
    const open = this.#open;
    if (open === undefined) return;
    if (open.head === '') this.#startBlock(open, out);
    this.#writeText(open, open.isCustom ? JSON.stringify(text).slice(1, -1) : text, out);
  }

  detail({ index, signature, redacted, citation }: PartDetail, out: Out): void {
    if (citation !== undefined) this.#addCitation(index, citation, out);
    const open = this.#open;
    if (open === undefined) return;
    if (signature) open.signature = signature;
    if (redacted) {
      this.#stopBlock(open, out);
      const fields = findFormatFields(open.formatSpecific, 'messages');
      this.#writer.whole(renderRedactedBlock(redacted, fields), out);
    }
  }

  end(out: Out): void {
    if (this.#open === undefined) return;
    const part = this.#open;
    this.#open = undefined;
    if (part.kind === 'thinking') {
      this.#endThinking(part, out);
      return;
    }
    if (part.isCustom) this.#writeText(part, '"}', out);
    // Clients wait for at least one delta of a call. Claude begins with an empty one, and so ends a call that is cut off.
    else if (part.kind === 'tool-call' && !part.hasText) this.#writeText(part, '', out);
    this.#stopBlock(part, out);
    this.#writer.carry(part.signature, part.hasText ? 'previous' : 'next');
    if (part.kind === 'tool-call') this.#writer.writeCarriers(out);
  }

  /** Ends the content: no part follows. @param end why the answer ended */
  close(end: Choice['end'], out: Out): void {
    if (this.#search === undefined || this.#calls !== NO_CALLS) return;
    // As in a whole answer, the text at the end has no carrier.
    this.#writer.dropCarriers();
    const searches = findSearches(this.#searches ?? [], end);
    for (const block of renderWebSearch(this.#search, this.#cited ?? [], this.#stem, searches))
      this.#writer.whole(block, out);
  }

  /** Returns what no block can hold, as additional fields of the message. */
  others(): JsonObject {
    return this.#others.fields();
  }

  #startPart(event: PartStart, out: Out): OpenBlock | undefined {
    const { part, formatSpecific, signature } = event;
    const fields = findFormatFields(formatSpecific, 'messages');
    switch (part.kind) {
      case 'text':
      case 'refusal':
        this.#refusal ||= part.kind === 'refusal';
        return openBlock(event, { ...fields, type: 'text', text: '', citations: [] }, TEXT);
      case 'thinking':
        return openBlock(event, { ...fields, type: 'thinking', thinking: '', signature: '' }, THINKING);
      case 'tool-call': {
        this.#calls = addCall(this.#calls, fields);
        this.#writer.carry(signature, 'next');
        const { signature: _, ...unsigned } = event;
        this.#callRenderer ??= new CallRenderer(this.#stem);
        const call = openBlock(unsigned, this.#callRenderer.render(part, formatSpecific, {}), ARGUMENTS);
        this.#startBlock(call, out);
        if (call.isCustom) this.#writeText(call, '{"input":"', out);
        return call;
      }
      case 'opaque':
        if (part.searches && this.#search !== undefined) {
          this.#searches ??= [];
          this.#searches.push(part);
        }
        if (part.format === 'messages') this.#writer.whole(part.value, out);
        else this.#others.block(part.format, part.value);
        return undefined;
    }
  }

  #startBlock(part: OpenBlock, out: Out): void {
    if (part.head !== '') return;
    this.#writer.start(part.block, out);
    part.head = this.#writer.deltaHead(part.delta);
    for (const citation of part.citations) this.#writer.delta({ type: 'citations_delta', citation }, out);
  }

  #stopBlock(part: OpenBlock, out: Out): void {
    if (part.head === '') return;
    part.head = '';
    this.#writer.stop(out);
  }

  #writeText(part: OpenBlock, text: string, out: Out): void {
    part.hasText = true;
    this.#writer.text(part.head, text, out);
  }

  #endThinking(part: OpenBlock, out: Out): void {
    if (part.signature) this.#startBlock(part, out);
    if (part.head !== '') {
      if (!part.hasText) this.#writer.delta(EMPTY_THINKING, out);
      const signature = renderSignature(part.signature);
      this.#writer.delta({ type: 'signature_delta', signature }, out);
    }
    this.#stopBlock(part, out);
  }

  /** Adds a citation to the block of its part. If that has ended, only a search still has it. */
  #addCitation(index: number, citation: Citation, out: Out): void {
    if (this.#search !== undefined) {
      this.#cited ??= [];
      this.#cited.push(citation);
    }
    const rendered = renderCitation(citation);
    const part = this.#open;
    if (rendered === undefined) this.#others.cite(citation);
    else if (part?.index !== index) return;
    else if (part.head === '') part.citations.push(rendered);
    else this.#writer.delta({ type: 'citations_delta', citation: rendered }, out);
  }
}

function openBlock(
  { index, part, formatSpecific, signature }: PartStart,
  block: JsonObject,
  delta: string,
): OpenBlock {
  return {
    index,
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
