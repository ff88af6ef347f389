/** Reads messages and reasoning of an answer: the items that consist of texts. */

import {
  asList,
  asNumber,
  asObject,
  asObjects,
  asText,
  type Json,
  type JsonObject,
} from '../../../lib/json.ts';
import { keepOrigin } from '../wire/origin.ts';
import { PART_KINDS, REASONING, type TextKind } from './item-events.ts';
import { findRest, type ItemReader, remainingFields } from './item-reader.ts';
import { matchParts } from './match-parts.ts';
import type { PartWriter } from './part-writer.ts';

/** The fields of an item and of a part that are read elsewhere. */
const ITEM_READ: ReadonlySet<string> = new Set([
  'type',
  'status',
  'role',
  'content',
  'summary',
  'encrypted_content',
]);
const PART_READ: ReadonlySet<string> = new Set([
  'type',
  'status',
  'text',
  'refusal',
  'annotations',
  'logprobs',
]);

/** One text of the item, and how much of it came. */
interface Text {
  readonly kind: TextKind;
  readonly fields: JsonObject;
  /** Its number among the parts of the answer; -1 before any of it came. */
  part: number;
  length: number;
  annotations: number;
  logprobs: number;
}

/**
 * Makes the reader of a message or of reasoning.
 * @param at the place of the item in the output.
 * @param added the item as far as it is known when it is added.
 */
export function textItemReader(at: number, added: JsonObject, parts: PartWriter): ItemReader {
  const early = added['encrypted_content'];
  const item = remainingFields(added, ITEM_READ);
  const lists = { content: new Map<number, Text>(), summary: new Map<number, Text>() };
  let wrote = false;

  const getText = (kind: TextKind, index: number, part: JsonObject = {}): Text => {
    const list = lists[kind.list];
    const known = list.get(index);
    if (known) return known;
    const fields = kind === REASONING ? { type: 'reasoning_text' } : remainingFields(part, PART_READ);
    const text = { kind, fields, part: -1, length: 0, annotations: 0, logprobs: 0 };
    list.set(index, text);
    return text;
  };
  const findText = (kind: TextKind, event: JsonObject, part?: JsonObject): Text =>
    getText(kind, asNumber(event[kind.index]) ?? 0, part);

  const open = (text: Text): void => {
    if (text.part >= 0 && text.part === parts.open()) return;
    wrote = true;
    text.part = parts.start({ kind: text.kind.part }, keepOrigin({ at, item, part: text.fields }));
  };
  const write = (text: Text, piece: Json | undefined): void => {
    if (typeof piece !== 'string' || piece === '') return;
    open(text);
    text.length += piece.length;
    parts.text(piece);
  };
  const addLogprobs = (text: Text, tokens: readonly Json[]): void => {
    if (tokens.length === 0) return;
    open(text);
    text.logprobs += tokens.length;
    parts.logprobs(tokens);
  };
  const annotate = (text: Text, annotations: readonly JsonObject[]): void => {
    for (const annotation of annotations) {
      open(text);
      text.annotations += 1;
      parts.cite(annotation);
    }
  };
  const complete = (text: Text, whole: JsonObject): void => {
    write(text, findRest(whole[text.kind.field], text.length));
    addLogprobs(text, asList(whole['logprobs']).slice(text.logprobs));
    annotate(text, asObjects(whole['annotations']).slice(text.annotations));
  };
  const completeList = (list: readonly JsonObject[], name: TextKind['list']): void => {
    const findNumber = matchParts(lists[name], list);
    for (const [index, part] of list.entries()) {
      const kind = PART_KINDS.get(part['type']);
      if (kind?.list === name) complete(getText(kind, findNumber(index), part), part);
    }
  };

  /** For an item that wrote nothing: its empty texts, or else the item as it is, for those who can read it. */
  const openEmpty = (whole: JsonObject): void => {
    for (const text of lists.content.values()) open(text);
    if (!wrote) parts.start({ kind: 'opaque', format: 'responses', value: whole });
  };

  return {
    read({ type, kind }, event) {
      if (kind.part === 'tool-call') return;
      switch (type) {
        case 'delta': {
          const text = findText(kind, event);
          write(text, event['delta']);
          const tokens = event['logprobs'];
          if (tokens !== undefined) addLogprobs(text, asList(tokens));
          return;
        }
        case 'annotation':
          return annotate(findText(kind, event), asObjects([event['annotation'] ?? null]));
        case 'text-done':
          return complete(findText(kind, event), event);
        case 'part-added': {
          const part = asObject(event['part']) ?? {};
          findText(PART_KINDS.get(part['type']) ?? kind, event, part);
        }
      }
    },
    done(whole) {
      completeList(asObjects(whole['summary']), 'summary');
      completeList(asObjects(whole['content']), 'content');
      const encrypted = asText(whole['encrypted_content']) ?? asText(early);
      if (encrypted !== undefined && encrypted !== '') {
        const isOpen = [...lists.summary.values(), ...lists.content.values()].some(
          (text) => text.part >= 0 && text.part === parts.open(),
        );
        // The item shows no thought, or its signature came after other items.
        if (!isOpen) parts.start({ kind: 'thinking' }, keepOrigin({ at, item }));
        parts.sign({ origin: 'openai', value: encrypted });
      } else if (!wrote) openEmpty(whole);
      parts.end();
    },
  };
}
