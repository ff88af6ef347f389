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

export interface ThoughtReader {
  /**
   * Reads a delta or a message.
   * @param whole whether each block in it is complete.
   * @returns the signatures of calls in it.
   */
  read(delta: JsonObject, whole: boolean, out: Out): readonly CallSignature[];
  /** A piece of a thought from another place in the message. */
  write(text: string, out: Out): void;
}

const NONE: readonly CallSignature[] = [];

/** @param sequence the parts of the message, to which the thoughts are added. */
export function thoughtReader(sequence: PartSequence): ThoughtReader {
  /** The text of all thoughts so far, to recognise a list of blocks at the end that repeats them. */
  let received = '';
  let detailIndex: number | undefined;

  const begin = (out: Out): SequencePart => sequence.begin({ kind: 'thinking' }, out);

  /** The thinking part that can still grow; undefined if the next piece begins another. */
  const openPart = (): SequencePart | undefined => {
    const last = sequence.last();
    return last?.open.kind === 'thinking' && !last.isSigned ? last : undefined;
  };

  const write = (text: string, out: Out): void => {
    if (text === '') return;
    received += text;
    sequence.write(openPart() ?? begin(out), text, out);
  };

  const readBlocks = (blocks: readonly JsonObject[], plain: string, whole: boolean, out: Out): void => {
    const parts = blocks.flatMap(parseThinkingBlock);
    const text = parts.map((part) => part.text).join('');
    if (text === '') write(plain, out);
    const isSigned = parts.some((part) => part.signature ?? part.redacted);
    // The gateway's own streams send thoughts as plain text, and at the end all blocks with their signatures.
    const isRepeated = text !== '' && (text === received || joinThoughts(parts) === received);
    if (!whole && isSigned && isRepeated && text !== plain) readSignatures(blocks, parts, out);
    else {
      parts.forEach((part, at) => {
        const target = (whole || part.redacted || at > 0 ? undefined : openPart()) ?? begin(out);
        received += part.text;
        sequence.write(target, part.text, out);
        addSignature(target, part, out);
      });
    }
  };

  /** Blocks whose text came before: their signatures go into parts without text, the first of which keeps the list. */
  const readSignatures = (blocks: readonly JsonObject[], parts: readonly ThinkingPart[], out: Out): void => {
    const only = parts.length === 1 ? openPart() : undefined;
    let formatSpecific: FormatSpecific | undefined = {
      format: 'chat-completions',
      fields: { thinking_blocks: blocks },
    };
    for (const part of parts) {
      if (!part.signature && !part.redacted) continue;
      addSignature(only ?? sequence.begin({ kind: 'thinking' }, out, formatSpecific), part, out);
      formatSpecific = undefined;
    }
  };

  const addSignature = (target: SequencePart, { signature, redacted }: ThinkingPart, out: Out): void => {
    if (signature) sequence.addDetail(target, { signature }, out);
    if (redacted) sequence.addDetail(target, { redacted }, out);
  };

  const readDetail = (given: JsonObject, whole: boolean, out: Out): CallSignature | undefined => {
    const detail = parseDetail(given);
    if (detail === undefined) return undefined;
    const { kind, signature } = detail;
    if (kind === 'call') return detail;
    if (kind === 'thought') {
      const index = asNumber(given['index']);
      const isNext = whole || (index !== undefined && detailIndex !== undefined && index !== detailIndex);
      detailIndex = index;
      const target = (isNext ? undefined : openPart()) ?? begin(out);
      received += detail.text;
      sequence.write(target, detail.text, out);
      if (signature) sequence.addDetail(target, { signature }, out);
    } else if (kind === 'redacted') sequence.addDetail(begin(out), { redacted: signature }, out);
    else sequence.addDetail(openPart() ?? begin(out), { signature }, out);
    return undefined;
  };

  return {
    write,
    read(delta, whole, out) {
      const { thinking_blocks: blocks } = delta;
      const details = findDetails(delta);
      const plain = findPlainThought(delta);
      if (blocks === undefined && details === undefined) {
        write(plain, out);
        return NONE;
      }
      const blockList = asObjects(blocks);
      if (blockList.length > 0) {
        readBlocks(blockList, plain, whole, out);
        return NONE;
      }
      if (!details?.some((detail) => asText(detail['text']) || asText(detail['summary']))) write(plain, out);
      return details?.flatMap((detail) => readDetail(detail, whole, out) ?? []) ?? NONE;
    },
  };
}
