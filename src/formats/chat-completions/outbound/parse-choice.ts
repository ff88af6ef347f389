/** One choice of an answer, piece by piece: a delta of a stream, or a whole message, which is one piece of it all. */

import { unknownFieldsOf } from '../../../conversation/format-specific.ts';
import type { FormatName } from '../../../conversation/prompt.ts';
import type { TokenLogprob } from '../../../conversation/reply.ts';
import {
  asObject,
  asObjects,
  asText,
  compact,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../../lib/json.ts';
import { parseAnnotation } from '../wire/citations.ts';
import {
  isStandardFinish,
  nativeWord,
  parseFinish,
  refineFinish,
  settleFinish,
} from '../wire/finish-reasons.ts';
import { parseLogprobs } from '../wire/logprobs.ts';
import { parseExtraContent } from '../wire/signatures.ts';
import { thinkingText } from '../wire/thinking-blocks.ts';
import { type CallContext, callReader } from './parse-calls.ts';
import { thoughtReader } from './parse-stream-thoughts.ts';
import { type Out, partSequence, type SequencePart } from './part-sequence.ts';
import { collectUnknownFields } from './unknown-fields.ts';

export interface ChoiceReader {
  read(choice: JsonObject, out: Out): void;
  /** Whether the vendor has said why it ended. */
  isFinished(): boolean;
  /** Whether nothing more is to be expected of it. */
  mayBeOver(): boolean;
  /** Whether the answer is whole all the same, if the vendor says that it has ended. */
  isPlausible(): boolean;
  /**
   * Says the end.
   * @param late fields of the whole answer that came too late for its start
   * @param found what was found for the whole answer, which its text is about where it names no sources itself
   */
  end(late: JsonObject | undefined, found: readonly JsonObject[], out: Out): void;
}

/** Formats whose blocks an answer of ours shows under `provider_specific_fields`, by format. */
const FORMATS: readonly FormatName[] = ['messages', 'generate-content', 'responses', 'chat-completions'];

export function choiceReader(choice: number, context: CallContext): ChoiceReader {
  const line = partSequence(choice);
  const calls = callReader(choice, line, context);
  const thoughts = thoughtReader(line);
  const rest = collectUnknownFields();
  /** Of a text that has not begun. */
  const annotations: JsonObject[] = [];
  let isCited = false;
  /** Visible text so far, and before the part that is open: annotations count over all of it. */
  let length = 0;
  let partStart = 0;
  let isRefusal = false;
  let isWhole = false;
  let word = '';
  /** Some say with each word why they ended, where it means nothing yet. */
  let goesOn = false;
  let native: string | undefined;
  let stopSequence: string | undefined;
  let explanation: string | undefined;

  const say = (kind: 'text' | 'refusal', text: string, out: Out): void => {
    let part = line.last();
    if (part === undefined || part.open.kind !== kind || part.isSigned) part = openText(kind, out);
    if (kind === 'text') length += text.length;
    else isRefusal = true;
    line.write(part, text, out);
  };

  const openText = (kind: 'text' | 'refusal', out: Out): SequencePart => {
    const part = line.begin({ kind }, out);
    if (kind === 'refusal') return part;
    partStart = length;
    for (const annotation of annotations.splice(0)) note(part, annotation, out);
    return part;
  };

  const note = (text: SequencePart, annotation: JsonObject, out: Out): void =>
    line.note(text, { citation: parseAnnotation(annotation, partStart) }, out);

  const cite = (annotation: JsonObject, out: Out): void => {
    isCited = true;
    const part = line.last();
    if (part?.open.kind === 'text') note(part, annotation, out);
    else annotations.push(annotation);
  };

  /** Sources without a place in the text, of which it is the last part. */
  const citeFound = (found: readonly JsonObject[], out: Out): void => {
    const part = line.last();
    if (part?.open.kind !== 'text') return;
    for (const { url, title } of found) {
      if (typeof url === 'string') line.note(part, { citation: compact({ url, title: asText(title) }) }, out);
    }
  };

  /** Mistral's content: a list of texts and thoughts. */
  const readList = (content: readonly Json[], out: Out): void => {
    for (const item of content) {
      if (!isObject(item)) continue;
      if (item['type'] === 'thinking') thoughts.say(thinkingText(item['thinking']), out);
      else if (typeof item['text'] === 'string') {
        if (item['text'] !== '') say('text', item['text'], out);
      } else line.begin({ kind: 'opaque', format: 'chat-completions', value: item }, out);
    }
  };

  const readForeign = (fields: JsonObject, out: Out): void => {
    const unknown = collectUnknownFields();
    for (const key in fields) {
      const format = FORMATS.find((name) => name === key);
      if (format === undefined) unknown.keep(key, fields[key]);
      else for (const value of asObjects(fields[key])) line.begin({ kind: 'opaque', format, value }, out);
    }
    rest.keep('provider_specific_fields', unknown.fields());
  };

  /** A signature on the message: of its text, of its first call, or of nothing that can be seen. */
  const readSignature = (said: JsonObject, out: Out): void => {
    const signature = parseExtraContent(said['extra_content']);
    if (signature === undefined) return;
    const last = line.last();
    if (last?.open.kind === 'text' && !last.isSigned) line.note(last, { signature }, out);
    else if (isList(said['tool_calls'])) calls.sign({ signature }, out);
    else line.note(openText('text', out), { signature }, out);
  };

  /** All that a delta may say beside text. */
  const readRest = (said: JsonObject, out: Out): void => {
    const { refusal, tool_calls: pieces, function_call: old } = said;
    const foreign = said['provider_specific_fields'];
    if (typeof refusal === 'string' && refusal !== '') say('refusal', refusal, out);
    for (const annotation of asObjects(said['annotations'])) cite(annotation, out);
    if (said['extra_content'] !== undefined) readSignature(said, out);
    if (isObject(foreign)) readForeign(foreign, out);
    if (isList(pieces)) for (const piece of pieces) if (isObject(piece)) calls.read(piece, isWhole, out);
    if (isObject(old)) calls.readFunctionCall(old, out);
  };

  const readSaid = (said: JsonObject, out: Out): void => {
    let isPlain = true;
    for (const key in said) {
      switch (key) {
        case 'role':
        case 'content':
        case 'channel':
        case 'token_id':
        case 'audio':
        case 'index':
        case 'thought_signature':
          break;
        case 'reasoning_content':
        case 'reasoning':
        case 'reasoning_details':
        case 'thinking_blocks':
        case 'refusal':
        case 'annotations':
        case 'extra_content':
        case 'provider_specific_fields':
        case 'tool_calls':
        case 'function_call':
          isPlain &&= said[key] === null;
          break;
        default:
          rest.keep(key, said[key]);
      }
    }
    if (!isPlain) for (const signed of thoughts.read(said, isWhole, out)) calls.sign(signed, out);
    const { content } = said;
    if (typeof content === 'string') {
      if (content !== '') say('text', content, out);
    } else if (isList(content)) readList(content, out);
    if (!isPlain) readRest(said, out);
  };

  const readField = (key: string, value: Json | undefined): void => {
    if (key === 'native_finish_reason') native = asText(value) || native;
    // vLLM's name for the sequence that ended the answer; the id of a token where that did.
    else if (key === 'stop_reason') stopSequence = asText(value) || stopSequence;
    else if (key === 'finish_explanation') explanation = asText(value) || explanation;
    else rest.keep(key, value);
  };

  return {
    read(value, out) {
      goesOn ||= word !== '' && saysMore(asObject(value['delta']));
      let tokens: readonly TokenLogprob[] | undefined;
      for (const key in value) {
        switch (key) {
          case 'index':
          case 'delta':
          case 'message':
          // Together says the delta's text a second time.
          case 'text':
          // Of the whole answer (Moonshot), and read as that.
          case 'usage':
            break;
          case 'finish_reason':
            word = asText(value[key]) || word;
            break;
          case 'logprobs':
            if (value[key] !== null) tokens = parseLogprobs(value[key]);
            break;
          default:
            if (value[key] !== null) readField(key, value[key]);
        }
      }
      const { delta } = value;
      // Perplexity's chunks have a message beside the delta: all that was said so far.
      if (isObject(delta)) readSaid(delta, out);
      else {
        const message = asObject(value['message']);
        isWhole = message !== undefined;
        if (message) readSaid(message, out);
      }
      if (tokens && tokens.length > 0) out.enqueue({ type: 'logprobs', choice, tokens });
    },
    isFinished: () => word !== '' || isWhole,
    mayBeOver: () => isStandardFinish(word) && !goesOn && line.last() !== undefined,
    isPlausible: () => word !== '' || isWhole || line.last() !== undefined,
    end(late, found, out) {
      for (const { signature } of calls.end()) {
        const last = line.last();
        // Google signs the last text of an answer without calls.
        const target = last?.open.kind === 'text' && !last.isSigned ? last : undefined;
        line.note(target ?? line.begin({ kind: 'thinking' }, out), { signature }, out);
      }
      if (annotations.length > 0) openText('text', out);
      if (!isCited) citeFound(found, out);
      line.end(out);
      const parsed = word === '' ? 'stop' : parseFinish(word);
      const refined = refineFinish(parsed, native);
      const settled = settleFinish(refined, { calls: calls.hasAny(), refusal: isRefusal });
      const finish = settled === 'stop' && stopSequence !== undefined ? 'stop-sequence' : settled;
      const ownWord = nativeWord(word, native);
      out.enqueue({
        type: 'choice-end',
        choice,
        finish,
        ...(stopSequence !== undefined && { stopSequence }),
        ...(ownWord !== undefined && ownWord !== '' && { native: ownWord }),
        ...(explanation !== undefined && { explanation }),
        ...unknownFieldsOf({ ...late, ...rest.fields() }),
      });
    },
  };
}

function saysMore(delta: JsonObject | undefined): boolean {
  const said = [
    delta?.['content'],
    delta?.['reasoning_content'],
    delta?.['reasoning'],
    delta?.['tool_calls'],
  ];
  return said.some((value) => (isList(value) ? value.length > 0 : asText(value)));
}
