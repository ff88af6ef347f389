/** One choice of an answer, chunk by chunk. A whole answer is one chunk, whose `message` contains everything. */

import { withFormatSpecific, withUnknownFields } from '../../../conversation/format-specific.ts';
import type { TokenLogprob } from '../../../conversation/reply.ts';
import { asObject, asText, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { INTERVENED_FINISH } from '../../bedrock-guardrail.ts';
import {
  isStandardFinish,
  nativeWord,
  parseFinish,
  refineFinish,
  settleFinish,
} from '../wire/finish-reasons.ts';
import { parseLogprobs } from '../wire/logprobs.ts';
import type { CallContext } from './parse-calls.ts';
import { isErrorFinish, parseErrorFinish } from './parse-error.ts';
import { MessageReader } from './parse-message.ts';
import type { Out } from './part-sequence.ts';
import { splitOwn, UnknownFields } from './unknown-fields.ts';

export class ChoiceReader {
  readonly #choice: number;
  readonly #context: CallContext;
  readonly #unknownFields = new UnknownFields();
  readonly #message: MessageReader;
  #hasWholeMessage = false;
  /** The last finish reason; '' before the first. */
  #finishReason = '';
  /** Whether text came after a finish reason: some services send one with every piece, where it means nothing. */
  #continuesAfterFinish = false;
  #native: string | undefined;
  #stopSequence: string | undefined;
  #explanation: string | undefined;
  #error: JsonObject | undefined;
  /** The last message that stood beside a delta. */
  #besideDelta: JsonObject | undefined;

  constructor(choice: number, context: CallContext) {
    this.#choice = choice;
    this.#context = context;
    this.#message = new MessageReader(choice, context, this.#unknownFields);
  }

  /**
   * @returns the text or the thought of its delta, if it has nothing else.
   * @throws GatewayError for a failure in the place of content.
   */
  read(value: JsonObject, out: Out): string | undefined {
    if (isErrorFinish(value)) throw parseErrorFinish(value);
    this.#continuesAfterFinish ||= this.#finishReason !== '' && saysMore(asObject(value['delta']));
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
          this.#finishReason = asText(value[key]) || this.#finishReason;
          break;
        case 'logprobs':
          if (value[key] !== null) tokens = parseLogprobs(value[key]);
          break;
        default:
          if (value[key] !== null) this.#readOtherField(key, value[key]);
      }
    }
    const text = this.#readMessage(value['delta'], asObject(value['message']), out);
    if (tokens === undefined || tokens.length === 0) return text;
    out.enqueue({ type: 'logprobs', choice: this.#choice, tokens });
    return undefined;
  }

  /** More of that text or thought. */
  again(text: string, out: Out): void {
    this.#message.again(text, out);
  }

  /** Whether the vendor has sent a finish reason, or a whole message with content. */
  isFinished(): boolean {
    return this.#finishReason !== '' || (this.#hasWholeMessage && this.#message.hasParts());
  }

  /** Whether the answer is probably complete, though more may come. */
  mayEnd(): boolean {
    return isStandardFinish(this.#finishReason) && !this.#continuesAfterFinish && this.#message.hasParts();
  }

  /**
   * Whether the choice counts as complete when the vendor ends the stream with `[DONE]`. Services in front of others send
   * that also if those have broken off.
   */
  isPlausible(): boolean {
    return this.isFinished() || this.#message.isWhole();
  }

  /** Notes that a guardrail of Bedrock's has changed the answer, which ends as any other. */
  filter(): void {
    this.#native ??= INTERVENED_FINISH;
  }

  /**
   * Writes the end of the choice.
   * @param late fields of the whole answer that came after its start.
   * @param sources search results of the whole answer, cited by its text if that has no citations itself.
   * @throws GatewayError for a finish reason that says the answer failed, and for a tool call without a name.
   */
  end(late: JsonObject | undefined, sources: readonly JsonObject[], out: Out): void {
    const message = this.#message;
    const finishReason = this.#finishReason;
    const stopSequence = this.#stopSequence;
    const explanation = this.#explanation;
    if (this.#besideDelta && !message.hasParts()) message.read(this.#besideDelta, true, out);
    const contents = message.end(sources, out);
    const parsed = finishReason === '' ? 'stop' : parseFinish(finishReason, this.#native, this.#error);
    const settled = settleFinish(refineFinish(parsed, this.#native), contents);
    const finish = settled === 'stop' && stopSequence !== undefined ? 'stop-sequence' : settled;
    const word = nativeWord(finishReason, this.#native);
    const [own, unknown] = splitOwn({ ...late, ...this.#unknownFields.fields() });
    out.enqueue({
      type: 'choice-end',
      choice: this.#choice,
      finish,
      ...(stopSequence !== undefined && { stopSequence }),
      ...(word !== undefined && word !== '' && { native: word }),
      ...(explanation !== undefined && { explanation }),
      ...withFormatSpecific('chat-completions', own),
      ...withUnknownFields(unknown),
    });
  }

  /**
   * Reads the delta, or the whole message. Perplexity's chunks have both: their message repeats everything so far, and its
   * whole answers have an empty delta.
   * @returns the text or the thought of the delta, if it has nothing else.
   */
  #readMessage(delta: Json | undefined, whole: JsonObject | undefined, out: Out): string | undefined {
    if (isObject(delta)) {
      this.#besideDelta = whole ?? this.#besideDelta;
      return this.#message.read(delta, this.#hasWholeMessage, out);
    }
    this.#hasWholeMessage = whole !== undefined;
    if (whole) this.#message.read(whole, true, out);
    return undefined;
  }

  #readOtherField(key: string, value: Json | undefined): void {
    if (key === 'native_finish_reason') this.#native = asText(value) || this.#native;
    // vLLM: the stop sequence that ended the answer, or the id of a token.
    else if (key === 'stop_reason') this.#stopSequence = asText(value) || this.#stopSequence;
    // SGLang: the same, but it also names the stop words of the model's template, which the caller did not ask for.
    else if (key === 'matched_stop' && this.#context.stops.includes(asText(value) ?? ''))
      this.#stopSequence = asText(value);
    else if (key === 'finish_explanation') this.#explanation = asText(value) || this.#explanation;
    else {
      if (key === 'error') this.#error = asObject(value) ?? this.#error;
      this.#unknownFields.keep(key, value);
    }
  }
}

const CONTENTS = ['content', 'reasoning_content', 'reasoning', 'thinking', 'tool_calls', 'images'];

function saysMore(delta: JsonObject | undefined): boolean {
  return CONTENTS.some((name) => {
    const value = delta?.[name];
    return isList(value) ? value.length > 0 : isObject(value) || asText(value);
  });
}
