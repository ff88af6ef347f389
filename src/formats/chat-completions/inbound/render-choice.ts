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
import { flat } from '../../../lib/flat-text.ts';
import { isEmpty, type JsonObject } from '../../../lib/json.ts';
import type { Sse } from '../../../streams/sse.ts';
import type { Sink } from '../../../streams/step.ts';
import { Foreign } from '../../foreign.ts';
import { annotate } from '../wire/citations.ts';
import { renderImage } from '../wire/images.ts';
import { renderLogprobs } from '../wire/logprobs.ts';
import { renderSignedDetails } from '../wire/reasoning-details.ts';
import { renderExtraContent } from '../wire/signatures.ts';
import { separatorBetween } from '../wire/text-separator.ts';
import { renderThinkingBlocks, type Thought } from '../wire/thinking-blocks.ts';
import { CallRenderer, type DeltaWriter, type OpenCall } from './render-calls.ts';
import { renderEnd } from './response-fields.ts';

/** The chunks in which a choice stands. */
export interface ChunkFrame {
  readonly index: number;
  /** The JSON text of a chunk before its choice, and after it. */
  readonly before: string;
  readonly after: string;
  /** Whether the first call is written as a `function_call`. */
  readonly usesFunctionCall: boolean;
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
  /** Where an ended text begins in the text of the whole message, over which annotations count. */
  start: number;
  signature: Signature | undefined;
  redacted: Signature | undefined;
  readonly formatSpecific: FormatSpecific | undefined;
  citations: Citation[] | undefined;
  /** Only of a call. */
  readonly call: OpenCall | undefined;
}

/** One choice. Most choices have no calls or thoughts, so what these need is made when the first one comes. */
export class ChoiceRenderer implements DeltaWriter {
  readonly #frame: ChunkFrame;
  /** The JSON text of a chunk before its delta, and after it. */
  readonly #prefix: string;
  readonly #suffix: string;
  #calls: CallRenderer | undefined;
  /** The texts by the index of their part: their citations are written at the end, and may come when they have ended. */
  readonly #texts = new Map<number, OpenText>();
  #thoughts: Thought[] | undefined;
  readonly #others = new Foreign();
  #open: OpenText | undefined;
  #hasRefusal = false;
  #images = 0;
  /** The thought and the text that came last. */
  #lastThought = '';
  #lastText = '';
  /** Whether a part of another kind came after that text, or its message ended. */
  #isInterrupted = false;
  /** The message of the text that came last (`FormatSpecific.item`). */
  #item: number | undefined;
  /** The length of all texts that have ended. */
  #length = 0;

  constructor(frame: ChunkFrame) {
    this.#frame = frame;
    this.#prefix = `${frame.before}{"index":${frame.index},"delta":`;
    this.#suffix = `,"logprobs":null,"finish_reason":null}${frame.after}`;
  }

  open(event: PartStart, out: Sink<Sse>): void {
    const { part } = event;
    if (part.kind !== 'text') this.#isInterrupted = true;
    switch (part.kind) {
      case 'text':
        if (event.formatSpecific?.item !== this.#item) this.#isInterrupted = true;
        this.#item = event.formatSpecific?.item;
        this.#open = this.#openText(event, '{"content":', '}');
        this.#texts.set(event.index, this.#open);
        return;
      case 'thinking':
        this.#open = this.#openText(event, '{"reasoning_content":', '}');
        return;
      case 'refusal':
        this.#hasRefusal = true;
        this.#open = this.#openText(event, '{"refusal":', '}');
        return;
      case 'tool-call': {
        this.#calls ??= new CallRenderer(this, this.#frame.usesFunctionCall);
        const call = this.#calls.open(part, event.signature, out);
        this.#open = this.#openText(event, call.before, call.after, call);
        return;
      }
      case 'opaque': {
        const image = part.image && renderImage(part.image, this.#images);
        this.#open = undefined;
        if (image === undefined) this.#others.block(part.format, part.value);
        else {
          this.#images += 1;
          this.writeDelta({ images: [image] }, out);
        }
        return;
      }
    }
  }

  /** A piece of the open part. An empty piece of a call or a text is a chunk that says nothing. */
  write(text: string, out: Sink<Sse>): void {
    const open = this.#open;
    if (open === undefined) return;
    const separator = open.length === 0 ? this.#separatorBefore(open.part, text) : '';
    open.length += text.length;
    if (open.part.kind === 'thinking') open.text += text;
    else if (open.part.kind === 'text' && text !== '') this.#lastText = text;
    out.enqueue({ data: open.before + JSON.stringify(separator + text) + open.after });
  }

  addDetail({ index, signature, redacted, citation }: PartDetail): void {
    const open = citation ? this.#texts.get(index) : this.#open;
    if (open === undefined) return;
    open.signature = signature ?? open.signature;
    open.redacted = redacted ?? open.redacted;
    if (citation === undefined) return;
    open.citations ??= [];
    open.citations.push(citation);
  }

  close(out: Sink<Sse>): void {
    const open = this.#open;
    if (open === undefined) return;
    const { part, call, signature } = open;
    if (call) this.#calls?.close(call, signature, out);
    else if (part.kind === 'text') {
      open.start = this.#length;
      this.#length += open.length;
      if (signature) this.writeDelta(renderExtraContent(signature), out);
    } else if (part.kind === 'thinking') {
      open.text = flat(open.text);
      this.#thoughts ??= [];
      this.#thoughts.push(open);
      this.#lastThought = open.text || this.#lastThought;
    }
    this.#open = undefined;
  }

  writeLogprobs(tokens: readonly TokenLogprob[], out: Sink<Sse>): void {
    const logprobs = renderLogprobs(tokens, this.#open?.part.kind === 'refusal');
    this.#writeChoice({ index: this.#frame.index, delta: {}, logprobs, finish_reason: null }, out);
  }

  /** Writes what comes at the end of the choice, and its finish reason. */
  end(event: ChoiceEnd, out: Sink<Sse>): void {
    const thoughts = this.#thoughts ?? [];
    const blocks = renderThinkingBlocks(thoughts);
    const details = renderSignedDetails(thoughts, this.#calls?.signed ?? []);
    const annotations = [...this.#texts.values()].flatMap(({ citations, start, length }) =>
      citations ? annotate(citations, start, length, this.#others) : [],
    );
    const fields = {
      ...(annotations.length > 0 && { annotations }),
      ...(blocks && { thinking_blocks: blocks }),
      ...(details && { reasoning_details: details }),
      ...this.#others.fields(),
    };
    // All at once: a client that joins deltas would merge blocks, and OpenAI's Python client fails at a second list
    // whose entries have no index.
    if (!isEmpty(fields)) this.writeDelta(fields, out);
    const around = { index: this.#frame.index, delta: {}, logprobs: null };
    const contents = {
      calls: this.#calls?.count() ?? 0,
      functionCall: this.#calls?.hasFunctionCall() ?? false,
      refusal: this.#hasRefusal,
    };
    this.#writeChoice(renderEnd(getChoiceEnd(event), around, contents), out);
  }

  writeDelta(delta: JsonObject, out: Sink<Sse>): void {
    out.enqueue({ data: this.#prefix + JSON.stringify(delta) + this.#suffix });
  }

  #writeChoice(choice: JsonObject, out: Sink<Sse>): void {
    out.enqueue({ data: this.#frame.before + JSON.stringify(choice) + this.#frame.after });
  }

  /** @param pieceBefore the delta's JSON text before a piece of the part, and `pieceAfter` the text after it. */
  #openText(
    { part, signature, formatSpecific }: PartStart,
    pieceBefore: string,
    pieceAfter: string,
    call?: OpenCall,
  ): OpenText {
    return {
      part,
      before: this.#prefix + pieceBefore,
      after: pieceAfter + this.#suffix,
      text: '',
      length: 0,
      start: 0,
      signature: part.kind === 'tool-call' ? undefined : signature,
      redacted: undefined,
      formatSpecific,
      citations: undefined,
      call,
    };
  }

  #separatorBefore({ kind }: OpenPart, text: string): string {
    if (kind === 'thinking') return separatorBetween(this.#lastThought, text);
    if (kind !== 'text' || !this.#isInterrupted || text === '') return '';
    this.#isInterrupted = false;
    const separator = separatorBetween(this.#lastText, text);
    this.#length += separator.length;
    return separator;
  }
}
