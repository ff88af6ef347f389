/**
 * The thoughts in a stream, or in a whole message, which is one piece of it all. Services write them in several
 * fields, often the same thoughts twice: LiteLLM's `thinking_blocks` say most, then OpenRouter's
 * `reasoning_details`, then plain text.
 */

import type { FormatSpecific, ThinkingPart } from '../../../conversation/prompt.ts';
import { asNumber, asObjects, asText, type JsonObject } from '../../../lib/json.ts';
import { type CallSignature, parseDetail } from '../wire/reasoning-details.ts';
import { joinThoughts } from '../wire/text-separator.ts';
import { parseThinkingBlock } from '../wire/thinking-blocks.ts';
import type { Out, PartSequence, SequencePart } from './part-sequence.ts';

export interface ThoughtReader {
  /**
   * Reads a delta or a message.
   * @param whole whether each block in it is a whole one
   * @returns signatures in it that are of calls
   */
  read(said: JsonObject, whole: boolean, out: Out): readonly CallSignature[];
  /** A piece of thought that came in another way. */
  say(text: string, out: Out): void;
}

const NONE: readonly CallSignature[] = [];

export function thoughtReader(line: PartSequence): ThoughtReader {
  /** All thoughts so far, for a list of blocks at the end that says them again. */
  let told = '';
  let detailIndex: number | undefined;

  const begin = (out: Out): SequencePart => line.begin({ kind: 'thinking' }, out);

  /** The thinking part that may still grow, or undefined where the next piece begins another. */
  const open = (): SequencePart | undefined => {
    const last = line.last();
    return last?.open.kind === 'thinking' && !last.isSigned ? last : undefined;
  };

  const say = (text: string, out: Out): void => {
    if (text === '') return;
    told += text;
    line.write(open() ?? begin(out), text, out);
  };

  const readBlocks = (blocks: readonly JsonObject[], plain: string, whole: boolean, out: Out): void => {
    const parts = blocks.flatMap(parseThinkingBlock);
    const text = parts.map((part) => part.text).join('');
    if (text === '') say(plain, out);
    const isSigned = parts.some((part) => part.signature ?? part.redacted);
    // Our own streams tell thoughts as plain text, and all blocks with their signatures at the end.
    const isTold = text !== '' && (text === told || joinThoughts(parts) === told);
    if (!whole && isSigned && isTold && text !== plain) readRecap(blocks, parts, out);
    else {
      parts.forEach((part, at) => {
        const target = (whole || part.redacted || at > 0 ? undefined : open()) ?? begin(out);
        told += part.text;
        line.write(target, part.text, out);
        prove(target, part, out);
      });
    }
  };

  /** Blocks whose text has been told: their signatures come in parts without text, and the list as it was. */
  const readRecap = (blocks: readonly JsonObject[], parts: readonly ThinkingPart[], out: Out): void => {
    const only = parts.length === 1 ? open() : undefined;
    let own: FormatSpecific | undefined = { format: 'chat-completions', fields: { thinking_blocks: blocks } };
    for (const part of parts) {
      if (!part.signature && !part.redacted) continue;
      prove(only ?? line.begin({ kind: 'thinking' }, out, own), part, out);
      own = undefined;
    }
  };

  const prove = (target: SequencePart, { signature, redacted }: ThinkingPart, out: Out): void => {
    if (signature) line.note(target, { signature }, out);
    if (redacted) line.note(target, { redacted }, out);
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
      const target = (isNext ? undefined : open()) ?? begin(out);
      told += detail.text;
      line.write(target, detail.text, out);
      if (signature) line.note(target, { signature }, out);
    } else if (kind === 'redacted') line.note(begin(out), { redacted: signature }, out);
    else line.note(open() ?? begin(out), { signature }, out);
    return undefined;
  };

  return {
    say,
    read(said, whole, out) {
      const { thinking_blocks: blocks, reasoning_details: details, reasoning_content: content } = said;
      const plain = asText(content) || asText(said['reasoning']) || '';
      if (blocks === undefined && details === undefined) {
        say(plain, out);
        return NONE;
      }
      const blockList = asObjects(blocks);
      if (blockList.length > 0) {
        readBlocks(blockList, plain, whole, out);
        return NONE;
      }
      const detailList = asObjects(details);
      if (!detailList.some((detail) => asText(detail['text']) || asText(detail['summary']))) say(plain, out);
      return detailList.flatMap((detail) => readDetail(detail, whole, out) ?? []);
    },
  };
}
