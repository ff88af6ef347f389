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
import { wordSet } from '../../../lib/words.ts';
import { keepOrigin } from '../wire/origin.ts';
import { type ItemEvent, PART_KINDS, REASONING, type TextKind } from './item-events.ts';
import { findRest, type ItemReader, remainingFields } from './item-reader.ts';
import { matchParts } from './match-parts.ts';
import type { PartWriter } from './part-writer.ts';

/** The fields of an item and of a part that are read elsewhere. */
const ITEM_READ = wordSet('type status role content summary encrypted_content');
const PART_READ = wordSet('type status text refusal annotations logprobs');

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

type Texts = Map<number, Text>;

const NO_TEXTS: ReadonlyMap<number, Text> = new Map();

export class TextItemReader implements ItemReader {
  readonly #at: number;
  readonly #parts: PartWriter;
  readonly #early: Json | undefined;
  readonly #item: JsonObject;
  /** The type of its texts in the content. */
  readonly #textType: 'output_text' | 'reasoning_text';
  readonly #lists: Partial<Record<TextKind['list'], Texts>> = {};
  #wrote = false;

  /**
   * @param at the place of the item in the output.
   * @param added the item as far as it is known when it is added.
   */
  constructor(at: number, added: JsonObject, parts: PartWriter) {
    this.#at = at;
    this.#parts = parts;
    this.#early = added['encrypted_content'];
    this.#item = remainingFields(added, ITEM_READ);
    this.#textType = added['type'] === 'reasoning' ? 'reasoning_text' : 'output_text';
  }

  read({ type, kind }: ItemEvent, event: JsonObject): void {
    if (kind.part === 'tool-call') return;
    switch (type) {
      case 'delta': {
        const text = this.#findText(kind, event);
        this.#write(text, event['delta']);
        const tokens = event['logprobs'];
        if (tokens !== undefined) this.#addLogprobs(text, asList(tokens));
        return;
      }
      case 'annotation':
        this.#annotate(this.#findText(kind, event), asObjects([event['annotation'] ?? null]));
        return;
      case 'text-done':
        this.#complete(this.#findText(kind, event), event);
        return;
      case 'part-added': {
        const part = asObject(event['part']) ?? {};
        this.#findText(PART_KINDS.get(part['type']) ?? kind, event, part);
      }
    }
  }

  done(whole: JsonObject): void {
    this.#completeList(asObjects(whole['summary']), 'summary');
    this.#completeList(this.#readContent(whole['content']), 'content');
    const encrypted = asText(whole['encrypted_content']) ?? asText(this.#early);
    if (encrypted !== undefined && encrypted !== '') {
      // The item shows no thought, or its signature came after other items.
      if (!this.#isOpen()) {
        this.#parts.start({ kind: 'thinking' }, keepOrigin({ at: this.#at, item: this.#item }));
      }
      this.#parts.sign(encrypted);
    } else if (!this.#wrote) this.#openEmpty(whole);
    this.#parts.end();
  }

  /** The parts of the content. Some services write it as one text, or as parts of chat-completions (SGLang's router). */
  #readContent(content: Json | undefined): readonly JsonObject[] {
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : asObjects(content);
    return parts.map((part) => (part['type'] === 'text' ? { ...part, type: this.#textType } : part));
  }

  #findText(kind: TextKind, event: JsonObject, part?: JsonObject): Text {
    return this.#getText(kind, asNumber(event[kind.index]) ?? 0, part);
  }

  #getText(kind: TextKind, index: number, part: JsonObject = {}): Text {
    const list: Texts = this.#lists[kind.list] ?? new Map();
    this.#lists[kind.list] = list;
    const known = list.get(index);
    if (known) return known;
    const fields = kind === REASONING ? { type: 'reasoning_text' } : remainingFields(part, PART_READ);
    const text = { kind, fields, part: -1, length: 0, annotations: 0, logprobs: 0 };
    list.set(index, text);
    return text;
  }

  /** Whether one of its texts is the open part. */
  #isOpen(): boolean {
    const { open } = this.#parts;
    if (open < 0) return false;
    for (const list of Object.values(this.#lists))
      for (const { part } of list.values()) if (part === open) return true;
    return false;
  }

  #open(text: Text): void {
    if (text.part >= 0 && text.part === this.#parts.open) return;
    this.#wrote = true;
    const origin = keepOrigin({ at: this.#at, item: this.#item, part: text.fields });
    text.part = this.#parts.start({ kind: text.kind.part }, origin);
  }

  #write(text: Text, piece: Json | undefined): void {
    if (typeof piece !== 'string' || piece === '') return;
    this.#open(text);
    text.length += piece.length;
    this.#parts.text(piece);
  }

  #addLogprobs(text: Text, tokens: readonly Json[]): void {
    if (tokens.length === 0) return;
    this.#open(text);
    text.logprobs += tokens.length;
    this.#parts.logprobs(tokens);
  }

  #annotate(text: Text, annotations: readonly JsonObject[]): void {
    for (const annotation of annotations) {
      this.#open(text);
      text.annotations += 1;
      this.#parts.cite(annotation);
    }
  }

  #complete(text: Text, whole: JsonObject): void {
    this.#write(text, findRest(whole[text.kind.field], text.length));
    this.#addLogprobs(text, asList(whole['logprobs']).slice(text.logprobs));
    this.#annotate(text, asObjects(whole['annotations']).slice(text.annotations));
  }

  #completeList(list: readonly JsonObject[], name: TextKind['list']): void {
    const findNumber = matchParts(this.#lists[name] ?? NO_TEXTS, list);
    for (const [index, part] of list.entries()) {
      const kind = PART_KINDS.get(part['type']);
      if (kind?.list === name) this.#complete(this.#getText(kind, findNumber(index), part), part);
    }
  }

  /** For an item that wrote nothing: its empty texts, or else the item as it is, for those who can read it. */
  #openEmpty(whole: JsonObject): void {
    for (const text of this.#lists.content?.values() ?? []) this.#open(text);
    if (!this.#wrote) this.#parts.start({ kind: 'opaque', format: 'responses', value: whole });
  }
}
