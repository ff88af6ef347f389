/** One choice of an answer, chunk by chunk. A whole answer is one chunk, whose `message` contains everything. */

import { withUnknownFields } from '../../../conversation/format-specific.ts';
import type { TokenLogprob } from '../../../conversation/reply.ts';
import { asObject, asText, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import {
  isStandardFinish,
  nativeWord,
  parseFinish,
  refineFinish,
  settleFinish,
} from '../wire/finish-reasons.ts';
import { parseLogprobs } from '../wire/logprobs.ts';
import type { CallContext } from './parse-calls.ts';
import { messageReader } from './parse-message.ts';
import type { Out } from './part-sequence.ts';
import { collectUnknownFields } from './unknown-fields.ts';

export interface ChoiceReader {
  /** @returns the text or the thought of its delta, if it has nothing else. */
  read(choice: JsonObject, out: Out): string | undefined;
  /** More of that text or thought. */
  again(text: string, out: Out): void;
  /** Whether the vendor has sent a finish reason, or the whole message. */
  isFinished(): boolean;
  /** Whether the answer is probably complete, though more may come. */
  mayBeOver(): boolean;
  /** Whether the choice counts as complete when the vendor ends the stream with `[DONE]`. */
  isPlausible(): boolean;
  /**
   * Writes the end of the choice.
   * @param late fields of the whole answer that came after its start.
   * @param sources search results of the whole answer, cited by its text if that has no citations itself.
   * @throws GatewayError for a finish reason that says the answer failed, and for a tool call without a name.
   */
  end(late: JsonObject | undefined, sources: readonly JsonObject[], out: Out): void;
}

/**
 * A choice of which nothing has come.
 * @param choice its index.
 */
export function choiceReader(choice: number, context: CallContext): ChoiceReader {
  const unknownFields = collectUnknownFields();
  const message = messageReader(choice, context, unknownFields);
  let hasWholeMessage = false;
  /** The last finish reason; '' before the first. */
  let finishReason = '';
  /** Whether text came after a finish reason: some services send one with every piece, where it means nothing. */
  let continuesAfterFinish = false;
  let native: string | undefined;
  let stopSequence: string | undefined;
  let explanation: string | undefined;
  /** The last message that stood beside a delta. */
  let besideDelta: JsonObject | undefined;

  const readOtherField = (key: string, value: Json | undefined): void => {
    if (key === 'native_finish_reason') native = asText(value) || native;
    // vLLM: the stop sequence that ended the answer, or the id of a token.
    else if (key === 'stop_reason') stopSequence = asText(value) || stopSequence;
    // SGLang: the same, but it also names the stop words of the model's template, which the caller did not ask for.
    else if (key === 'matched_stop' && context.stops.includes(asText(value) ?? ''))
      stopSequence = asText(value);
    else if (key === 'finish_explanation') explanation = asText(value) || explanation;
    else unknownFields.keep(key, value);
  };

  return {
    read(value, out) {
      continuesAfterFinish ||= finishReason !== '' && saysMore(asObject(value['delta']));
      let tokens: readonly TokenLogprob[] | undefined;
      for (const key in value) {
        switch (key) {
          case 'index':
          case 'delta':
          case 'message':
          // Together repeats the delta's text here.
          case 'text':
          // Moonshot's usage of the whole answer, which `parse-events.ts` reads.
          case 'usage':
            break;
          case 'finish_reason':
            finishReason = asText(value[key]) || finishReason;
            break;
          case 'logprobs':
            if (value[key] !== null) tokens = parseLogprobs(value[key]);
            break;
          default:
            if (value[key] !== null) readOtherField(key, value[key]);
        }
      }
      const { delta } = value;
      let text: string | undefined;
      // Perplexity's chunks also have a message, which repeats everything so far, and its whole answers an empty delta.
      if (isObject(delta)) {
        text = message.read(delta, hasWholeMessage, out);
        besideDelta = asObject(value['message']) ?? besideDelta;
      } else {
        const whole = asObject(value['message']);
        hasWholeMessage = whole !== undefined;
        if (whole) message.read(whole, hasWholeMessage, out);
      }
      if (tokens === undefined || tokens.length === 0) return text;
      out.enqueue({ type: 'logprobs', choice, tokens });
      return undefined;
    },
    again: message.again,
    isFinished: () => finishReason !== '' || hasWholeMessage,
    mayBeOver: () => isStandardFinish(finishReason) && !continuesAfterFinish && message.hasParts(),
    isPlausible: () => finishReason !== '' || hasWholeMessage || message.hasParts(),
    end(late, sources, out) {
      if (besideDelta && !message.hasParts()) message.read(besideDelta, true, out);
      const contents = message.end(sources, out);
      const parsed = finishReason === '' ? 'stop' : parseFinish(finishReason);
      const settled = settleFinish(refineFinish(parsed, native), contents);
      const finish = settled === 'stop' && stopSequence !== undefined ? 'stop-sequence' : settled;
      const word = nativeWord(finishReason, native);
      out.enqueue({
        type: 'choice-end',
        choice,
        finish,
        ...(stopSequence !== undefined && { stopSequence }),
        ...(word !== undefined && word !== '' && { native: word }),
        ...(explanation !== undefined && { explanation }),
        ...withUnknownFields({ ...late, ...unknownFields.fields() }),
      });
    },
  };
}

/** Whether a delta has text, reasoning or calls. */
function saysMore(delta: JsonObject | undefined): boolean {
  const pieces = [
    delta?.['content'],
    delta?.['reasoning_content'],
    delta?.['reasoning'],
    delta?.['thinking'],
    delta?.['tool_calls'],
  ];
  return pieces.some((value) => (isList(value) ? value.length > 0 : isObject(value) || asText(value)));
}
