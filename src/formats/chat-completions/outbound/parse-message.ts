/** The message of a choice: the deltas of a stream, or a whole message, which is one delta with everything in it. */

import type { FormatName } from '../../../conversation/prompt.ts';
import {
  asObject,
  asObjects,
  asText,
  isList,
  isObject,
  type Json,
  type JsonObject,
} from '../../../lib/json.ts';
import type { AnswerContents } from '../wire/finish-reasons.ts';
import { parseImage } from '../wire/images.ts';
import { findPlainThought } from '../wire/reasoning-details.ts';
import { parseExtraContent } from '../wire/signatures.ts';
import { thinkingText } from '../wire/thinking-blocks.ts';
import { AnnotationReader } from './parse-annotations.ts';
import { type CallContext, CallReader } from './parse-calls.ts';
import { ThoughtReader } from './parse-stream-thoughts.ts';
import { type Out, PartSequence, type SequencePart } from './part-sequence.ts';
import { findThinkTag, ThinkTagSplitter } from './think-tags.ts';
import { UnknownFields } from './unknown-fields.ts';

/** Formats whose blocks a gateway's answer holds in `provider_specific_fields`, by format. */
const FORMATS: readonly FormatName[] = ['messages', 'generate-content', 'responses', 'chat-completions'];

export class MessageReader {
  readonly #choice: number;
  readonly #context: CallContext;
  readonly #unknownFields: UnknownFields;
  readonly #parts: PartSequence;
  readonly #thoughts: ThoughtReader;
  readonly #annotations: AnnotationReader;
  /** Most messages have no call, so the tables of calls are made for the first one. */
  #calls: CallReader | undefined;
  /** Undefined once everything that comes is the answer. */
  #tags: ThinkTagSplitter | undefined;
  #hasRefusal = false;
  /** Whether the last delta was nothing but a thought. */
  #isThought = false;

  /**
   * @param choice the index of its choice.
   * @param unknownFields receives the fields that nothing here reads.
   */
  constructor(choice: number, context: CallContext, unknownFields: UnknownFields) {
    this.#choice = choice;
    this.#context = context;
    this.#unknownFields = unknownFields;
    this.#parts = new PartSequence(choice, context.signsTexts);
    this.#thoughts = new ThoughtReader(this.#parts);
    this.#annotations = new AnnotationReader(this.#parts);
    const { thinkTags, model } = context;
    if (thinkTags) this.#tags = new ThinkTagSplitter(thinkTags === 'closing', findThinkTag(model));
  }

  /**
   * Reads a delta or a message.
   * @param whole whether the answer has come as a whole message: then each call and block in it is complete.
   * @returns its text or its thought, if it has nothing else.
   */
  read(delta: JsonObject, whole: boolean, out: Out): string | undefined {
    const others = this.#scanFields(delta);
    const { content } = delta;
    if (others === 0) {
      this.#isThought = false;
      this.#readContent(content, out);
      return typeof content === 'string' ? content : undefined;
    }
    for (const signed of this.#thoughts.read(delta, whole, out)) this.#getCalls().sign(signed, out);
    this.#readContent(content, out);
    this.#readOtherFields(delta, whole, out);
    this.#isThought = others === 1 && !content;
    return this.#isThought ? findPlainThought(delta) : undefined;
  }

  /** More of that text or thought. */
  again(text: string, out: Out): void {
    if (this.#isThought) this.#thoughts.write(text, out);
    else this.#writeText(text, out);
  }

  /** Whether any part has begun. */
  hasParts(): boolean {
    return this.#parts.last() !== undefined || this.#isNamingCall();
  }

  /** Whether the message may end here: it is more than thoughts, and no call lacks arguments. */
  isWhole(): boolean {
    return this.#parts.isWhole() && !this.#isNamingCall();
  }

  #isNamingCall(): boolean {
    return this.#calls?.isNaming() === true;
  }

  /**
   * Ends all parts.
   * @param sources search results to cite if the text has no citations itself.
   * @throws GatewayError for a tool call without a name.
   */
  end(sources: readonly JsonObject[], out: Out): AnswerContents {
    const parts = this.#parts;
    this.#flushTags(out);
    for (const { signature } of this.#calls?.end(out) ?? []) {
      const last = parts.last();
      // Google signs the last text of an answer without calls.
      const target = last?.open.kind === 'text' && !last.isSigned ? last : undefined;
      parts.addDetail(target ?? parts.begin({ kind: 'thinking' }, out), { signature }, out);
    }
    if (this.#annotations.settle(out)) this.#openText(out);
    this.#annotations.citeSources(sources, out);
    parts.end(out);
    return { calls: this.#calls?.hasAny() ?? false, refusal: this.#hasRefusal };
  }

  #getCalls(): CallReader {
    this.#calls ??= new CallReader(this.#choice, this.#parts, this.#context);
    return this.#calls;
  }

  #openText(out: Out): SequencePart {
    const part = this.#parts.begin({ kind: 'text' }, out);
    this.#annotations.beginText(part, out);
    return part;
  }

  #write(kind: 'text' | 'refusal', text: string, out: Out): void {
    if (text === '') return;
    let part = this.#parts.last();
    if (part === undefined || part.open.kind !== kind || part.isSigned) {
      part = kind === 'text' ? this.#openText(out) : this.#parts.begin({ kind }, out);
    }
    if (kind === 'text') this.#annotations.addText(text.length);
    else this.#hasRefusal = true;
    this.#parts.write(part, text, out);
  }

  /** A text of the content, which may begin with thoughts unless these have come in fields of their own. */
  #writeText(text: string, out: Out): void {
    const tags = this.#tags;
    if (tags === undefined || (tags.isNew() && this.#parts.last() !== undefined)) {
      this.#tags = undefined;
      this.#write('text', text, out);
      return;
    }
    const { thought, answer } = tags.split(text);
    this.#annotations.skip(text.length - answer.length);
    this.#thoughts.write(thought, out);
    this.#write('text', answer, out);
    if (tags.isOver()) this.#tags = undefined;
  }

  #flushTags(out: Out): void {
    if (this.#tags === undefined) return;
    const { thought, answer } = this.#tags.flush();
    this.#annotations.skip(-answer.length);
    this.#thoughts.write(thought, out);
    this.#write('text', answer, out);
  }

  #readContent(content: Json | undefined, out: Out): void {
    if (typeof content === 'string') this.#writeText(content, out);
    else if (isList(content)) this.#readList(content, out);
  }

  /** Mistral's content: a list of texts and thoughts. */
  #readList(content: readonly Json[], out: Out): void {
    for (const item of content) {
      if (!isObject(item)) continue;
      if (item['type'] === 'thinking') this.#thoughts.write(thinkingText(item['thinking']), out);
      else if (typeof item['text'] === 'string') this.#writeText(item['text'], out);
      else this.#readBlock(item, out);
    }
  }

  /** Reads what only this format has among its parts; of an image, the others have the like. */
  #readBlock(value: JsonObject, out: Out): void {
    const image = parseImage(value);
    this.#parts.begin({ kind: 'opaque', format: 'chat-completions', value, ...(image && { image }) }, out);
  }

  /** Everything that a delta may contain beside its thoughts and its content. */
  #readOtherFields(delta: JsonObject, whole: boolean, out: Out): void {
    const { refusal, tool_calls: pieces, function_call: functionCall } = delta;
    const foreign = delta['provider_specific_fields'];
    if (typeof refusal === 'string') this.#write('refusal', refusal, out);
    this.#readContent(findSpokenText(delta), out);
    for (const annotation of asObjects(delta['annotations'])) this.#annotations.read(annotation, out);
    for (const image of asObjects(delta['images'])) this.#readBlock(image, out);
    if (delta['extra_content'] !== undefined) this.#readSignature(delta, out);
    if (isObject(foreign)) this.#readForeign(foreign, out);
    if (asObjects(pieces).length > 0 || isObject(functionCall)) this.#flushTags(out);
    if (isList(pieces))
      for (const piece of pieces) if (isObject(piece)) this.#getCalls().read(piece, whole, out);
    if (isObject(functionCall)) this.#getCalls().readFunctionCall(functionCall, out);
  }

  /** A signature on the message: of its text, of its first call, or of an empty text. */
  #readSignature(delta: JsonObject, out: Out): void {
    const signature = parseExtraContent(delta['extra_content']);
    if (signature === undefined) return;
    const last = this.#parts.last();
    if (last?.open.kind === 'text' && !last.isSigned) this.#parts.addDetail(last, { signature }, out);
    else if (isList(delta['tool_calls'])) this.#getCalls().sign({ signature }, out);
    else this.#parts.addDetail(this.#openText(out), { signature }, out);
  }

  #readForeign(fields: JsonObject, out: Out): void {
    const others = new UnknownFields();
    for (const key in fields) {
      const format = FORMATS.find((name) => name === key);
      if (format === undefined) others.keep(key, fields[key]);
      else
        for (const value of asObjects(fields[key])) this.#parts.begin({ kind: 'opaque', format, value }, out);
    }
    this.#unknownFields.keep('provider_specific_fields', others.fields());
  }

  /** Keeps the unknown fields of a delta, and counts its known ones beside its content. */
  #scanFields(delta: JsonObject): number {
    let others = 0;
    for (const key in delta) {
      switch (key) {
        case 'role':
        case 'content':
        case 'channel':
        case 'token_id':
        case 'index':
        case 'thought_signature':
          break;
        case 'reasoning_content':
        case 'reasoning_signature':
        case 'reasoning':
        case 'reasoning_details':
        case 'thinking':
        case 'thinking_blocks':
        case 'refusal':
        case 'annotations':
        case 'images':
        case 'audio':
        case 'extra_content':
        case 'provider_specific_fields':
        case 'tool_calls':
        case 'function_call':
          if (delta[key] !== null) others += 1;
          break;
        default:
          this.#unknownFields.keep(key, delta[key]);
      }
    }
    return others;
  }
}

/** What a model has spoken, which is its text where the text itself is left out. */
function findSpokenText({ content, audio }: JsonObject): string | undefined {
  return content ? undefined : asText(asObject(audio)?.['transcript']);
}
