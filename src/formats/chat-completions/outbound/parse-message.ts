/** The message of a choice: the deltas of a stream, or a whole message, which is one delta with everything in it. */

import type { FormatName } from '../../../conversation/prompt.ts';
import { asObjects, isList, isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import type { AnswerContents } from '../wire/finish-reasons.ts';
import { findPlainThought } from '../wire/reasoning-details.ts';
import { parseExtraContent } from '../wire/signatures.ts';
import { thinkingText } from '../wire/thinking-blocks.ts';
import { annotationReader } from './parse-annotations.ts';
import { type CallContext, type CallReader, callReader } from './parse-calls.ts';
import { thoughtReader } from './parse-stream-thoughts.ts';
import { type Out, partSequence, type SequencePart } from './part-sequence.ts';
import { collectUnknownFields, type UnknownFields } from './unknown-fields.ts';

export interface MessageReader {
  /**
   * Reads a delta or a message.
   * @param whole whether the answer has come as a whole message: then each call and block in it is complete.
   * @returns its text or its thought, if it has nothing else.
   */
  read(delta: JsonObject, whole: boolean, out: Out): string | undefined;
  /** More of that text or thought. */
  again(text: string, out: Out): void;
  /** Whether any part has begun. */
  hasParts(): boolean;
  /**
   * Ends all parts.
   * @param sources search results to cite if the text has no citations itself.
   * @throws GatewayError for a tool call without a name.
   */
  end(sources: readonly JsonObject[], out: Out): AnswerContents;
}

/** Formats whose blocks a gateway's answer holds in `provider_specific_fields`, by format. */
const FORMATS: readonly FormatName[] = ['messages', 'generate-content', 'responses', 'chat-completions'];

/**
 * A message of which nothing has come.
 * @param choice the index of its choice.
 * @param unknownFields receives the fields that nothing here reads.
 */
export function messageReader(
  choice: number,
  context: CallContext,
  unknownFields: UnknownFields,
): MessageReader {
  const parts = partSequence(choice);
  /** Most messages have no call, so the tables of calls are made for the first one. */
  let madeCalls: CallReader | undefined;
  const thoughts = thoughtReader(parts);
  const annotations = annotationReader(parts);
  let hasRefusal = false;
  /** Whether the last delta was nothing but a thought. */
  let isThought = false;

  const calls = (): CallReader => {
    madeCalls ??= callReader(choice, parts, context);
    return madeCalls;
  };

  const openText = (out: Out): SequencePart => {
    const part = parts.begin({ kind: 'text' }, out);
    annotations.beginText(part, out);
    return part;
  };

  const write = (kind: 'text' | 'refusal', text: string, out: Out): void => {
    if (text === '') return;
    let part = parts.last();
    if (part === undefined || part.open.kind !== kind || part.isSigned) {
      part = kind === 'text' ? openText(out) : parts.begin({ kind }, out);
    }
    if (kind === 'text') annotations.addText(text.length);
    else hasRefusal = true;
    parts.write(part, text, out);
  };

  /** Mistral's content: a list of texts and thoughts. */
  const readList = (content: readonly Json[], out: Out): void => {
    for (const item of content) {
      if (!isObject(item)) continue;
      if (item['type'] === 'thinking') thoughts.write(thinkingText(item['thinking']), out);
      else if (typeof item['text'] === 'string') write('text', item['text'], out);
      else parts.begin({ kind: 'opaque', format: 'chat-completions', value: item }, out);
    }
  };

  const readForeign = (fields: JsonObject, out: Out): void => {
    const others = collectUnknownFields();
    for (const key in fields) {
      const format = FORMATS.find((name) => name === key);
      if (format === undefined) others.keep(key, fields[key]);
      else for (const value of asObjects(fields[key])) parts.begin({ kind: 'opaque', format, value }, out);
    }
    unknownFields.keep('provider_specific_fields', others.fields());
  };

  /** A signature on the message: of its text, of its first call, or of an empty text. */
  const readSignature = (delta: JsonObject, out: Out): void => {
    const signature = parseExtraContent(delta['extra_content']);
    if (signature === undefined) return;
    const last = parts.last();
    if (last?.open.kind === 'text' && !last.isSigned) parts.addDetail(last, { signature }, out);
    else if (isList(delta['tool_calls'])) calls().sign({ signature }, out);
    else parts.addDetail(openText(out), { signature }, out);
  };

  const readContent = (content: Json | undefined, out: Out): void => {
    if (typeof content === 'string') write('text', content, out);
    else if (isList(content)) readList(content, out);
  };

  /** Everything that a delta may contain beside its thoughts and its content. */
  const readOtherFields = (delta: JsonObject, whole: boolean, out: Out): void => {
    const { refusal, tool_calls: pieces, function_call: functionCall } = delta;
    const foreign = delta['provider_specific_fields'];
    if (typeof refusal === 'string') write('refusal', refusal, out);
    for (const annotation of asObjects(delta['annotations'])) annotations.read(annotation, out);
    if (delta['extra_content'] !== undefined) readSignature(delta, out);
    if (isObject(foreign)) readForeign(foreign, out);
    if (isList(pieces)) for (const piece of pieces) if (isObject(piece)) calls().read(piece, whole, out);
    if (isObject(functionCall)) calls().readFunctionCall(functionCall, out);
  };

  /** Keeps the unknown fields of a delta, and counts its known ones beside its content. */
  const scanFields = (delta: JsonObject): number => {
    let others = 0;
    for (const key in delta) {
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
        case 'thinking':
        case 'thinking_blocks':
        case 'refusal':
        case 'annotations':
        case 'extra_content':
        case 'provider_specific_fields':
        case 'tool_calls':
        case 'function_call':
          if (delta[key] !== null) others += 1;
          break;
        default:
          unknownFields.keep(key, delta[key]);
      }
    }
    return others;
  };

  return {
    read(delta, whole, out) {
      const others = scanFields(delta);
      const { content } = delta;
      if (others === 0) {
        isThought = false;
        readContent(content, out);
        return typeof content === 'string' ? content : undefined;
      }
      for (const signed of thoughts.read(delta, whole, out)) calls().sign(signed, out);
      readContent(content, out);
      readOtherFields(delta, whole, out);
      isThought = others === 1 && !content;
      return isThought ? findPlainThought(delta) : undefined;
    },
    again(text, out) {
      if (isThought) thoughts.write(text, out);
      else write('text', text, out);
    },
    hasParts: () => parts.last() !== undefined,
    end(sources, out) {
      for (const { signature } of madeCalls?.end() ?? []) {
        const last = parts.last();
        // Google signs the last text of an answer without calls.
        const target = last?.open.kind === 'text' && !last.isSigned ? last : undefined;
        parts.addDetail(target ?? parts.begin({ kind: 'thinking' }, out), { signature }, out);
      }
      if (annotations.isPending()) openText(out);
      annotations.citeSources(sources, out);
      parts.end(out);
      return { calls: madeCalls?.hasAny() ?? false, refusal: hasRefusal };
    },
  };
}
