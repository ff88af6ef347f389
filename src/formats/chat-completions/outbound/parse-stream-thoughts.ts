/**
 * The thoughts of a stream, or of a whole message. Services write them in different fields, often the same thoughts in two
 * of them. LiteLLM's `thinking_blocks` say most, then OpenRouter's `reasoning_details`, then plain text.
 */

import type { FormatSpecific, ThinkingPart } from '../../../conversation/prompt.ts';
import { asNumber, asObjects, asText, type JsonObject } from '../../../lib/json.ts';
import { type CallSignature, findDetails, findPlainThought, parseDetail } from '../wire/reasoning-details.ts';
import { joinThoughts } from '../wire/text-separator.ts';
import { parseThinkingBlock } from '../wire/thinking-blocks.ts';
import type { Out, PartSequence, SequencePart } from './part-sequence.ts';

const NONE: readonly CallSignature[] = [];

export class ThoughtReader {
  readonly #sequence: PartSequence;
  /** The text of all thoughts so far, to recognise a list of blocks at the end that repeats them. */
  #received = '';
  #detailIndex: number | undefined;

  /** @param sequence the parts of the message, to which the thoughts are added. */
  constructor(sequence: PartSequence) {
    this.#sequence = sequence;
  }

  /**
   * Reads a delta or a message.
   * @param whole whether each block in it is complete.
   * @returns the signatures of calls in it.
   */
  read(delta: JsonObject, whole: boolean, out: Out): readonly CallSignature[] {
    const { thinking_blocks: blocks } = delta;
    const details = findDetails(delta);
    const plain = findPlainThought(delta);
    if (blocks === undefined && details === undefined) {
      this.write(plain, out);
      return NONE;
    }
    const blockList = asObjects(blocks);
    if (blockList.length > 0) {
      this.#readBlocks(blockList, plain, whole, out);
      return NONE;
    }
    if (!details?.some((detail) => asText(detail['text']) || asText(detail['summary'])))
      this.write(plain, out);
    return details?.flatMap((detail) => this.#readDetail(detail, whole, out) ?? []) ?? NONE;
  }

  /** A piece of a thought from another place in the message. */
  write(text: string, out: Out): void {
    if (text === '') return;
    this.#received += text;
    this.#sequence.write(this.#openPart() ?? this.#begin(out), text, out);
  }

  #begin(out: Out): SequencePart {
    return this.#sequence.begin({ kind: 'thinking' }, out);
  }

  /** The thinking part that can still grow; undefined if the next piece begins another. */
  #openPart(): SequencePart | undefined {
    const last = this.#sequence.last();
    return last?.open.kind === 'thinking' && !last.isSigned ? last : undefined;
  }

  #readBlocks(blocks: readonly JsonObject[], plain: string, whole: boolean, out: Out): void {
    const parts = blocks.flatMap(parseThinkingBlock);
    const text = parts.map((part) => part.text).join('');
    if (text === '') this.write(plain, out);
    const isSigned = parts.some((part) => part.signature ?? part.redacted);
    // The gateway's own streams send thoughts as plain text, and at the end all blocks with their signatures.
    const isRepeated = text !== '' && (text === this.#received || joinThoughts(parts) === this.#received);
    if (!whole && isSigned && isRepeated && text !== plain) this.#readSignatures(blocks, parts, out);
    else {
      parts.forEach((part, at) => {
        const target = (whole || part.redacted || at > 0 ? undefined : this.#openPart()) ?? this.#begin(out);
        this.#received += part.text;
        this.#sequence.write(target, part.text, out);
        this.#addSignature(target, part, out);
      });
    }
  }

  /** Blocks whose text came before: their signatures go into parts without text, the first of which keeps the list. */
  #readSignatures(blocks: readonly JsonObject[], parts: readonly ThinkingPart[], out: Out): void {
    const only = parts.length === 1 ? this.#openPart() : undefined;
    let formatSpecific: FormatSpecific | undefined = {
      format: 'chat-completions',
      fields: { thinking_blocks: blocks },
    };
    for (const part of parts) {
      if (!part.signature && !part.redacted) continue;
      const target = only ?? this.#sequence.begin({ kind: 'thinking' }, out, formatSpecific);
      this.#addSignature(target, part, out);
      formatSpecific = undefined;
    }
  }

  #addSignature(target: SequencePart, { signature, redacted }: ThinkingPart, out: Out): void {
    if (signature) this.#sequence.addDetail(target, { signature }, out);
    if (redacted) this.#sequence.addDetail(target, { redacted }, out);
  }

  #readDetail(given: JsonObject, whole: boolean, out: Out): CallSignature | undefined {
    const detail = parseDetail(given);
    if (detail === undefined) return undefined;
    const { kind, signature } = detail;
    if (kind === 'call') return detail;
    if (kind === 'thought') {
      const index = asNumber(given['index']);
      const known = this.#detailIndex;
      const isNext = whole || (index !== undefined && known !== undefined && index !== known);
      this.#detailIndex = index;
      const target = (isNext ? undefined : this.#openPart()) ?? this.#begin(out);
      this.#received += detail.text;
      this.#sequence.write(target, detail.text, out);
      if (signature) this.#sequence.addDetail(target, { signature }, out);
    } else if (kind === 'redacted') this.#sequence.addDetail(this.#begin(out), { redacted: signature }, out);
    else this.#sequence.addDetail(this.#openPart() ?? this.#begin(out), { signature }, out);
    return undefined;
  }
}
