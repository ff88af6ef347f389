/** Messages and reasoning of an answer: items of texts. */

import {
  asList,
  asNumber,
  asObject,
  asObjects,
  asText,
  type Json,
  type JsonObject,
} from '../../../lib/json.ts';
import { keptOrigin } from '../wire/format-specific.ts';
import { PART_KINDS, type SpokenKind, THOUGHT } from './item-events.ts';
import { type ItemReader, present, restOf } from './item-reader.ts';
import type { PartWriter } from './part-writer.ts';

/** One text of the item, and how much of it came. */
interface Text {
  readonly kind: SpokenKind;
  readonly fields: JsonObject;
  /** Its number among the parts of the answer; -1 before any of it came. */
  part: number;
  length: number;
  annotations: number;
  logprobs: number;
}

export function spokenReader(at: number, added: JsonObject, parts: PartWriter): ItemReader {
  const { type: _t, role: _r, content: _c, summary: _s, encrypted_content: early, ...rest } = added;
  const item = present(rest);
  const lists = { content: new Map<number, Text>(), summary: new Map<number, Text>() };
  let said = false;

  const textAt = (kind: SpokenKind, index: number, part: JsonObject = {}): Text => {
    const list = lists[kind.list];
    const known = list.get(index);
    if (known) return known;
    const { type: _, text: _text, refusal: _refusal, annotations: _a, logprobs: _l, ...others } = part;
    const fields = kind === THOUGHT ? { type: 'reasoning_text' } : present(others);
    const text = { kind, fields, part: -1, length: 0, annotations: 0, logprobs: 0 };
    list.set(index, text);
    return text;
  };
  const textOf = (kind: SpokenKind, event: JsonObject, part?: JsonObject): Text =>
    textAt(kind, asNumber(event[kind.index]) ?? 0, part);

  const open = (text: Text): void => {
    if (text.part >= 0 && text.part === parts.open()) return;
    said = true;
    text.part = parts.start({ kind: text.kind.part }, keptOrigin({ at, item, part: text.fields }));
  };
  const speak = (text: Text, piece: Json | undefined): void => {
    if (typeof piece !== 'string' || piece === '') return;
    open(text);
    text.length += piece.length;
    parts.text(piece);
  };
  const score = (text: Text, tokens: readonly Json[]): void => {
    if (tokens.length === 0) return;
    open(text);
    text.logprobs += tokens.length;
    parts.logprobs(tokens);
  };
  const cite = (text: Text, annotations: readonly JsonObject[]): void => {
    for (const annotation of annotations) {
      open(text);
      text.annotations += 1;
      parts.cite(annotation);
    }
  };
  const complete = (text: Text, whole: JsonObject): void => {
    speak(text, restOf(whole[text.kind.field], text.length));
    score(text, asList(whole['logprobs']).slice(text.logprobs));
    cite(text, asObjects(whole['annotations']).slice(text.annotations));
  };
  const completeList = (list: readonly JsonObject[], name: SpokenKind['list']): void => {
    const shift = shiftOf(lists[name], list.length);
    for (const [index, part] of list.entries()) {
      const kind = PART_KINDS.get(part['type']);
      if (kind?.list === name) complete(textAt(kind, index + shift, part), part);
    }
  };

  /** Nothing was said: the empty text that is there, or else the item as it is, for whoever can read that. */
  const openEmpty = (whole: JsonObject): void => {
    for (const text of lists.content.values()) open(text);
    if (!said) parts.start({ kind: 'opaque', format: 'responses', value: whole });
  };

  return {
    read({ verb, kind }, event) {
      if (kind.part === 'tool-call') return;
      switch (verb) {
        case 'piece': {
          const text = textOf(kind, event);
          speak(text, event['delta']);
          const tokens = event['logprobs'];
          if (tokens !== undefined) score(text, asList(tokens));
          return;
        }
        case 'cite':
          return cite(textOf(kind, event), asObjects([event['annotation'] ?? null]));
        case 'whole':
          return complete(textOf(kind, event), event);
        case 'part': {
          const part = asObject(event['part']) ?? {};
          textOf(PART_KINDS.get(part['type']) ?? kind, event, part);
        }
      }
    },
    done(whole) {
      completeList(asObjects(whole['summary']), 'summary');
      completeList(asObjects(whole['content']), 'content');
      const secret = asText(whole['encrypted_content']) ?? asText(early);
      if (secret !== undefined && secret !== '') {
        const isOpen = [...lists.summary.values(), ...lists.content.values()].some(
          (text) => text.part >= 0 && text.part === parts.open(),
        );
        // No thought is shown, or what proves it came after other items.
        if (!isOpen) parts.start({ kind: 'thinking' }, keptOrigin({ at, item }));
        parts.sign({ origin: 'openai', value: secret });
      } else if (!said) openEmpty(whole);
      parts.end();
    },
  };
}

/** By how much the numbers of the events are above those of the item: Bedrock counts on from the item before. */
function shiftOf(seen: ReadonlyMap<number, unknown>, length: number): number {
  let [lowest, highest] = [Number.POSITIVE_INFINITY, -1];
  for (const number of seen.keys()) {
    lowest = Math.min(lowest, number);
    highest = Math.max(highest, number);
  }
  return highest >= length ? lowest : 0;
}
